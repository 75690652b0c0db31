//! A command under test: splits its words, runs it once, and measures the time.

use std::fmt;
use std::fs::File;
use std::io::{self, Seek};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::str::FromStr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use nqueens::CancelToken;
use serde::Serialize;
use wait_timeout::ChildExt;

use crate::terminal::escape::shortened;
use crate::terminal::kept::{MAX_BYTES, read_whole};
use crate::terminal::units::bytes;

/// The interval of looking for an interrupt and for too much output. The end of the process is noticed at once.
const TICK: Duration = Duration::from_millis(100);

/// The shortest time of a run, in seconds: the step of the processor's clock.
const SHORTEST: f64 = 1e-6;

/// A program with its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(crate) struct CommandLine {
    /// As it is typed.
    text: String,
    /// The program and its arguments. There is at least one word.
    #[serde(skip)]
    words: Vec<String>,
}

/// One run of a command.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) elapsed_seconds: f64,
    /// The processor time of the process and of its children that ended. It stops while other programs run. Without Unix
    /// it is the elapsed time.
    pub(crate) processor_seconds: f64,
    /// What it wrote to standard output. Empty if nobody asked for it.
    pub(crate) output: Vec<u8>,
}

impl FromStr for CommandLine {
    type Err = String;

    /// Splits a command as a shell does. Nothing else of a shell works: no variables, pipes or patterns.
    fn from_str(text: &str) -> Result<Self, String> {
        let words = shlex::split(text)
            .ok_or_else(|| format!("'{text}' is not a command: a quote is not closed, or a backslash is at its end"))?;
        if words.first().is_none_or(String::is_empty) {
            return Err(format!(
                "'{text}' is not a command: give a program and its arguments, such as './sort big.txt'"
            ));
        }
        Ok(Self { text: text.to_owned(), words })
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl CommandLine {
    /// Whether it is only a program of this project, by its name.
    pub(crate) fn is_bare_nqueens(&self) -> bool {
        let [program] = &self.words[..] else { return false };
        let name = Path::new(program).file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("nqueens"))
    }

    /// The command with these words added.
    pub(crate) fn with(&self, arguments: &str) -> Self {
        let words = arguments.split(' ').map(str::to_owned);
        Self { text: format!("{self} {arguments}"), words: self.words.iter().cloned().chain(words).collect() }
    }

    /// Runs the command to its end. A process that is stopped is killed together with its process group.
    pub(crate) fn run(&self, keeps_output: bool, timeout: Duration, cancel: &CancelToken) -> Result<Finished> {
        // Output goes to files. A pipe would have to be read while the process runs.
        let mut outputs = [temporary()?, temporary()?];
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).stdin(Stdio::null()).stderr(shared(&outputs[1])?);
        command.stdout(if keeps_output { shared(&outputs[0])? } else { Stdio::null() });
        // A script is killed together with what it started.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let (start, processor_start) = (Instant::now(), processor_seconds_of_children());
        let child =
            start_process(&mut command).map_err(|error| anyhow!("it cannot be run: {error}{}", self.way_out()))?;
        let status = RunningChild(child).wait(start + timeout, &outputs, cancel)?;
        let elapsed = start.elapsed().as_secs_f64();
        let processor =
            processor_seconds_of_children().zip(processor_start).map_or(elapsed, |(end, start)| end - start);
        if !status.success() {
            let said = read(&mut outputs[1])?;
            let said = String::from_utf8_lossy(&said);
            let said = match said.trim() {
                "" => "nothing".to_owned(),
                said => format!("\"{}\"", shortened(said, 300)),
            };
            bail!("it ended with {status}; on standard error it said {said}");
        }
        let [elapsed_seconds, processor_seconds] = [elapsed, processor].map(|time| time.max(SHORTEST));
        Ok(Finished { elapsed_seconds, processor_seconds, output: read(&mut outputs[0])? })
    }

    /// What to do if the program cannot be run.
    fn way_out(&self) -> &'static str {
        let program = Path::new(&self.words[0]);
        match program.components().count() {
            _ if program.is_dir() => "; it is a folder: give a program in it",
            1 if !program.is_absolute() => "; for a file in this folder give its path, such as ./program",
            _ if !program.exists() => "; is it built?",
            _ => "; a program needs the right to be executed (chmod +x)",
        }
    }
}

fn temporary() -> Result<File> {
    tempfile::tempfile().context("no temporary file can be made for its output")
}

/// The file as an output of a process.
fn shared(file: &File) -> Result<Stdio> {
    Ok(file.try_clone().context("its output cannot be kept")?.into())
}

fn read(output: &mut File) -> Result<Vec<u8>> {
    output.rewind().and_then(|()| read_whole(output, MAX_BYTES)).context("its output cannot be read")
}

/// Starts a process. Tries again for a second if the program's file is still open for writing, as just after a build.
fn start_process(command: &mut Command) -> io::Result<Child> {
    for _ in 0..20 {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(Duration::from_millis(50));
            }
            result => return result,
        }
    }
    command.spawn()
}

/// The processor time of all processes so far that this one started and waited for, and of what they waited for.
fn processor_seconds_of_children() -> Option<f64> {
    #[cfg(unix)]
    {
        use nix::sys::resource::{UsageWho, getrusage};
        use nix::sys::time::TimeValLike;
        let usage = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
        Some((usage.user_time() + usage.system_time()).num_microseconds() as f64 * 1e-6)
    }
    #[cfg(not(unix))]
    None
}

/// A running process. Dropping it kills the process and its process group.
struct RunningChild(Child);

impl RunningChild {
    /// Waits for the end of the process. `outputs` must not grow without end.
    fn wait(mut self, deadline: Instant, outputs: &[File], cancel: &CancelToken) -> Result<ExitStatus> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if let Some(status) = self.0.wait_timeout(TICK.min(left)).context("its end cannot be awaited")? {
                return Ok(status);
            }
            let is_too_long = |file: &File| file.metadata().is_ok_and(|metadata| metadata.len() > MAX_BYTES);
            if cancel.is_cancelled() {
                bail!("it was interrupted");
            } else if outputs.iter().any(is_too_long) {
                bail!("it printed more than {}: let it print less", bytes(MAX_BYTES));
            } else if left.is_zero() {
                bail!("it did not finish in time and was stopped: raise --timeout or use a shorter command");
            }
        }
    }
}

impl Drop for RunningChild {
    fn drop(&mut self) {
        // After the process has ended, another process may get its number.
        if matches!(self.0.try_wait(), Ok(Some(_))) {
            return;
        }
        #[cfg(unix)]
        {
            use nix::sys::signal::{Signal, killpg};
            let _ = killpg(nix::unistd::Pid::from_raw(self.0.id().cast_signed()), Signal::SIGKILL);
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_as_a_shell_splits_them() {
        let words = |text: &str| text.parse::<CommandLine>().map(|command| command.words);
        assert_eq!(words("./a b  c"), Ok(["./a", "b", "c"].map(str::to_owned).into()));
        assert_eq!(words(r#"'./a b' "c d" e\ f"#), Ok(["./a b", "c d", "e f"].map(str::to_owned).into()));
        // A shell would expand these.
        assert_eq!(words("echo $HOME *"), Ok(["echo", "$HOME", "*"].map(str::to_owned).into()));
        for wrong in ["", " ", "''", "'./a", "./a \\"] {
            assert!(words(wrong).unwrap_err().contains("is not a command"), "{wrong}");
        }
    }

    #[test]
    fn a_bare_program_of_this_project_has_its_name_and_no_arguments() {
        let is_bare = |text: &str| text.parse::<CommandLine>().unwrap().is_bare_nqueens();
        assert!(["nqueens", "old/nqueens", "./nqueens-2.0", "'my builds/nqueens.exe'"].into_iter().all(is_bare));
        assert!(!["old/nqueens count 8", "./sort", "nqueens/sort"].into_iter().any(is_bare));
    }
}
