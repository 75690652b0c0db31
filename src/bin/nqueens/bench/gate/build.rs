//! A program under test: runs it on a task and takes nothing it says on trust.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::child::{ChildOutput, Hearing, Stop};
use super::task::{GateProgram, PLACE, Task};
use super::{child, task};
use crate::bench::gate::protocol::{Answer, PROGRAM, PROTOCOL};
use crate::bench::record::Decimal;
use crate::bench::sample::{MAX_SECONDS, MIN_SECONDS};
use crate::bench::workload::Threads;
use crate::bench::{Error, Result};
use crate::terminal::escape::{is_harmless, shortened, terminal};
use nqueens::board::{Size, known};
use nqueens::{CancelToken, Error as CountError};

/// How much of what a failed build said is repeated.
const MAX_SAID: usize = 300;

/// The most runs in a sample: what 'sample' takes.
pub(crate) const MOST_RUNS: u64 = 1_000_000_000;

/// The longest version, commit, instruction set or name of a figure that a build may give.
const MAX_WORD: usize = 64;

/// A build under test.
#[derive(Debug, Clone)]
pub(crate) struct Build {
    /// `base` or `head`, as errors call it.
    pub(crate) role: &'static str,
    /// The program.
    pub(crate) program: GateProgram,
}

/// What a build is asked to run.
#[derive(Debug, Clone)]
pub(crate) struct Question<'a> {
    /// The task.
    pub(crate) task: &'a Task,
    /// The instruction set to use at most.
    pub(crate) isa: Option<&'a str>,
    /// Whether a command's output ends with a count.
    pub(crate) has_count: bool,
    /// Samples in one process, of which the fastest counts.
    pub(crate) repetitions: usize,
    /// Runs in a sample. `None`: the build chooses the number.
    pub(crate) runs: Option<u64>,
    /// When to give up on the process.
    pub(crate) timeout: Duration,
    /// When the time for the whole is over.
    pub(crate) deadline: Instant,
}

/// What a program did, and how long it took.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ran {
    /// A build's version.
    pub(crate) version: Option<String>,
    /// The commit that a build was made from.
    pub(crate) commit: Option<String>,
    /// The instruction set whose code ran, where it is known.
    pub(crate) isa: String,
    /// The count; `None` where nobody asked for it.
    pub(crate) count: Option<Decimal>,
    /// What it took.
    pub(crate) work: BTreeMap<String, Decimal>,
    /// Runs that each time is the mean of.
    pub(crate) runs: u64,
    /// Seconds of one run, sample by sample.
    pub(crate) seconds: Vec<f64>,
    /// The processor's seconds of one run, sample by sample, where they are known.
    pub(crate) processor_seconds: Vec<f64>,
}

impl From<Answer> for Ran {
    fn from(answer: Answer) -> Self {
        Self {
            version: Some(answer.version),
            commit: Some(answer.commit),
            isa: answer.isa,
            count: Some(answer.count),
            work: answer.work,
            runs: answer.runs,
            seconds: answer.seconds,
            processor_seconds: answer.processor_seconds,
        }
    }
}

impl Build {
    /// Runs a build once, or a command as often as samples are wanted.
    ///
    /// # Errors
    /// [`Error::Build`] for a build that cannot be run, fails, hangs, or is not this program; [`Error::Refused`] where it
    /// says that it does not know the workload; [`Error::WrongCount`]; [`Error::OutOfTime`] where the time for the whole
    /// is over; [`nqueens::Error::Cancelled`].
    pub(crate) fn ask(&self, question: &Question<'_>, cancel: &CancelToken) -> Result<Ran> {
        match (&self.program, question.task) {
            (GateProgram::Command(words), &Task::Size(n)) => self.time(words, n, question, cancel),
            _ => self.ask_under(None, question, cancel),
        }
    }

    /// Asks a build, by a tool that takes a program and its arguments where one is given.
    pub(crate) fn ask_under(
        &self,
        tool: Option<Command>,
        question: &Question<'_>,
        cancel: &CancelToken,
    ) -> Result<Ran> {
        let GateProgram::Build(path) = &self.program else {
            return Err(self.error(format!("is a command, which knows no {}", question.task)));
        };
        // A bare name is looked up among the installed programs: here it means the file.
        let path = if path.components().count() == 1 { Path::new(".").join(path) } else { path.clone() };
        let mut command = tool.map_or_else(
            || {
                #[allow(unused_mut, reason = "not everywhere it has more to say")]
                let mut command = Command::new(&path);
                #[cfg(unix)]
                {
                    use std::os::unix::process::CommandExt;
                    // Both builds get one name. The length of a path would shift the stack, and the shift can be measured.
                    command.arg0(PROGRAM);
                }
                command
            },
            |mut tool| {
                tool.arg(&path);
                tool
            },
        );
        command.arg("sample").args(["--workload", &question.task.to_string()]);
        command.args(["--repetitions", &question.repetitions.to_string()]);
        if let Some(runs) = question.runs {
            command.args(["--runs", &runs.to_string()]);
        }
        if let Some(isa) = question.isa {
            command.args(["--isa", isa]);
        }
        let output = self.run(&mut command, Hearing::Brief, question, cancel)?;
        if !output.status.success() {
            return Err(self.failure(&output, question));
        }
        self.read(&output.stdout, question).map(Ran::from)
    }

    /// Runs a command for a size, as many times as samples are wanted, and times the whole processes.
    fn time(&self, words: &[String], n: usize, question: &Question<'_>, cancel: &CancelToken) -> Result<Ran> {
        let words: Vec<String> = words.iter().map(|word| word.replace(PLACE, &n.to_string())).collect();
        let mut ran = Ran { runs: 1, ..Ran::default() };
        for _ in 0..question.repetitions {
            let mut command = Command::new(&words[0]);
            let output = self.run(command.args(&words[1..]), Hearing::Tail, question, cancel)?;
            if !output.status.success() {
                let said = said(&output.stderr);
                return Err(self.error(format!("ended with {} for {}: {said}", output.status, question.task)));
            }
            if question.has_count {
                let text = String::from_utf8_lossy(&output.stdout);
                let Some(count) = task::last_whole_number(&text) else {
                    return Err(self.error(format!(
                        "printed {} for {}, where there is no whole number: let it print the count last, or give --no-count",
                        quoted(&text),
                        question.task
                    )));
                };
                let size = Size::new(n).ok();
                self.check_count(
                    size,
                    count,
                    question,
                    "the count is the last whole number it prints, unless --no-count",
                )?;
                let first = *ran.count.get_or_insert(Decimal(count));
                if first.0 != count {
                    return Err(Error::Unsteady {
                        workload: format!("{} in {}", self.role, question.task),
                        first: first.to_string(),
                        later: count.to_string(),
                    });
                }
            }
            ran.seconds.push(output.seconds.max(MIN_SECONDS));
        }
        Ok(ran)
    }

    fn run(
        &self,
        command: &mut Command,
        hearing: Hearing,
        question: &Question<'_>,
        cancel: &CancelToken,
    ) -> Result<ChildOutput> {
        let own_deadline = Instant::now() + question.timeout;
        child::run(command, hearing, own_deadline.min(question.deadline), cancel).map_err(|stop| match stop {
            Stop::Cancelled => CountError::Cancelled { units_done: 0, units: 1, per_mille: 0 }.into(),
            Stop::Late | Stop::Lingering if question.deadline < own_deadline => Error::OutOfTime,
            Stop::Late => self.error(format!(
                "did not finish {} within {} s and was stopped: does it hang? \
                 Give it longer with --timeout, or choose a smaller workload",
                question.task,
                question.timeout.as_secs_f64()
            )),
            Stop::Lingering => self.error("closed its output and went on running, and was stopped".to_owned()),
            Stop::Endless => self.not_this_program("it prints without end".to_owned()),
            Stop::CannotRun(error) => self.error(format!("cannot be run: {error}{}", self.hint())),
            Stop::CannotListen(error) => error.into(),
        })
    }

    fn failure(&self, output: &ChildOutput, question: &Question<'_>) -> Error {
        let said = said(&output.stderr);
        match output.status.code() {
            // What this program's builds do with a workload they do not have.
            Some(2) => Error::Refused { build: self.name(), workload: question.task.to_string(), said },
            Some(3) => self.error(format!("counted wrong in {}: {said}", question.task)).wrong(),
            _ => self.error(format!("ended with {} in {}: {said}", output.status, question.task)),
        }
    }

    fn read(&self, stdout: &[u8], question: &Question<'_>) -> Result<Answer> {
        let line = String::from_utf8_lossy(stdout);
        let value: serde_json::Value = serde_json::from_str(line.trim())
            .ok()
            .filter(serde_json::Value::is_object)
            .ok_or_else(|| self.not_this_program(format!("it printed {} instead of a sample", quoted(&line))))?;
        if value["program"] != PROGRAM {
            let found = quoted(&value["program"].to_string());
            return Err(self.not_this_program(format!("program: {found} where \"{PROGRAM}\" should be")));
        }
        if value["protocol"] != PROTOCOL {
            return Err(self.error(format!(
                "speaks protocol {}, and this program speaks {PROTOCOL}: compare with a build that is nearer in time",
                terminal(&shortened(&value["protocol"].to_string(), MAX_SAID))
            )));
        }
        let answer: Answer = serde_path_to_error::deserialize(value).map_err(|error| {
            // What is missing has no path, and a name in the message.
            let path = Some(error.path().to_string()).filter(|path| path != ".");
            let field = path.map_or_else(String::new, |path| format!("{path}: "));
            self.misfit(&format!("{field}{}", error.inner()))
        })?;
        self.check(&answer, question)?;
        Ok(answer)
    }

    /// Holds an answer against what was asked; what is wrong with it begins with the field.
    fn check(&self, answer: &Answer, question: &Question<'_>) -> Result<()> {
        let wrong = |problem: String| Err(self.misfit(&problem));
        let Task::Workload(id) = question.task else { return wrong("workload: a size was asked for".to_owned()) };
        if answer.workload != *id {
            return wrong(format!("workload: it ran {} when asked for {id}", answer.workload));
        }
        if let Threads::Exactly(threads) = id.threads
            && threads != answer.threads
        {
            return wrong(format!("threads: {} when asked for {threads}", answer.threads));
        }
        if let Some(runs) = question.runs.filter(|&runs| runs != answer.runs) {
            return wrong(format!("runs: {} when asked for {runs}", answer.runs));
        }
        if !(1..=MOST_RUNS).contains(&answer.runs) {
            return wrong(format!("runs: {} is not from 1 to {MOST_RUNS}", answer.runs));
        }
        for (field, times) in [("seconds", &answer.seconds), ("processor_seconds", &answer.processor_seconds)] {
            if times.len() != question.repetitions && (field == "seconds" || !times.is_empty()) {
                return wrong(format!("{field}: {} samples when asked for {}", times.len(), question.repetitions));
            }
            for (index, seconds) in times.iter().enumerate() {
                if !(MIN_SECONDS..=MAX_SECONDS).contains(seconds) {
                    return wrong(format!("{field}[{index}]: {seconds:?} is not the time of a run"));
                }
            }
        }
        let words = [("version", &answer.version), ("commit", &answer.commit), ("isa", &answer.isa)];
        let words = words.into_iter().chain(answer.work.keys().map(|name| ("work", name)));
        if let Some((field, word)) = words.into_iter().find(|(_, word)| !is_word(word)) {
            return wrong(format!("{field}: {} where a short word should be", quoted(word)));
        }
        self.check_count(Some(id.size), answer.count.0, question, "there is no time for a wrong count")
    }

    /// Holds a count against the published one.
    fn check_count(
        &self,
        size: Option<Size>,
        found: u128,
        question: &Question<'_>,
        way_out: &'static str,
    ) -> Result<()> {
        match size.and_then(|size| Some((size.get(), known::solutions(size)?))) {
            Some((n, published)) if published != found => {
                let place = format!("{} in {}", self.name(), question.task);
                Err(Error::WrongCount { place, n, found, published, way_out })
            }
            _ => Ok(()),
        }
    }

    fn misfit(&self, problem: &str) -> Error {
        self.error(format!("gave an answer that cannot be right: {problem}"))
    }

    /// The error of a build that gave no answer in all the time there was.
    pub(crate) fn mute(&self, budget: Duration) -> Error {
        self.error(format!(
            "gave no answer before the time of {} s for the whole was over: does it hang? \
             Raise --budget, or choose a smaller workload",
            budget.as_secs_f64()
        ))
    }

    /// The error of a build that answered before and was still silent when the time for the whole was over.
    pub(crate) fn hung(&self, task: &Task) -> Error {
        self.error(format!("hangs: it answered {task} before, and did not again before the time was over"))
    }

    /// What to type where a bare name, which is looked up among the installed programs, meant a file.
    fn hint(&self) -> String {
        match &self.program {
            GateProgram::Command(words) if !words[0].contains('/') && Path::new(&words[0]).exists() => {
                format!("; for the file in this folder type './{}'", words[0])
            }
            _ => String::new(),
        }
    }

    fn name(&self) -> String {
        format!("{} ({})", self.role, self.program)
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
pub(crate) fn are_identical(base: &Path, head: &Path) -> bool {
    let length = |path: &Path| std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|file| file.len());
    let (Some(base_length), Some(head_length)) = (length(base), length(head)) else { return false };
    if base_length != head_length {
        return false;
    }
    matches!((std::fs::read(base), std::fs::read(head)), (Ok(base), Ok(head)) if base == head && !base.starts_with(b"#!"))
}

/// Whether two paths are one file, by whatever name.
pub(crate) fn is_same_file(base: &Path, head: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if let (Ok(base), Ok(head)) = (std::fs::metadata(base), std::fs::metadata(head)) {
            return (base.dev(), base.ino()) == (head.dev(), head.ino());
        }
    }
    matches!((base.canonicalize(), head.canonicalize()), (Ok(base), Ok(head)) if base == head)
}
