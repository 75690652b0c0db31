//! Splits a command under test into words, runs it once and measures the run.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::str::FromStr;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::measurement::Run;
use crate::options::Args;
use crate::processes::{self, End, STOPPING, end_left_over, kill, usage_of_children};
use crate::signals;
use crate::units::shortened;
use crate::watch::Watch;

/// The time between two checks for a signal and for too much output. The end of the process is noticed at once.
const TICK: Duration = Duration::from_millis(100);

/// The shortest time of a run in seconds, which is the resolution of the processor's clock.
const SHORTEST: f64 = 1e-6;

/// The largest output of a run in bytes, which the help names. The gate compares two outputs in memory.
const MAX_OUTPUT: u64 = 64 << 20;

const TOO_MUCH: &str = "printed more than 64 MiB: make it print less";

/// A program with its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandLine {
    /// The text that the user typed.
    pub(crate) text: String,
    /// The program and its arguments, at least one word.
    words: Vec<String>,
}

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
    /// The machine or the gate is at fault.
    Machine,
}

impl ProblemKind {
    fn because(self, why: impl Into<String>) -> Problem {
        Problem { kind: self, why: why.into() }
    }
}

impl FromStr for CommandLine {
    type Err = String;

    /// Splits a command into words as a shell does. No shell runs it, so any other special character of a shell is an
    /// error unless it is quoted.
    fn from_str(text: &str) -> Result<Self, String> {
        let words = shlex::split(text)
            .ok_or_else(|| format!("'{text}' is not a command: a quote is not closed, or a backslash ends it"))?;
        let Some(program) = words.first().filter(|word| !word.is_empty()) else {
            return Err(format!(
                "'{text}' is not a command: give a program and its arguments, such as './sort big.txt'"
            ));
        };
        if let Some(sign) = sign_of_shell(text) {
            let line = shlex::try_quote(text).unwrap_or_default();
            return Err(format!(
                "'{text}' contains {sign:?}, which only a shell understands, and no shell runs the command: give \"sh \
                 -c {line}\", or quote that character"
            ));
        }
        if is_assignment(program) {
            return Err(format!("'{text}' sets a variable, which only a shell does: give 'env {}'", text.trim_start()));
        }
        Ok(Self { text: text.to_owned(), words })
    }
}

/// Returns whether a shell would set a variable for this word, such as `A=1`, instead of running it.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
    })
}

/// Returns the first character that a shell would interpret. Between double quotes, only `$` and the backtick are such
/// characters.
fn sign_of_shell(text: &str) -> Option<char> {
    let (mut quote, mut is_start, mut letters) = (None, true, text.chars());
    while let Some(c) = letters.next() {
        match (quote, c) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None | Some('"'), '\\') => _ = letters.next(),
            (None | Some('"'), '$' | '`') => return Some(c),
            (None, '<' | '>' | '|' | '&' | ';' | '*' | '?' | '[' | '{' | '(' | '\n') => return Some(c),
            (None, '~' | '#') if is_start => return Some(c),
            _ => {}
        }
        is_start = c.is_whitespace();
    }
    None
}

impl CommandLine {
    /// Runs the command to its end. If it takes too long or prints too much, or a signal comes, it is killed together
    /// with everything that it started.
    pub(crate) fn run(&self, args: &Args, watch: &Watch) -> Result<Finished, Problem> {
        // Reading from a pipe would disturb the run, so its output goes to files.
        let [out, err] = [temporary()?, temporary()?];
        let mut command = self.command(args, [&out, &err])?;
        let deadline = watch.elapsed() + args.budget;
        let (start, before) = (Instant::now(), usage_of_children());
        let child = command.spawn().map_err(|error| self.cannot_start(&error))?;
        let id = child.id();
        let ended = wait(child, deadline, watch, [&out, &err]);
        let left = end_left_over(id);
        let End { status, moment, queued, memory } = ended?;
        let elapsed = (moment - start).as_secs_f64();
        let [processor, waits] = match usage_of_children().zip(before) {
            Some((after, before)) => [0, 1].map(|which| after[which] - before[which]),
            None => [elapsed, 0.0],
        };
        let times = [processor, elapsed - queued].map(|time| time.max(SHORTEST));
        let (output, error_output) = (read(out)?, read(err)?);

        let code = status.code();
        // Rust says `exit status: 1`.
        let status = status.to_string().replacen(": ", " ", 1);
        if code != Some(0) && !(args.ignore_failure && code.is_some()) {
            let said = match String::from_utf8_lossy(&error_output).trim() {
                "" => "nothing".to_owned(),
                said => format!("\"{}\"", shortened(said, 300)),
            };
            let kind = if code.is_some() { ProblemKind::MayBeNew } else { ProblemKind::Command };
            return Err(kind.because(format!("ended with {status} and printed {said} on standard error")));
        }
        if let Some(left) = left {
            return Err(ProblemKind::Command.because(format!(
                "left {left} running, which the gate cannot measure and has stopped: make the command wait for \
                 everything that it starts, and start a service that it needs before the gate"
            )));
        }
        Ok(Finished { run: Run { times, waits, memory }, status, output })
    }

    /// Returns the process to start, with its standard streams.
    fn command(&self, args: &Args, [out, err]: [&File; 2]) -> Result<Command, Problem> {
        let shared = |file: &File| file.try_clone().map(Stdio::from).map_err(|error| cannot_save(&error));
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).stderr(shared(err)?);
        command.stdout(if args.any_output { Stdio::null() } else { shared(out)? });
        command.stdin(match &args.input {
            Some(path) => Stdio::from(File::open(path).map_err(|error| {
                ProblemKind::Machine.because(format!("cannot read the input {}: {error}", path.display()))
            })?),
            None => Stdio::null(),
        });
        // In a group of its own, a script is killed together with the processes that it started.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        Ok(command)
    }

    fn cannot_start(&self, error: &io::Error) -> Problem {
        if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::OutOfMemory) {
            return ProblemKind::Machine.because(format!("cannot start another process: {error}"));
        }
        let program = &self.words[0];
        let path = Path::new(program);
        // A program without a separator is looked up in PATH.
        if path.is_dir() && program.contains(std::path::is_separator) {
            return ProblemKind::Command.because("cannot be run: it is a folder: give the path of a program in it");
        }
        let is_missing = error.kind() == ErrorKind::NotFound;
        let hint = if !is_missing {
            ""
        } else if !program.contains(std::path::is_separator) {
            "; for a file in this folder give its path, such as ./program"
        } else if path.exists() {
            "; the file exists, but the interpreter or loader that it names does not"
        } else {
            ""
        };
        // In a folder that does not exist, every program would be new.
        let may_be_new = is_missing && !path.exists() && path.parent().is_some_and(Path::is_dir);
        let kind = if may_be_new { ProblemKind::MayBeNew } else { ProblemKind::Command };
        kind.because(format!("cannot be run: {error}{hint}"))
    }
}

/// Creates a file without a name for the output of a run.
fn temporary() -> Result<File, Problem> {
    tempfile::tempfile_in(std::env::temp_dir()).map_err(|error| cannot_save(&error))
}

fn cannot_save(error: &io::Error) -> Problem {
    let folder = std::env::temp_dir();
    ProblemKind::Machine.because(format!(
        "cannot save the output of a command in {}: {error}: make room there, or set TMPDIR to another folder",
        folder.display()
    ))
}

/// Returns whether a run printed more to this file than it may.
fn is_too_long(output: &File) -> bool {
    output.metadata().is_ok_and(|metadata| metadata.len() > MAX_OUTPUT)
}

/// Returns everything that a run printed to this file.
///
/// # Errors
/// Fails if the file cannot take more. On a full disk, a command that ignores the error succeeds although a part of its
/// output is missing, so two different outputs may look the same.
fn read(mut output: File) -> Result<Vec<u8>, Problem> {
    /// Enough to need another block of the file system.
    const MORE: usize = 1 << 14;
    if is_too_long(&output) {
        return Err(ProblemKind::Command.because(TOO_MUCH));
    }
    let mut bytes = Vec::new();
    let read = output.rewind().and_then(|()| (&output).take(MAX_OUTPUT).read_to_end(&mut bytes));
    read.and_then(|_| output.write_all(&[0; MORE])).map_err(|error| cannot_save(&error))?;
    Ok(bytes)
}

/// Waits until the process ends, and kills it at the `deadline`, after a signal, or when one of its `outputs` is too
/// long.
fn wait(mut child: Child, deadline: Duration, watch: &Watch, outputs: [&File; 2]) -> Result<End, Problem> {
    let id = child.id();
    let (ended, end) = mpsc::channel();
    // A thread waits, so no handler of SIGCHLD is needed.
    let waiting = thread::Builder::new().spawn(move || ended.send(processes::wait(&mut child)));
    if let Err(error) = waiting {
        kill(id);
        return Err(ProblemKind::Machine.because(format!("cannot start a thread to wait for a command: {error}")));
    }
    loop {
        let left = deadline.saturating_sub(watch.elapsed());
        let (kind, why) = match end.recv_timeout(TICK.min(left)) {
            Ok(Ok(end)) => return Ok(end),
            Ok(Err(error)) => {
                kill(id);
                return Err(ProblemKind::Command.because(error.to_string()));
            }
            Err(_) if signals::caught().is_some() => (ProblemKind::Command, "was interrupted"),
            Err(_) if outputs.into_iter().any(is_too_long) => (ProblemKind::Command, TOO_MUCH),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_as_a_shell_splits_them() {
        let words = |text: &str| text.parse::<CommandLine>().map(|command| command.words);
        assert_eq!(words(r#"'./a b' "c d"  e\ f"#), Ok(["./a b", "c d", "e f"].map(str::to_owned).into()));
        for wrong in ["", " ", "''", "'./a", "./a \\"] {
            assert!(words(wrong).unwrap_err().contains("is not a command"), "{wrong}");
        }
    }

    /// Trap: a limit on processes is not the fault of the command that is about to start.
    #[test]
    fn a_machine_that_refuses_a_process_is_blamed_and_no_command() {
        let problem = |kind: ErrorKind| "./head".parse::<CommandLine>().unwrap().cannot_start(&kind.into());
        for (kind, expected, said) in [
            (ErrorKind::WouldBlock, ProblemKind::Machine, "cannot start another process: "),
            (ErrorKind::PermissionDenied, ProblemKind::Command, "cannot be run: "),
            (ErrorKind::NotFound, ProblemKind::MayBeNew, "cannot be run: "),
        ] {
            let Problem { kind, why } = problem(kind);
            assert!(kind == expected && why.starts_with(said), "{why}");
        }
    }

    #[test]
    fn signs_of_a_shell_are_refused_unless_they_are_quoted() {
        let problem = |text: &str| text.parse::<CommandLine>().err();
        let said = problem("./old < big.txt").unwrap();
        assert!(said.contains("contains '<'") && said.contains("give \"sh -c './old < big.txt'\""), "{said}");
        let wrong = r#"a >b, a | b, a & b, a; b, a *.txt, a b?, a [ab], a {1}, (a), a $HOME, a "$HOME", ~/a, a `b`,
            a "`b`", a #b, a 'b' $c"#;
        for wrong in wrong.split(',').map(str::trim).chain(["a\nb"]) {
            assert!(problem(wrong).is_some_and(|said| said.contains("sh -c ")), "{wrong}");
        }
        let said = problem("FOO=1 ./new").unwrap();
        assert!(said.contains("sets a variable") && said.contains("give 'env FOO=1 ./new'"), "{said}");
        let fine = r#"./a=1, 1=a, =a, a-b=c, a '<' "*" \; '$HOME', awk '{ print $1 }' b, a b~ c#d --e=f, ./a=b/c,
            env A=1 ./a, a "\$b""#;
        for fine in fine.split(',').map(str::trim) {
            assert_eq!(problem(fine), None, "{fine}");
        }
    }
}
