//! The program as tests run it.

use std::io::Write;
#[cfg(unix)]
use std::process::Child;
use std::process::{Command, Output, Stdio};

/// The program with these arguments, without standard input, its output kept. No variable that is set here reaches it.
pub(crate) fn nqueens(arguments: &[&str]) -> Command {
    heed_ignored_signals();
    let mut command = Command::new(env!("CARGO_BIN_EXE_nqueens"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env_remove("NQUEENS_THREADS").env_remove("GITHUB_ACTIONS");
    command
}

pub(crate) fn output(arguments: &[&str]) -> Output {
    nqueens(arguments).output().unwrap()
}

/// What a command answers to this standard input.
pub(crate) fn answer(command: &mut Command, input: &[u8]) -> Output {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // It may stop reading before the end, and that is its right.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

pub(crate) fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// Sends a real signal, such as `-INT`, as a terminal or a scheduler does.
#[cfg(unix)]
pub(crate) fn send(signal: &str, child: &Child) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

/// Gives signals that these tests were started to ignore, as `nohup` has it, a handler that does nothing. What is ignored
/// would be ignored by the program that a test starts, too; a handler is not inherited.
pub(crate) fn heed_ignored_signals() {
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| {
            let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
            let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
            let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
            for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
                if ignored & (1 << (signal - 1)) != 0 {
                    signal_hook::flag::register(signal, std::sync::Arc::default()).unwrap();
                }
            }
        });
    }
}
