//! One hostile case: how the program is started, what it may do then, and whether it did.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::program::heed_ignored_signals;

/// The program that is attacked.
pub(super) const PROGRAM: &str = env!("CARGO_BIN_EXE_nqueens");

/// Whether a character shows as itself, after a letter that an accent may combine with.
fn is_harmless(c: char) -> bool {
    matches!(c, '\'' | '"' | '\\') || format!("a{c}").escape_debug().nth(1) == Some(c)
}

/// What is kept of a stream; then its reader goes away, as `head` does.
const KEPT: u64 = 1 << 22;

/// What comes in on standard input.
#[derive(Clone)]
pub(super) enum Input {
    Bytes(Vec<u8>),
    File(PathBuf),
}

/// A hostile case.
#[derive(Clone)]
pub(super) struct Case {
    pub(super) kind: &'static str,
    program: OsString,
    arguments: Vec<OsString>,
    /// The shell's redirections, where streams are closed or lead elsewhere.
    redirections: &'static str,
    input: Input,
    environment: Vec<(OsString, Option<OsString>)>,
    folder: Option<PathBuf>,
    /// Signals that are sent, each so long after the one before.
    signals: Vec<(Duration, Signal)>,
    /// What standard output is where the exit status is 0.
    answer: Option<String>,
    /// Exit statuses that are right here, where not all documented ones are.
    statuses: &'static [i32],
    /// Text that must not be on standard output as it went in.
    forbidden: &'static [&'static str],
    /// Whether standard output may be anything: a picture.
    is_binary: bool,
    /// Whether fields of a table for spreadsheets come out.
    is_csv: bool,
    limit: Duration,
}

impl Case {
    pub(super) fn new<A: AsRef<OsStr>>(kind: &'static str, arguments: impl IntoIterator<Item = A>) -> Self {
        Self {
            kind,
            program: PROGRAM.into(),
            arguments: arguments.into_iter().map(|argument| argument.as_ref().to_owned()).collect(),
            redirections: "",
            input: Input::Bytes(Vec::new()),
            environment: Vec::new(),
            folder: None,
            signals: Vec::new(),
            answer: None,
            statuses: &[],
            forbidden: &[],
            is_binary: false,
            is_csv: false,
            limit: Duration::from_secs(60),
        }
    }

    /// The same with another program: for the test of these checks themselves.
    pub(super) fn program(mut self, program: &Path) -> Self {
        self.program = program.into();
        self
    }

    pub(super) fn input(mut self, input: Input) -> Self {
        self.input = input;
        self
    }

    pub(super) fn redirected(mut self, redirections: &'static str) -> Self {
        self.redirections = redirections;
        self
    }

    /// Sets a variable of the environment, or takes it away.
    pub(super) fn variable(mut self, name: &str, value: Option<&OsStr>) -> Self {
        self.environment.push((name.into(), value.map(OsStr::to_owned)));
        self
    }

    pub(super) fn folder(mut self, folder: &Path) -> Self {
        self.folder = Some(folder.to_owned());
        self
    }

    pub(super) fn signal(mut self, after: Duration, signal: Signal) -> Self {
        self.signals.push((after, signal));
        self
    }

    pub(super) fn answer(mut self, answer: impl Into<String>) -> Self {
        self.answer = Some(answer.into());
        self
    }

    pub(super) fn statuses(mut self, statuses: &'static [i32]) -> Self {
        self.statuses = statuses;
        self
    }

    pub(super) fn forbidden(mut self, forbidden: &'static [&'static str]) -> Self {
        self.forbidden = forbidden;
        self
    }

    pub(super) fn binary(mut self) -> Self {
        self.is_binary = true;
        self
    }

    pub(super) fn csv(mut self) -> Self {
        self.is_csv = true;
        self
    }

    pub(super) fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// How it was started, for a person who wants to see it.
    pub(super) fn in_words(&self) -> String {
        let shown = |text: &OsStr| {
            let text = format!("{text:?}");
            if text.chars().count() > 120 { text.chars().take(120).chain("...".chars()).collect() } else { text }
        };
        let mut said = String::new();
        for (name, value) in &self.environment {
            said += &format!("{}={} ", name.display(), value.as_ref().map_or_else(String::new, |value| shown(value)));
        }
        said += "nqueens";
        for argument in &self.arguments {
            said += &format!(" {}", shown(argument));
        }
        if let Input::File(path) = &self.input {
            said += &format!(" <{}", path.display());
        }
        format!("{said} {}", self.redirections)
    }

    /// Runs it; what is wrong, if anything is.
    pub(super) fn run(&self, documented: &[i32]) -> Result<(), String> {
        let mut child = self.start();
        let began = Instant::now();
        let streams = [read(child.stdout.take()), read(child.stderr.take())];
        let stdin = child.stdin.take();
        let input = self.input.clone();
        let writer = std::thread::spawn(move || {
            if let (Some(mut stdin), Input::Bytes(bytes)) = (stdin, input) {
                // It may stop reading before the end, and that is its right.
                let _ = stdin.write_all(&bytes);
            }
        });
        let group = Pid::from_child(&child);
        for (after, signal) in &self.signals {
            std::thread::sleep(*after);
            // It may have ended by itself.
            let _ = rustix::process::kill_process(group, *signal);
        }
        let status = wait(&mut child, began, self.limit);
        // Whatever it started, the streams' ends are closed now.
        let _ = kill_process_group(group, Signal::KILL);
        let _ = child.wait();
        let [out, err] = streams.map(|stream| stream.join().expect("a reader does not panic"));
        writer.join().expect("a writer does not panic");
        let status = status.ok_or_else(|| format!("it did not end within {:?}", self.limit))?;
        self.check(status, documented, &out, &err)
            .map_err(|problem| format!("{problem}\n{}{}", shortened(&out), shortened(&err)))
    }

    fn start(&self) -> Child {
        heed_ignored_signals();
        let mut command = if self.redirections.is_empty() {
            Command::new(&self.program)
        } else {
            let mut command = Command::new("sh");
            command.arg("-c").arg(format!("exec \"$0\" \"$@\" {}", self.redirections)).arg(&self.program);
            command
        };
        command.args(&self.arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        command.stdin(match &self.input {
            Input::Bytes(bytes) if bytes.is_empty() => Stdio::null(),
            Input::Bytes(_) => Stdio::piped(),
            Input::File(path) => File::open(path).expect("the case has made this file").into(),
        });
        // Where these tests run on GitHub, what they do is not the run's result.
        command.env_remove("GITHUB_ACTIONS").env_remove("GITHUB_STEP_SUMMARY").env_remove("NQUEENS_THREADS");
        for (name, value) in &self.environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command.spawn().expect("the program can be started")
    }

    fn check(&self, status: ExitStatus, documented: &[i32], out: &[u8], err: &[u8]) -> Result<(), String> {
        let is_killed = self.signals.iter().any(|(_, signal)| Some(signal.as_raw()) == status.signal());
        let code = match status.code() {
            Some(code) => code,
            // A signal that comes before the program has begun ends it as it ends any.
            None if is_killed => return Ok(()),
            None => return Err(format!("it was ended by signal {:?}", status.signal())),
        };
        let expected = if self.statuses.is_empty() { documented } else { self.statuses };
        if !expected.contains(&code) {
            return Err(format!("its exit status is {code}, not one of {expected:?}"));
        }
        if let Some(answer) = self.answer.as_ref().filter(|_| code == 0)
            && answer.as_bytes() != out
        {
            return Err(format!("it answered wrong: not {answer:?}"));
        }
        if code == 0 && out.is_empty() && self.answer.is_some() {
            return Err("it answered nothing".to_owned());
        }
        let out = if self.is_binary { &[][..] } else { out };
        // What ends in the middle of a letter was cut off here.
        if [out, err].iter().any(|said| std::str::from_utf8(said).is_err_and(|error| error.error_len().is_some())) {
            return Err("what comes out is no UTF-8".to_owned());
        }
        let out = String::from_utf8_lossy(out);
        for said in [out.as_ref(), &String::from_utf8_lossy(err)] {
            for trace in
                ["panicked at", "stack backtrace", "RUST_BACKTRACE", "overflowed its stack", "AddressSanitizer"]
            {
                if said.contains(trace) {
                    return Err(format!("it panicked: {trace}"));
                }
            }
            // These two write tables and scripts in which a tab is the program's own.
            let has_tabs = ["--units", "completions"].iter().any(|own| self.arguments.iter().any(|it| it == own));
            let is_own = |c| c == '\n' || has_tabs && c == '\t';
            if let Some(c) = said.chars().find(|&c| !is_own(c) && !is_harmless(c)) {
                return Err(format!("the character {c:?} comes out"));
            }
        }
        if let Some(text) = self.forbidden.iter().find(|&&text| out.contains(text)) {
            return Err(format!("{text:?} comes out"));
        }
        match out.lines().flat_map(|line| line.split(',')).find(|field| self.is_csv && is_formula(field)) {
            Some(field) => Err(format!("a spreadsheet takes {field:?} for a formula")),
            None => Ok(()),
        }
    }
}

fn is_formula(field: &str) -> bool {
    field.trim_start_matches('"').starts_with(['=', '+', '-', '@']) && field.parse::<f64>().is_err()
}

/// Reads a stream as far as it is kept, then closes it.
fn read(stream: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(stream) = stream {
            let _ = stream.take(KEPT).read_to_end(&mut bytes);
        }
        bytes
    })
}

/// How it ended, if it did in time.
fn wait(child: &mut Child, began: Instant, limit: Duration) -> Option<ExitStatus> {
    let mut pause = Duration::from_micros(500);
    while began.elapsed() < limit {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            return Some(status);
        }
        std::thread::sleep(pause);
        pause = (pause * 3 / 2).min(Duration::from_millis(50));
    }
    None
}

/// The beginning of what it said, harmless.
fn shortened(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return String::new();
    }
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(400)]).into_owned();
    format!("    | {}\n", text.escape_debug())
}
