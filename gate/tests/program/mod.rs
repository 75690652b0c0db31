//! Runs `abgate`, and writes the scripts that it compares.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// A gate without GitHub's variables.
pub(crate) fn gate(base: &str, head: &str, more: &[&str]) -> Command {
    heed_ignored_signals();
    let mut command = Command::new(env!("CARGO_BIN_EXE_abgate"));
    command.args(["--base", base, "--head", head]).args(more);
    command.env_remove("GITHUB_ACTIONS").env_remove("GITHUB_STEP_SUMMARY").env("LC_ALL", "C");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// How the gate ended, and what it wrote.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The exit status as a shell shows it.
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    /// Fails unless the exit status is `status` and the gate wrote `part`.
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
        // Whatever a command is called or prints, nothing that the gate writes moves the cursor or hides a letter.
        let [stdout, stderr] = [stdout, stderr].map(|bytes| {
            let text = String::from_utf8(bytes).expect("it writes UTF-8");
            assert!(!text.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\u{200b}']), "{text:?}");
            text
        });
        Self { status: status.signal().map(|signal| 128 + signal).or(status.code()), stdout, stderr }
    }
}

/// Runs a command to its end.
pub(crate) fn run(command: &mut Command) -> Ended {
    command.output().unwrap().into()
}

/// Waits for a process to end.
pub(crate) fn end(child: Child) -> Ended {
    child.wait_with_output().unwrap().into()
}

/// Sends a real signal, such as `-INT`, as a terminal or a scheduler does.
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

/// A folder of scripts.
pub(crate) struct Scripts(PathBuf);

impl Drop for Scripts {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Scripts {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let name = format!("{}-{}", std::process::id(), NUMBER.fetch_add(1, Relaxed));
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a script and returns the command that runs it. The file itself is not run: a process that another test is
    /// starting may still have it open for writing.
    pub(crate) fn script(&self, name: &str, body: &str) -> String {
        let path = self.path(name);
        fs::write(&path, format!("{body}\n")).unwrap();
        format!("sh {}", path.display())
    }

    /// A script that keeps the processor busy for some 10 ms.
    pub(crate) fn slow(&self, name: &str) -> String {
        self.slow_after(name, "echo 92")
    }

    /// A script that runs a command, and then keeps the processor busy for some 10 ms.
    pub(crate) fn slow_after(&self, name: &str, command: &str) -> String {
        self.script(name, &format!("{command}\ni=0; while [ $i -lt 10000 ]; do i=$((i + 1)); done"))
    }

    /// A script that waits for 5 ms, then for 20 ms, then for 5 ms, and so on.
    pub(crate) fn alternating(&self, name: &str) -> String {
        let calls = self.path(&format!("{name}.calls"));
        fs::write(&calls, "0\n").unwrap();
        let calls = calls.display();
        let body = format!("read calls <'{calls}'; echo $((calls + 1)) >'{calls}'");
        self.script(name, &format!("{body}; [ $((calls % 2)) = 0 ] && exec sleep 0.005 || exec sleep 0.02"))
    }
}

/// Gives signals that these tests were started to ignore, as `nohup` has it, a handler that does nothing. What is ignored
/// would be ignored by the program that a test starts, too; a handler is not inherited.
fn heed_ignored_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or("0").trim();
        let ignored = u64::from_str_radix(mask, 16).unwrap();
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
            if ignored & (1 << (signal - 1)) != 0 {
                signal_hook::flag::register(signal, std::sync::Arc::default()).unwrap();
            }
        }
    });
}
