//! A build under test: asks it to run a workload and checks each field of its answer.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::child::{self, ChildOutput, MAX_OUTPUT_BYTES, Stop};
use super::protocol::{Answer, PROGRAM, PROTOCOL};
use crate::bench::sample::{MAX_SECONDS, MIN_SECONDS};
use crate::bench::workload::Threads;
use crate::bench::{Error, Result, WorkloadId};
use crate::terminal::escape::{is_harmless, shortened, terminal};
use nqueens::board::known;
use nqueens::{CancelToken, Error as CountError};

/// How many characters of a build's output an error repeats.
const MAX_SAID: usize = 300;

/// The most runs in a sample: the limit of `bench sample`.
const MOST_RUNS: u64 = 1_000_000_000;

/// The longest version, commit, instruction set or name of a figure that a build may give.
const MAX_WORD: usize = 64;

/// A build under test.
#[derive(Debug, Clone)]
pub(crate) struct Build {
    /// The build's name in errors: `base` or `head`.
    pub(crate) role: &'static str,
    pub(crate) path: PathBuf,
}

/// What a build is asked to run.
#[derive(Debug, Clone)]
pub(crate) struct Question<'a> {
    pub(crate) workload: &'a WorkloadId,
    /// The highest instruction set to use.
    pub(crate) isa: Option<&'static str>,
    /// Samples in one process.
    pub(crate) repetitions: usize,
    /// Runs in a sample. `None`: the build chooses the number.
    pub(crate) runs: Option<u64>,
    /// When to stop the process.
    pub(crate) timeout: Duration,
}

impl Build {
    /// Runs the build once.
    ///
    /// # Errors
    /// Those of [`Build::ask_under`].
    pub(crate) fn ask(&self, question: &Question<'_>, cancel: &CancelToken) -> Result<Answer> {
        self.ask_under(under_one_name(Command::new(self.file())), question, cancel)
    }

    /// Runs the build once by `command`, which lacks only the arguments of the question.
    ///
    /// # Errors
    /// [`Error::Build`] for a build that cannot be run, fails, hangs, or is not this program; [`Error::Refused`] if it
    /// does not know the workload; [`Error::WrongCount`]; [`nqueens::Error::Cancelled`].
    pub(crate) fn ask_under(
        &self,
        mut command: Command,
        question: &Question<'_>,
        cancel: &CancelToken,
    ) -> Result<Answer> {
        let workload = question.workload;
        command.arg("sample").args(["--workload", &workload.to_string()]);
        command.args(["--repetitions", &question.repetitions.to_string()]);
        if let Some(runs) = question.runs {
            command.args(["--runs", &runs.to_string()]);
        }
        if let Some(isa) = question.isa {
            command.args(["--isa", isa]);
        }
        let output = child::run(&mut command, question.timeout, cancel).map_err(|stop| match stop {
            Stop::Cancelled => CountError::Cancelled { units_done: 0, units: 1, per_mille: 0 }.into(),
            Stop::Late => self.error(format!(
                "did not finish {workload} within {} s and was stopped: does it hang? \
                 Give it longer with --timeout, or choose a smaller workload",
                question.timeout.as_secs_f64()
            )),
            Stop::Endless => self.not_this_program(format!("it printed more than {} KiB", MAX_OUTPUT_BYTES >> 10)),
            Stop::CannotRun(_) if self.path.is_dir() => {
                self.error("cannot be run: it is a folder; give the program in it".to_owned())
            }
            Stop::CannotRun(error) => self.error(format!("cannot be run: {error}")),
        })?;
        if !output.status.success() {
            return Err(self.failure(&output, question));
        }
        let answer = self.read(&output.stdout)?;
        check(&answer, question).map_err(|problem| self.misfit(&problem))?;
        match known::solutions(workload.size) {
            Some(published) if published != answer.count.0 => Err(Error::WrongCount {
                place: format!("{} in {workload}", self.name()),
                n: workload.size.get(),
                found: answer.count.0,
                published,
                way_out: "a wrong count has no time",
            }),
            _ => Ok(answer),
        }
    }

    /// The build's file. The system would look for a bare name among the installed programs.
    pub(crate) fn file(&self) -> PathBuf {
        if self.path.components().count() == 1 { Path::new(".").join(&self.path) } else { self.path.clone() }
    }

    fn failure(&self, output: &ChildOutput, question: &Question<'_>) -> Error {
        let workload = question.workload.to_string();
        let said = format!("it said {}", quoted(&output.stderr));
        match output.status.code() {
            // This program ends so if it does not have the workload.
            Some(2) => Error::Refused { build: self.name(), workload, said },
            Some(3) => Error::Build {
                build: self.name(),
                problem: format!("counted wrong in {workload}: {said}"),
                counted_wrong: true,
            },
            _ => self.error(format!("ended with {} in {workload}: {said}", output.status)),
        }
    }

    fn read(&self, stdout: &str) -> Result<Answer> {
        let value: serde_json::Value = serde_json::from_str(stdout.trim())
            .ok()
            .filter(serde_json::Value::is_object)
            .ok_or_else(|| self.not_this_program(format!("it printed {} instead of a sample", quoted(stdout))))?;
        if value["program"] != PROGRAM {
            let found = quoted(&value["program"].to_string());
            return Err(self.not_this_program(format!("program: {found} where \"{PROGRAM}\" should be")));
        }
        if value["protocol"] != PROTOCOL {
            return Err(self.error(format!(
                "speaks protocol {}, and this program speaks {PROTOCOL}: compare builds that speak one protocol",
                terminal(&shortened(&value["protocol"].to_string(), MAX_SAID))
            )));
        }
        serde_path_to_error::deserialize(value).map_err(|error| {
            // A missing field has no path, and its name is in the message.
            let path = Some(error.path().to_string()).filter(|path| path != ".");
            let field = path.map_or_else(String::new, |path| format!("{path}: "));
            self.misfit(&format!("{field}{}", error.inner()))
        })
    }

    fn misfit(&self, problem: &str) -> Error {
        self.error(format!("gave an impossible answer: {problem}"))
    }

    fn name(&self) -> String {
        format!("{} ({})", self.role, self.path.display())
    }

    fn error(&self, problem: String) -> Error {
        Error::Build { build: self.name(), problem, counted_wrong: false }
    }

    fn not_this_program(&self, problem: String) -> Error {
        self.error(format!("cannot be compared: {problem}"))
    }
}

/// Calls both builds by the same name. A longer name would shift the stack, and the shift changes the time.
#[cfg(unix)]
fn under_one_name(mut command: Command) -> Command {
    use std::os::unix::process::CommandExt;
    command.arg0(PROGRAM);
    command
}

#[cfg(not(unix))]
fn under_one_name(command: Command) -> Command {
    command
}

/// Compares an answer with its question. The error begins with the field.
fn check(answer: &Answer, question: &Question<'_>) -> std::result::Result<(), String> {
    let id = question.workload;
    if answer.workload != *id {
        return Err(format!("workload: it ran {} when asked for {id}", answer.workload));
    }
    if let Threads::Exactly(threads) = id.threads
        && threads != answer.threads
    {
        return Err(format!("threads: {} when asked for {threads}", answer.threads));
    }
    if let Some(runs) = question.runs.filter(|&runs| runs != answer.runs) {
        return Err(format!("runs: {} when asked for {runs}", answer.runs));
    }
    if !(1..=MOST_RUNS).contains(&answer.runs) {
        return Err(format!("runs: {} is not from 1 to {MOST_RUNS}", answer.runs));
    }
    for (field, times) in [("seconds", &answer.seconds), ("processor_seconds", &answer.processor_seconds)] {
        if times.len() != question.repetitions && (field == "seconds" || !times.is_empty()) {
            return Err(format!("{field}: {} samples when asked for {}", times.len(), question.repetitions));
        }
        let is_wrong = |seconds: &f64| !(MIN_SECONDS..=MAX_SECONDS).contains(seconds);
        if let Some(index) = times.iter().position(is_wrong) {
            return Err(format!("{field}[{index}]: {:?} is not the time of a run", times[index]));
        }
    }
    let words = [("version", &answer.version), ("commit", &answer.commit), ("isa", &answer.isa)];
    let mut words = words.into_iter().chain(answer.work.keys().map(|name| ("work", name)));
    match words.find(|(_, word)| !is_word(word)) {
        Some((field, word)) => Err(format!("{field}: {} is not a short word", quoted(word))),
        None => Ok(()),
    }
}

/// Whether a text can be a version, a commit or the name of a figure: short, and harmless wherever it is shown.
fn is_word(text: &str) -> bool {
    text.len() <= MAX_WORD
        && text.chars().all(|c| is_harmless(c) && (c.is_ascii_alphanumeric() || " .+-_()".contains(c)))
}

/// Returns the beginning of a text in quotes, without control characters. `nothing` if the text is empty.
fn quoted(text: &str) -> String {
    match text.trim() {
        "" => "nothing".to_owned(),
        text => format!("\"{}\"", terminal(&shortened(text, MAX_SAID))),
    }
}
