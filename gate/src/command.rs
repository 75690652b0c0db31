//! A command under test: splits its words, runs it once, and measures the time.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::str::FromStr;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::escape::shortened;
use crate::judge::Run;
use crate::options::Args;
use crate::processes::{self, End, end_group, kill, usage_of_children};
use crate::signals;

/// The interval of looking for a signal and for too much output. The end of the process is noticed at once.
const TICK: Duration = Duration::from_millis(100);

/// How long a process may take to end after it is killed.
const STOPPING: Duration = Duration::from_secs(5);

/// The shortest time of a run, in seconds: the step of the processor's clock.
const SHORTEST: f64 = 1e-6;

/// The longest output, in bytes.
const MAX_OUTPUT: u64 = 64 << 20;

const TOO_MUCH: &str = "it printed more than 64 MiB: let it print less";

/// A program with its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandLine {
    /// As it is typed.
    pub(crate) text: String,
    /// The program and its arguments. There is at least one word.
    words: Vec<String>,
}

/// One run of a command.
#[derive(Debug)]
pub(crate) struct Finished {
    /// The processor time is that of the process and of its children that ended. Without Unix it is the elapsed time.
    pub(crate) run: Run,
    pub(crate) status: ExitStatus,
    /// What it wrote to standard output. Empty if nobody asked for it.
    pub(crate) output: Vec<u8>,
}

/// Why a run tells nothing.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) why: String,
    /// Whether the program or what it is asked for may not exist yet.
    pub(crate) may_be_new: bool,
}

impl From<String> for Problem {
    fn from(why: String) -> Self {
        Self { why, may_be_new: false }
    }
}

impl FromStr for CommandLine {
    type Err = String;

    /// Splits a command as a shell does. Nothing else of a shell works, so its other signs are refused unless quoted.
    fn from_str(text: &str) -> Result<Self, String> {
        let words = shlex::split(text)
            .ok_or_else(|| format!("'{text}' is not a command: a quote is not closed, or a backslash is at its end"))?;
        if words.first().is_none_or(String::is_empty) {
            return Err(format!(
                "'{text}' is not a command: give a program and its arguments, such as './sort big.txt'"
            ));
        }
        if let Some(sign) = sign_of_shell(text) {
            let line = shlex::try_quote(text).unwrap_or_default();
            return Err(format!(
                "'{text}' has {sign:?}, which only a shell understands, and no shell runs the command: give \"sh \
                 -c {line}\", or quote the sign"
            ));
        }
        Ok(Self { text: text.to_owned(), words })
    }
}

/// The first sign outside of quotes that a shell does not take as it stands. Between `"`, a shell replaces variables.
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
    /// Runs the command to its end. A process that is stopped is killed together with all that it started.
    pub(crate) fn run(&self, args: &Args) -> Result<Finished, Problem> {
        // Output goes to files. A pipe would have to be read while the process runs.
        let mut outputs = [temporary()?, temporary()?];
        let program = &self.words[0];
        let mut command = Command::new(program);
        command.args(&self.words[1..]).stderr(shared(&outputs[1])?);
        command.stdin(match &args.input {
            Some(path) => {
                File::open(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))?.into()
            }
            None => Stdio::null(),
        });
        command.stdout(if args.any_output { Stdio::null() } else { shared(&outputs[0])? });
        // A script is killed together with what it started.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let (start, before) = (Instant::now(), usage_of_children());
        let child = command.spawn().map_err(|error| {
            let is_name = !program.contains(std::path::is_separator);
            let hint = if is_name { "; for a file in this folder give its path, such as ./program" } else { "" };
            // In a folder that does not exist, every program would be new.
            let has_folder = Path::new(program).parent().is_some_and(Path::is_dir);
            let may_be_new = error.kind() == ErrorKind::NotFound && has_folder;
            Problem { why: format!("it cannot be run: {error}{hint}"), may_be_new }
        })?;
        let id = child.id();
        let ended = wait(child, start + args.budget, &outputs);
        let has_left = end_group(id);
        let End { status, moment, queued, memory } = ended?;
        let elapsed = (moment - start).as_secs_f64();
        let [processor, waits] = match usage_of_children().zip(before) {
            Some((after, before)) => [0, 1].map(|which| after[which] - before[which]),
            None => [elapsed, 0.0],
        };
        let times = [processor, elapsed - queued].map(|time| time.max(SHORTEST));
        let is_fine = status.success() || args.ignore_failure && status.code().is_some();
        if !is_fine {
            let said = read(&mut outputs[1])?;
            let said = shortened(String::from_utf8_lossy(&said).trim(), 300);
            let why = format!("it ended with {status}; on standard error it said \"{said}\"");
            return Err(Problem { why, may_be_new: status.code().is_some() });
        }
        if has_left {
            let why = "when it ended, a process of its group was still running and was stopped, and nobody can measure that: \
                       let the command wait for all that it starts";
            return Err(why.to_owned().into());
        }
        Ok(Finished { run: Run { times, waits, memory }, status, output: read(&mut outputs[0])? })
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

fn read(output: &mut File) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = output.rewind().and_then(|()| output.take(MAX_OUTPUT + 1).read_to_end(&mut bytes));
    match read {
        Err(error) => Err(format!("its output cannot be read: {error}")),
        Ok(length) if length as u64 > MAX_OUTPUT => Err(TOO_MUCH.to_owned()),
        Ok(_) => Ok(bytes),
    }
}

/// Waits for the end of a process, until `deadline` or a signal. `outputs` must not grow without end.
fn wait(mut child: Child, deadline: Instant, outputs: &[File]) -> Result<End, String> {
    let id = child.id();
    let is_too_long = |file: &File| file.metadata().is_ok_and(|metadata| metadata.len() > MAX_OUTPUT);
    let (ended, end) = mpsc::channel();
    // A thread waits. So no handler of SIGCHLD is needed.
    let waiting = thread::Builder::new().spawn(move || ended.send(processes::wait(&mut child)));
    if let Err(error) = waiting {
        kill(id);
        return Err(format!("the system refuses a thread, so it was stopped: {error}"));
    }
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let why = match end.recv_timeout(TICK.min(left)) {
            Ok(Ok(end)) => return Ok(end),
            Ok(Err(error)) => return Err(format!("its end cannot be awaited: {error}")),
            Err(_) if signals::caught().is_some() => "it was interrupted",
            Err(_) if outputs.iter().any(is_too_long) => TOO_MUCH,
            Err(_) if left.is_zero() => "it did not finish in the budget: raise --budget or use a shorter command",
            Err(_) => continue,
        };
        kill(id);
        // A process of another user, or in another group, cannot be stopped.
        return match end.recv_timeout(STOPPING) {
            Ok(_) => Err(format!("{why}; it and its process group were stopped")),
            Err(_) => Err(format!("{why}; process {id} cannot be stopped and still runs")),
        };
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
        for fine in
            r#"a '<' "*" \; '$HOME', awk '{ print $1 }' b, a b~ c#d --e=f, ./a=b/c, env A=1 ./a, a "\$b""#.split(", ")
        {
            assert_eq!(problem(fine), None, "{fine}");
        }
    }
}
