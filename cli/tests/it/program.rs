//! The program as tests run it.

use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

/// The folder of the whole project.
pub(crate) const PROJECT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Says what is not tested because something is missing. In CI that is a failure.
pub(crate) fn skipped(why: &str) {
    assert!(std::env::var_os("CI").is_none(), "not tested: {why}");
    eprintln!("not tested: {why}");
}

/// A record of a real machine.
pub(crate) const SMALL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/records/small.json");
pub(crate) const LARGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/records/large.json");

/// The program with these arguments, without standard input, its output kept. No variable that is set here reaches it.
pub(crate) fn nqueens(arguments: &[&str]) -> Command {
    heed_ignored_signals();
    let mut command = Command::new(env!("CARGO_BIN_EXE_nqueens"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env_remove("GITHUB_ACTIONS");
    command
}

/// The program as it is typed in a folder: `line` is its arguments with spaces between them.
pub(crate) fn typed(folder: &Path, line: &str) -> Command {
    let mut command = nqueens(&line.split(' ').collect::<Vec<_>>());
    command.current_dir(folder);
    command
}

/// A line of a shell in a folder. The shell finds the program by its name.
pub(crate) fn shell(folder: &Path, line: &str) -> Command {
    heed_ignored_signals();
    let program = Path::new(env!("CARGO_BIN_EXE_nqueens")).parent().unwrap();
    let mut shell = Command::new("sh");
    shell.env("PATH", format!("{}:{}", program.display(), std::env::var("PATH").unwrap()));
    shell.args(["-c", line]).current_dir(folder);
    shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Variables that change what the program says.
    for variable in ["GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "NQUEENS_MACHINE"] {
        shell.env_remove(variable);
    }
    shell
}

/// How the program ended, and what it wrote.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    /// Fails unless the exit status is `status` and the program wrote `part`.
    #[track_caller]
    pub(crate) fn expect(&self, status: i32, part: &str) {
        let is_told = self.stdout.contains(part) || self.stderr.contains(part);
        assert!(self.status == Some(status) && is_told, "not {status} with {part:?}, but {self:#?}");
    }

    /// Its standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }
}

impl From<Output> for Ended {
    fn from(Output { status, stdout, stderr }: Output) -> Self {
        // Whatever the program was given, nothing that it writes moves the cursor or hides a letter.
        let [stdout, stderr] = [stdout, stderr].map(|bytes| {
            let text = String::from_utf8(bytes).expect("it writes UTF-8");
            assert!(!text.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\u{200b}']), "{text:?}");
            text
        });
        Self { status: shown(status), stdout, stderr }
    }
}

/// The exit status as a shell shows it: 128 and the number of the signal that ended the program, if one did.
pub(crate) fn shown(status: ExitStatus) -> Option<i32> {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Some(128 + signal);
    }
    status.code()
}

/// Runs a command to its end.
pub(crate) fn run(command: &mut Command) -> Ended {
    command.output().unwrap().into()
}

/// Waits for a process to end.
pub(crate) fn end(child: Child) -> Ended {
    child.wait_with_output().unwrap().into()
}

/// What a line prints that must succeed.
#[track_caller]
pub(crate) fn answer(folder: &Path, line: &str) -> String {
    let ended = run(&mut typed(folder, line));
    assert_eq!(ended.status, Some(0), "{line}: {ended:#?}");
    ended.stdout
}

/// What a line says that must print nothing and end with this status.
#[track_caller]
pub(crate) fn complaint(folder: &Path, status: i32, line: &str) -> String {
    let ended = run(&mut typed(folder, line));
    assert_eq!((ended.status, ended.stdout.as_str()), (Some(status), ""), "{line}: {ended:#?}");
    ended.stderr
}

/// Sends a real signal, such as `-INT`, as a terminal or a scheduler does.
#[cfg(unix)]
pub(crate) fn send(signal: &str, child: &Child) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

/// Waits until something is so, for two minutes at most.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(120), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The signals that a process ignores (`SigIgn:`) or catches (`SigCgt:`), a bit each. Only Linux tells.
#[cfg(unix)]
pub(crate) fn mask_of_signals(process: &str, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix(name));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Gives signals that these tests were started to ignore, as `nohup` has it, a handler that does nothing. What is ignored
/// would be ignored by the program that a test starts, too; a handler is not inherited.
pub(crate) fn heed_ignored_signals() {
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| {
            let ignored = mask_of_signals("self", "SigIgn:");
            for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
                if ignored & (1 << (signal - 1)) != 0 {
                    signal_hook::flag::register(signal, std::sync::Arc::default()).unwrap();
                }
            }
        });
    }
}
