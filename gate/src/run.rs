//! Runs a command once and measures the run.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, is_separator};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::command_line::CommandLine;
use crate::options::Args;
use crate::output::Output;
use crate::processes::{self, End, STOPPING, end_left_over, kill, usage_of_children};
use crate::rounds::Run;
use crate::signals;
use crate::units::shortened;
use crate::watch::Watch;

/// The time between two checks for a signal and for too much output. The end of the process is noticed at once.
const TICK: Duration = Duration::from_millis(100);

/// The shortest time of a run, which is the resolution of the processor's clock.
const SHORTEST: Duration = Duration::from_micros(1);

const TOO_MUCH: &str = "printed more than 64 MiB: make it print less";

/// One run of a command.
#[derive(Debug)]
pub(crate) struct Finished {
    /// The measurements. The processor time includes child processes that ended. On Windows, whose clock of processor
    /// time is too coarse, it is the elapsed time.
    pub(crate) run: Run,
    /// How it ended, such as `exit status 1`.
    pub(crate) status: String,
    /// Standard output, which is empty with `--any-output`.
    pub(crate) output: Vec<u8>,
}

/// The reason why a run does not count.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) kind: ProblemKind,
    /// A sentence if the machine is at fault, otherwise the rest of a sentence that begins with the command.
    pub(crate) why: String,
}

/// The cause of a problem, which decides the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProblemKind {
    /// The program may not exist yet, or may not know this command yet.
    MayBeNew,
    /// The run took longer than the budget.
    TooLong,
    /// The command is at fault for another reason.
    Command,
    /// The machine was suspended again and again.
    Suspended,
    /// The machine or the gate is at fault.
    Machine,
}

impl ProblemKind {
    pub(crate) fn because(self, why: impl Into<String>) -> Problem {
        Problem { kind: self, why: why.into() }
    }
}

/// Runs commands as the options say.
pub(crate) struct Runner<'a> {
    pub(crate) args: &'a Args,
    pub(crate) watch: Watch,
}

impl<'a> Runner<'a> {
    /// Starts the watch.
    pub(crate) fn new(args: &'a Args) -> Self {
        Self { args, watch: Watch::start() }
    }

    /// Runs a command to its end, which may be a failure if `may_fail`. If it takes too long or prints too much, or a
    /// signal comes, it is killed together with everything that it started.
    pub(crate) fn run(&self, command: &CommandLine, may_fail: bool) -> Result<Finished, Problem> {
        let outputs = [Output::new().map_err(cannot_save)?, Output::new().map_err(cannot_save)?];
        let mut process = self.process(command, &outputs)?;
        // Each run may take as long as the whole gate, so that only a command that is far too slow is blamed.
        let deadline = self.watch.elapsed() + self.args.budget;
        let start = Instant::now();
        let before = usage_of_children();
        let child = process.spawn().map_err(|error| cannot_start(&command.words[0], &error))?;
        let id = child.id();
        let ended = self.wait_or_kill(child, deadline, &outputs);
        // Nothing may stay behind, whether the run ended by itself or not.
        let left = end_left_over(id);
        let End { status, moment, queued, memory } = ended?;
        let elapsed = moment - start;
        let (processor, waits) = match usage_of_children().zip(before) {
            Some((after, before)) => (after.0 - before.0, after.1 - before.1),
            None => (elapsed, 0),
        };
        // The quotient has no more digits than the clock, unlike `as_secs_f64`.
        let times = [processor, elapsed.saturating_sub(queued)].map(|time| time.max(SHORTEST).as_nanos() as f64 / 1e9);
        let output = accepted_output(status, may_fail, outputs, left)?;
        Ok(Finished { run: Run { times, waits, memory }, status: in_words(status), output })
    }

    /// Returns the process to start, with its standard streams.
    fn process(&self, command: &CommandLine, [out, err]: &[Output; 2]) -> Result<Command, Problem> {
        let mut process = Command::new(&command.words[0]);
        let stream = |output: &Output| output.stream().map_err(cannot_save);
        process.args(&command.words[1..]).stderr(stream(err)?);
        process.stdout(if self.args.any_output { Stdio::null() } else { stream(out)? });
        process.stdin(match &self.args.input {
            Some(path) => Stdio::from(File::open(path).map_err(|error| {
                ProblemKind::Machine.because(format!("cannot read the input {}: {error}", path.display()))
            })?),
            None => Stdio::null(),
        });
        // In a group of its own, a script is killed together with the processes that it started.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut process, 0);
        Ok(process)
    }

    /// Waits until the process ends, and kills it at the `deadline`, after a signal, or when one of its `outputs` is
    /// too long.
    fn wait_or_kill(&self, mut child: Child, deadline: Duration, outputs: &[Output; 2]) -> Result<End, Problem> {
        let id = child.id();
        let (ended, end) = mpsc::channel();
        // A thread waits, so no handler of SIGCHLD is needed.
        let waiting = thread::Builder::new().spawn(move || ended.send(processes::wait(&mut child)));
        if let Err(error) = waiting {
            kill(id);
            return Err(ProblemKind::Machine.because(format!("cannot start a thread to wait for a command: {error}")));
        }
        loop {
            let left = deadline.saturating_sub(self.watch.elapsed());
            let (kind, why) = match end.recv_timeout(TICK.min(left)) {
                Ok(Ok(end)) => return Ok(end),
                Ok(Err(error)) => {
                    kill(id);
                    return Err(ProblemKind::Command.because(error.to_string()));
                }
                Err(_) if signals::caught().is_some() => (ProblemKind::Command, "was interrupted"),
                Err(_) if outputs.iter().any(Output::is_too_long) => (ProblemKind::Command, TOO_MUCH),
                Err(_) if left.is_zero() => {
                    (ProblemKind::TooLong, "did not finish within the budget: raise --budget or use a shorter command")
                }
                Err(_) => continue,
            };
            kill(id);
            // A process of another user cannot be stopped.
            let after = match end.recv_timeout(STOPPING) {
                Ok(_) => "The gate stopped it and everything that it started".to_owned(),
                Err(_) => format!("Process {id} cannot be stopped and still runs"),
            };
            return Err(kind.because(format!("{why}. {after}")));
        }
    }
}

/// Describes how a process ended, such as `exit status 1`.
fn in_words(status: ExitStatus) -> String {
    // Rust says `exit status: 1`.
    status.to_string().replacen(": ", " ", 1)
}

/// Returns the problem with a file that should take the output of a command.
fn cannot_save(error: io::Error) -> Problem {
    let folder = std::env::temp_dir();
    ProblemKind::Machine.because(format!(
        "cannot save the output of a command in {}: {error}: make room there, or set TMPDIR to another folder",
        folder.display()
    ))
}

/// Returns the problem with a program that does not start.
fn cannot_start(program: &str, error: &io::Error) -> Problem {
    let path = Path::new(program);
    // Otherwise it is looked up in PATH.
    let is_path = program.contains(is_separator);
    let (kind, hint) = match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::OutOfMemory => {
            return ProblemKind::Machine.because(format!("cannot start another process: {error}"));
        }
        _ if is_path && path.is_dir() => {
            return ProblemKind::Command.because("cannot be run: it is a folder: give the path of a program in it");
        }
        ErrorKind::NotFound if !is_path => {
            (ProblemKind::Command, "; for a file in this folder give its path, such as ./program")
        }
        ErrorKind::NotFound if path.exists() => {
            (ProblemKind::Command, "; the file exists, but the interpreter or loader that it names does not")
        }
        // In a folder that does not exist, every program would be new.
        ErrorKind::NotFound if !path.parent().is_some_and(Path::is_dir) => {
            (ProblemKind::Command, "; its folder does not exist either: has it been built?")
        }
        ErrorKind::NotFound if program.contains(' ') => {
            (ProblemKind::MayBeNew, "; if its name has no space, leave out the quotes around the command")
        }
        ErrorKind::NotFound => (ProblemKind::MayBeNew, ""),
        ErrorKind::PermissionDenied => (ProblemKind::Command, "; if it is a program, make it executable with chmod +x"),
        _ => (ProblemKind::Command, ""),
    };
    kind.because(format!("cannot be run: {error}{hint}"))
}

/// Returns the standard output of a run that ended by itself, or the reason why the run does not count. `left` is
/// what it left running.
fn accepted_output(
    status: ExitStatus,
    may_fail: bool,
    outputs: [Output; 2],
    left: Option<String>,
) -> Result<Vec<u8>, Problem> {
    if outputs.iter().any(Output::is_too_long) {
        return Err(ProblemKind::Command.because(TOO_MUCH));
    }
    let [out, err] = outputs;
    let output = out.read().map_err(cannot_save)?;
    let was_killed = status.code().is_none();
    let is_accepted = status.success() || may_fail && !was_killed;
    if !is_accepted {
        let said = match String::from_utf8_lossy(&err.read().map_err(cannot_save)?).trim() {
            "" => "nothing".to_owned(),
            said => format!("\"{}\"", shortened(said, 300)),
        };
        let kind = if was_killed { ProblemKind::Command } else { ProblemKind::MayBeNew };
        let status = in_words(status);
        return Err(kind.because(format!("ended with {status} and printed {said} on standard error")));
    }
    if let Some(left) = left {
        return Err(ProblemKind::Command.because(format!(
            "left {left} running, which the gate cannot measure and has stopped: make the command wait for \
             everything that it starts, and start a service that it needs before the gate"
        )));
    }
    Ok(output)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Trap: a limit on processes is not the fault of the command that is about to start.
    #[test]
    fn a_machine_that_refuses_a_process_is_blamed_and_no_command() {
        let problem = |kind: ErrorKind| cannot_start("./head", &kind.into());
        for (kind, expected, said) in [
            (ErrorKind::WouldBlock, ProblemKind::Machine, "cannot start another process: "),
            (ErrorKind::PermissionDenied, ProblemKind::Command, "cannot be run: "),
            (ErrorKind::NotFound, ProblemKind::MayBeNew, "cannot be run: "),
        ] {
            let Problem { kind, why } = problem(kind);
            assert!(kind == expected && why.starts_with(said), "{why}");
        }
    }
}
