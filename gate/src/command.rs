//! A command under test: splits its words, runs it once, and measures the time.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::str::FromStr;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::judge::Run;
use crate::options::Args;
use crate::processes::{self, End, STOPPING, end_left_over, kill, usage_of_children};
use crate::signals;
use crate::units::shortened;
use crate::watch::Watch;

/// The time between two looks for a signal and for too much output. The end of the process is noticed at once.
const TICK: Duration = Duration::from_millis(100);

/// The shortest time of a run, in seconds: the step of the processor's clock.
const SHORTEST: f64 = 1e-6;

/// The most that a run may print, in bytes, because the gate keeps two outputs in memory to compare them. The help
/// names it.
const MAX_OUTPUT: u64 = 64 << 20;

const TOO_MUCH: &str = "it printed more than 64 MiB: let it print less";

/// A program with its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandLine {
    /// As the user typed it.
    pub(crate) text: String,
    /// The program and its arguments: at least one word.
    words: Vec<String>,
}

/// One run of a command.
#[derive(Debug)]
pub(crate) struct Finished {
    /// The times and the memory of the run. Its processor time includes the time of child processes that ended, and is
    /// the elapsed time on Windows.
    pub(crate) run: Run,
    pub(crate) status: ExitStatus,
    /// Standard output, or nothing if the command may print anything.
    pub(crate) output: Vec<u8>,
}

/// Why a run cannot be timed.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) kind: ProblemKind,
    pub(crate) why: String,
}

/// What a problem means for the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProblemKind {
    /// The program may not exist yet, or may not know this command yet.
    MayBeNew,
    /// It took longer than the budget.
    TooLong,
    /// The command or the machine is at fault.
    Other,
}

impl From<String> for Problem {
    fn from(why: String) -> Self {
        Self { kind: ProblemKind::Other, why }
    }
}

impl FromStr for CommandLine {
    type Err = String;

    /// Splits a command as a shell does. Nothing else that a shell does happens, so its other signs are errors unless
    /// quoted.
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
                "'{text}' has {sign:?}, which only a shell understands, and no shell runs the command: give \"sh \
                 -c {line}\", or quote the sign"
            ));
        }
        if is_assignment(program) {
            return Err(format!("'{text}' sets a variable, which only a shell does: give 'env {}'", text.trim_start()));
        }
        Ok(Self { text: text.to_owned(), words })
    }
}

/// Whether a shell would set a variable for this word, such as `A=1`, instead of running it.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
    })
}

/// The first sign that would mean something to a shell where it stands. Between `"`, only variables and backticks do.
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
    /// with all that it started.
    pub(crate) fn run(&self, args: &Args, watch: &Watch) -> Result<Finished, Problem> {
        // Output goes to files, because a pipe would have to be read while the process runs.
        let mut outputs = [temporary()?, temporary()?];
        let mut command = self.command(args, &outputs)?;
        let deadline = watch.elapsed() + args.budget;
        let (start, before) = (Instant::now(), usage_of_children());
        let child = command.spawn().map_err(|error| self.cannot_start(&error))?;
        let id = child.id();
        let ended = wait(child, deadline, watch, &outputs);
        let left = end_left_over(id);
        let End { status, moment, queued, memory } = ended?;
        let elapsed = (moment - start).as_secs_f64();
        let [processor, waits] = match usage_of_children().zip(before) {
            Some((after, before)) => [0, 1].map(|which| after[which] - before[which]),
            None => [elapsed, 0.0],
        };
        let times = [processor, elapsed - queued].map(|time| time.max(SHORTEST));
        if outputs.iter().any(is_too_long) {
            return Err(TOO_MUCH.to_owned().into());
        }
        let is_fine = status.success() || args.ignore_failure && status.code().is_some();
        if !is_fine {
            let said = read(&mut outputs[1])?;
            let said = match String::from_utf8_lossy(&said).trim() {
                "" => "and printed nothing on standard error".to_owned(),
                said => format!("and printed on standard error \"{}\"", shortened(said, 300)),
            };
            let kind = if status.code().is_some() { ProblemKind::MayBeNew } else { ProblemKind::Other };
            return Err(Problem { kind, why: format!("it ended with {status}, {said}") });
        }
        if let Some(left) = left {
            return Err(format!(
                "it left {left} running, which nobody can measure and which the gate stopped: let the command wait for all \
                 that it starts, and start a service that it needs before the gate"
            )
            .into());
        }
        Ok(Finished { run: Run { times, waits, memory }, status, output: read(&mut outputs[0])? })
    }

    /// The process to start, with its standard streams.
    fn command(&self, args: &Args, [out, err]: &[File; 2]) -> Result<Command, String> {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).stderr(shared(err)?);
        command.stdin(match &args.input {
            Some(path) => {
                File::open(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))?.into()
            }
            None => Stdio::null(),
        });
        command.stdout(if args.any_output { Stdio::null() } else { shared(out)? });
        // In a group of its own, a script is killed together with what it started.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        Ok(command)
    }

    fn cannot_start(&self, error: &std::io::Error) -> Problem {
        let program = &self.words[0];
        let is_name = !program.contains(std::path::is_separator);
        let hint = if is_name { "; for a file in this folder give its path, such as ./program" } else { "" };
        // In a folder that does not exist, every program would be new.
        let has_folder = Path::new(program).parent().is_some_and(Path::is_dir);
        let may_be_new = error.kind() == ErrorKind::NotFound && has_folder;
        let kind = if may_be_new { ProblemKind::MayBeNew } else { ProblemKind::Other };
        Problem { kind, why: format!("it cannot be run: {error}{hint}") }
    }
}

/// A file without a name.
fn temporary() -> Result<File, String> {
    let folder = std::env::temp_dir();
    tempfile::tempfile_in(&folder).map_err(|error| {
        format!("no file for its output can be made in {}: {error}; set TMPDIR to another folder", folder.display())
    })
}

/// The file as an output of a process.
fn shared(file: &File) -> Result<Stdio, String> {
    Ok(file.try_clone().map_err(|error| format!("its output cannot be kept: {error}"))?.into())
}

/// Whether a run printed more to this file than it may.
fn is_too_long(output: &File) -> bool {
    output.metadata().is_ok_and(|metadata| metadata.len() > MAX_OUTPUT)
}

/// All that a run printed to this file.
fn read(output: &mut File) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = output.rewind().and_then(|()| output.take(MAX_OUTPUT).read_to_end(&mut bytes));
    read.map_err(|error| format!("its output cannot be read: {error}"))?;
    Ok(bytes)
}

/// Waits until the process ends, and kills it at the `deadline`, after a signal, or when one of its `outputs` is too
/// long.
fn wait(mut child: Child, deadline: Duration, watch: &Watch, outputs: &[File]) -> Result<End, Problem> {
    let id = child.id();
    let (ended, end) = mpsc::channel();
    // A thread waits, so no handler of SIGCHLD is needed.
    let waiting = thread::Builder::new().spawn(move || ended.send(processes::wait(&mut child)));
    if let Err(error) = waiting {
        kill(id);
        return Err(format!("the system refuses a thread, so it was stopped: {error}").into());
    }
    loop {
        let left = deadline.saturating_sub(watch.elapsed());
        let (kind, why) = match end.recv_timeout(TICK.min(left)) {
            Ok(Ok(end)) => return Ok(end),
            Ok(Err(error)) => return Err(format!("its end cannot be awaited: {error}").into()),
            Err(_) if signals::caught().is_some() => (ProblemKind::Other, "it was interrupted"),
            Err(_) if outputs.iter().any(is_too_long) => (ProblemKind::Other, TOO_MUCH),
            Err(_) if left.is_zero() => {
                (ProblemKind::TooLong, "it did not finish in the budget: raise --budget or use a shorter command")
            }
            Err(_) => continue,
        };
        kill(id);
        // A process of another user cannot be stopped.
        let after = match end.recv_timeout(STOPPING) {
            Ok(_) => "it and all that it started were stopped".to_owned(),
            Err(_) => format!("process {id} cannot be stopped and still runs"),
        };
        return Err(Problem { kind, why: format!("{why}; {after}") });
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

    #[test]
    fn signs_of_a_shell_are_refused_unless_they_are_quoted() {
        let problem = |text: &str| text.parse::<CommandLine>().err();
        let said = problem("./old < big.txt").unwrap();
        assert!(said.contains("has '<'") && said.contains("give \"sh -c './old < big.txt'\""), "{said}");
        let wrong = r#"a >b, a | b, a & b, a; b, a *.txt, a b?, a [ab], a {1}, (a), a $HOME, a "$HOME", ~/a, a `b`, a "`b`", a #b, a 'b' $c"#;
        for wrong in wrong.split(", ").chain(["a\nb"]) {
            assert!(problem(wrong).is_some_and(|said| said.contains("sh -c ")), "{wrong}");
        }
        let said = problem("FOO=1 ./new").unwrap();
        assert!(said.contains("sets a variable") && said.contains("give 'env FOO=1 ./new'"), "{said}");
        for fine in
            r#"./a=1, 1=a, =a, a-b=c, a '<' "*" \; '$HOME', awk '{ print $1 }' b, a b~ c#d --e=f, ./a=b/c, env A=1 ./a, a "\$b""#.split(", ")
        {
            assert_eq!(problem(fine), None, "{fine}");
        }
    }
}
