//! A command under test: splits its words, runs it once, and measures the time.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::str::FromStr;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::escape::shortened;
use crate::signals;
use crate::units::bytes;

/// The interval of looking for a signal and for too much output. The end of the process is noticed at once.
const TICK: Duration = Duration::from_millis(100);

/// The shortest time of a run, in seconds: the step of the processor's clock.
const SHORTEST: f64 = 1e-6;

/// The longest output, in bytes.
const MAX_OUTPUT: u64 = 64 << 20;

/// A program with its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    /// As it is typed.
    text: String,
    /// The program and its arguments. There is at least one word.
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
    /// Runs the command to its end. A process that is stopped is killed together with its process group.
    pub(crate) fn run(&self, keeps_output: bool, timeout: Duration) -> Result<Finished, String> {
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
            start_process(&mut command).map_err(|error| format!("it cannot be run: {error}{}", self.way_out()))?;
        let (status, end) = wait(child, start + timeout, &outputs)?;
        let elapsed = (end - start).as_secs_f64();
        let processor =
            processor_seconds_of_children().zip(processor_start).map_or(elapsed, |(end, start)| end - start);
        if !status.success() {
            let said = read(&mut outputs[1])?;
            let said = String::from_utf8_lossy(&said);
            let said = match said.trim() {
                "" => "nothing".to_owned(),
                said => format!("\"{}\"", shortened(said, 300)),
            };
            return Err(format!("it ended with {status}; on standard error it said {said}"));
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

/// A file without a name.
fn temporary() -> Result<File, String> {
    let path =
        |number: u32| -> PathBuf { std::env::temp_dir().join(format!("abgate-{}-{number}", std::process::id())) };
    let create = |path| File::options().read(true).write(true).create_new(true).open(path);
    let made = (0..1000).map(|number| (path(number), create(path(number))));
    // A file of this name is of a gate that was killed.
    let is_taken = |made: &io::Result<File>| made.as_ref().is_err_and(|it| it.kind() == io::ErrorKind::AlreadyExists);
    let cannot = |error| format!("no temporary file can be made for its output: {error}");
    let Some((path, file)) = made.into_iter().find(|(_, made)| !is_taken(made)) else {
        return Err(cannot(io::ErrorKind::AlreadyExists.into()));
    };
    let file = file.map_err(cannot)?;
    std::fs::remove_file(path).map_err(cannot)?;
    Ok(file)
}

/// The file as an output of a process.
fn shared(file: &File) -> Result<Stdio, String> {
    Ok(file.try_clone().map_err(|error| format!("its output cannot be kept: {error}"))?.into())
}

fn read(output: &mut File) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = output.rewind().and_then(|()| output.take(MAX_OUTPUT + 1).read_to_end(&mut bytes));
    match read {
        Err(error) => Err(format!("its output cannot be read: {error}")),
        Ok(length) if length as u64 > MAX_OUTPUT => Err(too_much()),
        Ok(_) => Ok(bytes),
    }
}

fn too_much() -> String {
    format!("it printed more than {}: let it print less", bytes(MAX_OUTPUT))
}

/// Starts a process. Tries again for a second if the program's file is still open for writing, as just after a build.
fn start_process(command: &mut Command) -> io::Result<Child> {
    for _ in 0..20 {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                thread::sleep(Duration::from_millis(50));
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

/// Waits for the end of a process, until `deadline` or a signal. `outputs` must not grow without end.
fn wait(mut child: Child, deadline: Instant, outputs: &[File]) -> Result<(ExitStatus, Instant), String> {
    let id = child.id();
    let (ended, end) = mpsc::channel();
    // A thread waits. So no handler of SIGCHLD is needed.
    let waiting = move || ended.send((child.wait(), Instant::now())).unwrap_or(());
    let mut why = match thread::Builder::new().spawn(waiting) {
        Ok(_) => None,
        Err(error) => Some(format!("no thread can wait for it: {error}")),
    };
    while why.is_none() {
        let left = deadline.saturating_duration_since(Instant::now());
        let is_too_long = |file: &File| file.metadata().is_ok_and(|metadata| metadata.len() > MAX_OUTPUT);
        why = match end.recv_timeout(TICK.min(left)) {
            Ok((Ok(status), end)) => return Ok((status, end)),
            Ok((Err(error), _)) => return Err(format!("its end cannot be awaited: {error}")),
            Err(RecvTimeoutError::Timeout) if signals::caught().is_some() => Some("it was interrupted".to_owned()),
            Err(RecvTimeoutError::Timeout) if outputs.iter().any(is_too_long) => Some(too_much()),
            Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                Some("it did not finish in time and was stopped: raise --timeout or use a shorter command".to_owned())
            }
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some("its end cannot be awaited".to_owned()),
        };
    }
    kill(id);
    let _ = end.recv();
    Err(why.unwrap_or_default())
}

/// Kills a process and its process group.
fn kill(id: u32) {
    #[cfg(unix)]
    {
        use nix::sys::signal::{Signal, killpg};
        let _ = killpg(nix::unistd::Pid::from_raw(id.cast_signed()), Signal::SIGKILL);
    }
    #[cfg(not(unix))]
    let _ = Command::new("taskkill").args(["/F", "/T", "/PID", &id.to_string()]).output();
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
}
