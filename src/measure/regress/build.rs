//! A build of this program as a file: runs it on a workload and takes nothing it says on trust.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::child::{self, Output, Stop};
use crate::board::known;
use crate::measure::regress::protocol::{Answer, PROGRAM, PROTOCOL};
use crate::measure::sample::{MAX_SECONDS, MIN_SECONDS};
use crate::measure::text::{is_harmless, shortened, terminal};
use crate::measure::{Error, Result, WorkloadId};
use crate::{CancelToken, Error as CountError};

/// How much of what a failed build said is repeated.
const MAX_SAID: usize = 300;

/// The most runs in a sample: what 'sample' takes.
pub(super) const MOST_RUNS: u64 = 1_000_000_000;

/// The longest version, commit, instruction set or name of a figure that a build may give.
const MAX_WORD: usize = 64;

/// A build under test.
#[derive(Debug, Clone)]
pub struct Build {
    /// `base` or `head`, as errors call it.
    pub role: &'static str,
    /// The program file.
    pub path: PathBuf,
}

/// What a build is asked to run.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    /// The workload.
    pub workload: &'a WorkloadId,
    /// The instruction set to use at most.
    pub isa: Option<&'a str>,
    /// Samples in one process, of which the fastest counts.
    pub repetitions: usize,
    /// Runs in a sample; as many as it needs where nothing is given.
    pub runs: Option<u64>,
    /// When to give up on the process.
    pub timeout: Duration,
    /// When the time for the whole is over.
    pub deadline: Instant,
}

impl Build {
    /// Runs a process of the build.
    ///
    /// # Errors
    /// [`Error::Build`] for a build that cannot be run, fails, hangs, or is not this program; [`Error::Refused`] where it
    /// says that it does not know the workload; [`Error::WrongCount`]; [`Error::OutOfTime`] where the time for the whole
    /// is over; [`crate::Error::Cancelled`].
    pub fn ask(&self, question: &Question<'_>, cancel: &CancelToken) -> Result<Answer> {
        self.ask_in(Command::new(self.program()), question, cancel)
    }

    /// The same by another command, such as a tool that takes a program and its arguments: these are added.
    pub(super) fn ask_in(&self, mut command: Command, question: &Question<'_>, cancel: &CancelToken) -> Result<Answer> {
        #[cfg(unix)]
        if command.get_program() == self.program() {
            use std::os::unix::process::CommandExt;
            // The same first argument for both builds: the length of a path shifts the stack, and that can be measured.
            command.arg0(PROGRAM);
        }
        command.arg("sample").args(["--workload", &question.workload.to_string()]);
        command.args(["--repetitions", &question.repetitions.to_string()]);
        if let Some(runs) = question.runs {
            command.args(["--runs", &runs.to_string()]);
        }
        if let Some(isa) = question.isa {
            command.args(["--isa", isa]);
        }
        let output = self.run(&mut command, question, cancel)?;
        if !output.status.success() {
            return Err(self.failure(&output, question));
        }
        self.read(&output.stdout, question)
    }

    /// The program. A bare name is looked up among the installed programs: here it means the file.
    pub(super) fn program(&self) -> PathBuf {
        if self.path.components().count() == 1 { Path::new(".").join(&self.path) } else { self.path.clone() }
    }

    fn run(&self, command: &mut Command, question: &Question<'_>, cancel: &CancelToken) -> Result<Output> {
        let own_deadline = Instant::now() + question.timeout;
        child::run(command, own_deadline.min(question.deadline), cancel).map_err(|stop| match stop {
            Stop::Cancelled => CountError::Cancelled { units_done: 0, units: 1, per_mille: 0 }.into(),
            Stop::Late | Stop::Lingering if question.deadline < own_deadline => Error::OutOfTime,
            Stop::Late => self.error(format!(
                "did not finish {} within {} s and was stopped: does it hang? \
                 Give it longer with --timeout, or choose a smaller workload",
                question.workload,
                question.timeout.as_secs_f64()
            )),
            Stop::Lingering => self.error("closed its output and went on running, and was stopped".to_owned()),
            Stop::Endless => self.not_this_program("it prints without end".to_owned()),
            Stop::CannotRun(error) => self.error(format!("cannot be run: {error}")),
            Stop::CannotListen(error) => error.into(),
        })
    }

    fn failure(&self, output: &Output, question: &Question<'_>) -> Error {
        let said = said(&output.stderr);
        match output.status.code() {
            // What this program's builds do with a workload they do not have.
            Some(2) => Error::Refused { build: self.name(), workload: question.workload.to_string(), said },
            Some(3) => self.error(format!("counted wrong in {}: {said}", question.workload)).wrong(),
            _ => self.error(format!("ended with {} in {}: {said}", output.status, question.workload)),
        }
    }

    fn read(&self, stdout: &[u8], question: &Question<'_>) -> Result<Answer> {
        let line = String::from_utf8_lossy(stdout);
        let value: serde_json::Value = serde_json::from_str(line.trim())
            .map_err(|_| self.not_this_program(format!("it printed {} instead of a sample", quoted(&line))))?;
        if value["program"] != PROGRAM {
            return Err(self.not_this_program(format!("it printed {} instead of a sample", quoted(&line))));
        }
        if value["protocol"] != PROTOCOL {
            return Err(self.error(format!(
                "speaks protocol {}, and this program speaks {PROTOCOL}: compare with a build that is nearer in time",
                terminal(&shortened(&value["protocol"].to_string(), MAX_SAID))
            )));
        }
        let answer: Answer = serde_path_to_error::deserialize(value).map_err(|error| {
            self.error(format!("gave an answer that cannot be right: {}: {}", error.path(), error.inner()))
        })?;
        self.check(&answer, question)?;
        Ok(answer)
    }

    fn check(&self, answer: &Answer, question: &Question<'_>) -> Result<()> {
        let wrong = |problem: String| Err(self.error(format!("gave an answer that cannot be right: {problem}")));
        if answer.workload != *question.workload {
            return wrong(format!("it ran {} when asked for {}", answer.workload, question.workload));
        }
        if !(1..=MOST_RUNS).contains(&answer.runs) || question.runs.is_some_and(|runs| runs != answer.runs) {
            return wrong(format!("it took {} runs a sample", answer.runs));
        }
        if answer.seconds.len() != question.repetitions {
            return wrong(format!("{} samples when asked for {}", answer.seconds.len(), question.repetitions));
        }
        if let Some(seconds) = answer.seconds.iter().find(|seconds| !(MIN_SECONDS..=MAX_SECONDS).contains(*seconds)) {
            return wrong(format!("{seconds:?} is not the time of a run"));
        }
        let words = [&answer.version, &answer.commit, &answer.isa].into_iter().chain(answer.work.keys());
        if let Some(word) = words.into_iter().find(|word| !is_word(word)) {
            return wrong(format!("{} where a short word should be", quoted(word)));
        }
        match known::solutions(answer.workload.size) {
            Some(published) if published != answer.count.0 => Err(Error::WrongCount {
                place: format!("{} in {}", self.name(), answer.workload),
                n: answer.workload.size.get(),
                found: answer.count.0,
                published,
                way_out: "there is no time for a wrong count",
            }),
            _ => Ok(()),
        }
    }

    /// The error of a build that gave no answer in all the time there was.
    pub(super) fn mute(&self, budget: Duration) -> Error {
        self.error(format!(
            "gave no answer before the time of {} s for the whole was over: does it hang? \
             Raise --budget, or choose a smaller workload",
            budget.as_secs_f64()
        ))
    }

    /// The error of a build that answered before and was still silent when the time for the whole was over.
    pub(super) fn hung(&self, workload: &WorkloadId) -> Error {
        self.error(format!("hangs: it answered {workload} before, and did not again before the time was over"))
    }

    fn name(&self) -> String {
        format!("{} ({})", self.role, self.path.display())
    }

    fn error(&self, problem: String) -> Error {
        Error::Build { build: self.name(), problem, counted_wrong: false }
    }

    fn not_this_program(&self, problem: String) -> Error {
        self.error(format!("is not an nqueens that can be compared: {problem}"))
    }
}

impl Error {
    fn wrong(self) -> Self {
        match self {
            Self::Build { build, problem, .. } => Self::Build { build, problem, counted_wrong: true },
            error => error,
        }
    }
}

/// What a build said on standard error, as much of it as helps.
fn said(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    if text.trim().is_empty() { "it said nothing".to_owned() } else { format!("it said {}", quoted(&text)) }
}

/// Whether a text can be a version, a commit or the name of a figure: short, and without a letter that would mean something
/// where it is shown.
fn is_word(text: &str) -> bool {
    text.len() <= MAX_WORD
        && text.chars().all(|c| is_harmless(c) && (c.is_ascii_alphanumeric() || " .+-_()".contains(c)))
}

fn quoted(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() {
        return "nothing".to_owned();
    }
    format!("\"{}\"", terminal(&shortened(text, MAX_SAID)))
}

/// Whether two files hold the same program, byte for byte. Two scripts never do: what they run may lie beside them.
pub(super) fn are_identical(base: &Path, head: &Path) -> bool {
    let length = |path: &Path| std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|file| file.len());
    let (Some(base_length), Some(head_length)) = (length(base), length(head)) else { return false };
    if base_length != head_length {
        return false;
    }
    matches!((std::fs::read(base), std::fs::read(head)), (Ok(base), Ok(head)) if base == head && !base.starts_with(b"#!"))
}

/// Whether two paths are one file, by whatever name.
pub(super) fn is_same_file(base: &Path, head: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if let (Ok(base), Ok(head)) = (std::fs::metadata(base), std::fs::metadata(head)) {
            return (base.dev(), base.ino()) == (head.dev(), head.ino());
        }
    }
    matches!((base.canonicalize(), head.canonicalize()), (Ok(base), Ok(head)) if base == head)
}
