//! A build under test: asks it to run a workload and checks each field of its answer.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};

use super::child;
use super::protocol::{Answer, PROGRAM, PROTOCOL};
use crate::bench::WorkloadId;
use crate::bench::sample::{check_count, is_time};
use crate::bench::workload::Threads;
use crate::exit::Exit;
use crate::terminal::escape::shortened;
use nqueens::CancelToken;

/// A build under test.
#[derive(Debug, Clone)]
pub(crate) struct Build {
    /// The build's name in errors: `base` or `head`.
    pub(crate) role: &'static str,
    /// Its file as an absolute path. The system would look for a bare name among the installed programs.
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
    pub(crate) fn ask(&self, question: &Question<'_>, cancel: &CancelToken) -> Result<Answer> {
        let command = Command::new(&self.path);
        // Both builds get the same name. A longer name would shift the stack, and the shift changes the time.
        #[cfg(unix)]
        let command = {
            let mut named = command;
            std::os::unix::process::CommandExt::arg0(&mut named, PROGRAM);
            named
        };
        self.ask_under(command, question, cancel)
    }

    /// Runs the build once by `command`, which lacks only the arguments of the question. The exit status of the error is
    /// [`Exit::Usage`] if the build does not know the workload, and [`Exit::Wrong`] if it counted wrong.
    pub(crate) fn ask_under(
        &self,
        mut command: Command,
        question: &Question<'_>,
        cancel: &CancelToken,
    ) -> Result<Answer> {
        command.arg("sample").args(["--workload", &question.workload.to_string()]);
        command.args(["--repetitions", &question.repetitions.to_string()]);
        if let Some(runs) = question.runs {
            command.args(["--runs", &runs.to_string()]);
        }
        if let Some(isa) = question.isa {
            command.args(["--isa", isa]);
        }
        let answer = child::run(&mut command, question.timeout, cancel).and_then(|output| {
            let said = || format!("it said {}", quoted(&output.stderr));
            match output.status.code() {
                Some(0) => answer(&output.stdout, question),
                // This program ends so if it does not have the workload.
                Some(2) => Err(Exit::Usage.error(format!("it does not run it: {}", said()))),
                Some(3) => Err(Exit::Wrong.error(format!("it counted wrong: {}", said()))),
                _ => Err(anyhow!("it ended with {}: {}", output.status, said())),
            }
        });
        answer.with_context(|| format!("{} ({})", self.role, self.path.display()))
    }
}

/// Reads an answer and compares it with its question. The error begins with the field.
fn answer(printed: &str, question: &Question<'_>) -> Result<Answer> {
    let answer: Answer =
        serde_json::from_str(printed).with_context(|| format!("it printed {} instead of a sample", quoted(printed)))?;
    let Answer { program, protocol, workload, threads, runs, .. } = &answer;
    ensure!(
        program == PROGRAM && *protocol == PROTOCOL,
        "it speaks protocol {protocol} of '{program}', and this program protocol {PROTOCOL} of '{PROGRAM}'"
    );
    ensure!(workload == question.workload, "workload: it ran {workload}");
    if let Threads::Exactly(asked) = workload.threads {
        ensure!(*threads == asked, "threads: {threads} when asked for {asked}");
    }
    let asked = question.runs.unwrap_or(*runs);
    ensure!(*runs == asked && asked > 0, "runs: {runs} when asked for {asked}");
    for (field, times) in [("seconds", &answer.seconds), ("processor_seconds", &answer.processor_seconds)] {
        let (found, asked) = (times.len(), question.repetitions);
        let may_be_missing = field == "processor_seconds" && found == 0;
        ensure!(found == asked || may_be_missing, "{field}: {found} samples when asked for {asked}");
        if let Some(wrong) = times.iter().find(|seconds| !is_time(seconds)) {
            bail!("{field}: {wrong:?} is not the time of a run");
        }
    }
    check_count("count", workload.size, answer.count.0)?;
    Ok(answer)
}

/// Returns the beginning of a text in quotes. `nothing` if the text is empty.
fn quoted(text: &str) -> String {
    match text.trim() {
        "" => "nothing".to_owned(),
        text => format!("\"{}\"", shortened(text, 300)),
    }
}
