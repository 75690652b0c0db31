//! How a program that a test runs has ended. The tests of both programs use it; it is never published.

#![forbid(unsafe_code)]

use std::process::{Child, Command, Output};
use std::time::{Duration, Instant};

/// How a program ended, and what it wrote.
#[derive(Debug)]
pub struct Ended {
    /// As a shell shows it: 128 and the number of the signal that ended the program, if one did.
    pub status: Option<i32>,
    /// What it wrote on standard output.
    pub stdout: String,
    /// What it wrote on standard error.
    pub stderr: String,
}

impl Ended {
    /// Fails unless the exit status is `status` and the program wrote `part`.
    ///
    /// # Panics
    /// That is how it fails.
    #[track_caller]
    pub fn expect(&self, status: i32, part: &str) {
        let is_told = self.stdout.contains(part) || self.stderr.contains(part);
        assert!(self.status == Some(status) && is_told, "not {status} with {part:?}, but {self:#?}");
    }

    /// Its standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }
}

impl From<Output> for Ended {
    fn from(Output { status, stdout, stderr }: Output) -> Self {
        // Whatever a program was given, nothing that it writes moves the cursor or hides a letter.
        let [stdout, stderr] = [stdout, stderr].map(|bytes| {
            let text = String::from_utf8(bytes).expect("it writes UTF-8");
            assert!(!text.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\u{200b}']), "{text:?}");
            text
        });
        // A shell's loop ends with a command that dies by Ctrl-C, and goes on after one that only exits with 130.
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

/// Sends a real signal, such as `-INT`, as a terminal or a scheduler does.
#[cfg(unix)]
pub fn send(signal: &str, child: &Child) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

/// Waits until something is so, for two minutes at most.
#[track_caller]
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(120), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
