//! Runs programs in tests, and records how they end and what they write. The tests of both programs use this package,
//! which is never published.

#![forbid(unsafe_code)]

use std::process::{Child, Command, Output};
use std::time::{Duration, Instant};

/// How a program ended, and what it wrote.
#[derive(Debug)]
pub struct Ended {
    /// The exit status as a shell shows it: 128 plus the number of the signal if a signal ended the program.
    pub status: Option<i32>,
    /// The text on standard output.
    pub stdout: String,
    /// The text on standard error.
    pub stderr: String,
}

impl Ended {
    /// Asserts that the exit status is `status` and that the program wrote `part`.
    ///
    /// # Panics
    /// Panics if the assertion fails.
    #[track_caller]
    pub fn expect(&self, status: i32, part: &str) {
        let is_told = self.stdout.contains(part) || self.stderr.contains(part);
        assert!(self.status == Some(status) && is_told, "not {status} with {part:?}, but {self:#?}");
    }

    /// Parses standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }
}

impl From<Output> for Ended {
    fn from(Output { status, stdout, stderr }: Output) -> Self {
        // Whatever its input, a program must not move the cursor or hide a letter.
        let [stdout, stderr] = [stdout, stderr].map(|bytes| {
            let text = String::from_utf8(bytes).expect("it writes UTF-8");
            assert!(!text.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\u{200b}']), "{text:?}");
            text
        });
        // A shell loop stops if Ctrl-C kills its command, but continues if the command only exits with 130.
        assert!(status.code().is_none_or(|code| code < 128), "{status}, but it did not die by a signal: {stderr}");
        #[cfg(unix)]
        let signal = std::os::unix::process::ExitStatusExt::signal(&status);
        #[cfg(not(unix))]
        let signal: Option<i32> = None;
        Self { status: signal.map(|signal| 128 + signal).or(status.code()), stdout, stderr }
    }
}

/// Runs a command to its end.
pub fn run(command: &mut Command) -> Ended {
    command.output().unwrap().into()
}

/// Waits for a process to end.
pub fn end(child: Child) -> Ended {
    child.wait_with_output().unwrap().into()
}

/// Sends a signal such as `-INT`, as a terminal or a scheduler does.
#[cfg(unix)]
pub fn send(signal: &str, child: &Child) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

/// Waits for a condition, and fails after two minutes.
#[track_caller]
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(120), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
