//! One hostile case: what is typed, how the program ends then, and what comes out.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use nqueens::board::{Size, known};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use wait_timeout::ChildExt;

/// What a panic or a broken program says.
const PANICS: [&str; 5] =
    ["panicked at", "stack backtrace", "RUST_BACKTRACE", "overflowed its stack", "AddressSanitizer"];

/// What pages, pictures, reports in XML and in Markdown begin with, and text that a browser would run there.
const MARKUP: [&str; 4] = ["<!DOCTYPE html>", "<svg ", "<?xml ", "### "];
const SCRIPTS: [&str; 2] = ["<script>alert(1)", "<img src=x onerror"];

/// A hostile case.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) kind: &'static str,
    pub(super) program: PathBuf,
    /// What a shell reads: `$0` stands for the program, `$1` for `word`.
    pub(super) typed: String,
    pub(super) word: OsString,
    pub(super) folder: PathBuf,
    /// Signals, each with the pause before it.
    pub(super) signals: Vec<(Duration, Signal)>,
    /// The standard output of a case that succeeds. If it is empty, the case must fail.
    pub(super) answer: Option<String>,
    pub(super) limit: Duration,
}

impl Case {
    /// A case for each line with each word, typed in `folder`: arguments of the program and redirections, perhaps after
    /// other commands of a shell and `;`. `{}` stands for the word.
    pub(super) fn each(
        kind: &'static str,
        folder: &Path,
        lines: impl IntoIterator<Item = impl AsRef<str>>,
        words: &[impl AsRef<OsStr>],
    ) -> Vec<Self> {
        let with_words = |line: &str| {
            let (before, arguments) = line.split_once("; ").unwrap_or(("true", line));
            let new = |word: &OsStr| Self {
                kind,
                program: env!("CARGO_BIN_EXE_nqueens").into(),
                typed: format!("{before}; exec \"$0\" {arguments}").replace("{}", "\"$1\""),
                word: word.to_owned(),
                folder: folder.to_owned(),
                signals: Vec::new(),
                answer: answer(arguments, word),
                limit: Duration::from_secs(40),
            };
            words.iter().map(|word| new(word.as_ref())).collect::<Vec<_>>()
        };
        lines.into_iter().flat_map(|line| with_words(line.as_ref())).collect()
    }

    /// Runs the program. An error says what is wrong.
    pub(super) fn run(&self, documented: &[i32]) -> Result<(), String> {
        crate::program::heed_ignored_signals();
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(&self.typed).arg(&self.program).arg(&self.word);
        command.current_dir(&self.folder).process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // These tests may run on GitHub themselves.
        command.env_remove("GITHUB_ACTIONS").env_remove("GITHUB_STEP_SUMMARY");
        let mut child = command.spawn().expect("a shell starts");
        let group = Pid::from_child(&child);
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let (status, out, err) = thread::scope(|scope| {
            let streams = (scope.spawn(|| read(stdout)), scope.spawn(|| read(stderr)));
            for (pause, signal) in &self.signals {
                thread::sleep(*pause);
                // The program may have ended by itself.
                let _ = kill_process(group, *signal);
            }
            let status = child.wait_timeout(self.limit).expect("it can be waited for");
            // Ends whatever the program started, so that the streams end too.
            let _ = kill_process_group(group, Signal::KILL);
            let _ = child.wait();
            (status, streams.0.join().expect("no panic"), streams.1.join().expect("no panic"))
        });
        let judged = status.ok_or_else(|| format!("it did not end within {:?}", self.limit));
        judged.and_then(|status| self.check(status, documented, &out, &err)).map_err(|problem| {
            let [out, err] = [&out, &err].map(|said| String::from_utf8_lossy(&said[..said.len().min(400)]));
            let case: String = format!("{self:?}").chars().take(500).collect();
            format!("{problem}\n  {case}\n  | {out:?}\n  | {err:?}")
        })
    }

    fn check(&self, status: ExitStatus, documented: &[i32], out: &[u8], err: &[u8]) -> Result<(), String> {
        let sent: Vec<i32> = self.signals.iter().map(|(_, signal)| signal.as_raw()).collect();
        let Some(code) = status.code() else {
            // A signal that comes before the program has begun ends it as it ends any.
            let is_sent = status.signal().is_some_and(|signal| sent.contains(&signal));
            return if is_sent { Ok(()) } else { Err(format!("it was ended by signal {:?}", status.signal())) };
        };
        let stopped: Vec<i32> = [0, 1, 2].into_iter().chain(sent.iter().map(|signal| 128 + signal)).collect();
        let expected = if sent.is_empty() { documented } else { &stopped };
        if !expected.contains(&code) {
            return Err(format!("its exit status is {code}, not one of {expected:?}"));
        }
        if let Some(answer) = self.answer.as_ref().filter(|_| code == 0)
            && (answer.is_empty() || answer.as_bytes() != out)
        {
            return Err(format!("it answered wrong: not {answer:?}"));
        }
        let out = self.check_text(out)?;
        self.check_text(err)?;
        let markup = MARKUP.iter().find_map(|begin| out.split_once(begin)).map_or("", |(_, markup)| markup);
        if let Some(text) = SCRIPTS.iter().find(|text| markup.contains(**text)) {
            return Err(format!("{text:?} comes out"));
        }
        Ok(())
    }

    /// What comes out, if it is text that tells of no panic and that neither a terminal nor GitHub obeys.
    fn check_text(&self, said: &[u8]) -> Result<String, String> {
        // The reader may have gone away in the middle of a letter.
        if std::str::from_utf8(said).is_err_and(|error| error.error_len().is_some()) {
            return Err("what comes out is no UTF-8".to_owned());
        }
        let said = String::from_utf8_lossy(said).into_owned();
        if let Some(panic) = PANICS.iter().find(|panic| said.contains(**panic)) {
            return Err(format!("it panicked: {panic}"));
        }
        let has_tabs = self.typed.contains("completions");
        // Whether a character shows as itself, after a letter that an accent may combine with.
        let is_harmless = |c| matches!(c, '\'' | '"' | '\\') || format!("a{c}").escape_debug().nth(1) == Some(c);
        if let Some(c) = said.chars().find(|&c| !(c == '\n' || has_tabs && c == '\t' || is_harmless(c))) {
            return Err(format!("the character {c:?} comes out"));
        }
        if said.contains("\n::error::x") { Err("a command to GitHub comes out".to_owned()) } else { Ok(said) }
    }
}

/// What a case prints if it succeeds, where that is known. It is empty if the case must fail.
fn answer(typed: &str, word: &OsStr) -> Option<String> {
    match typed {
        "count 8 --quiet" | "count 8 --threads {}" => Some("92\n".to_owned()),
        "run merge {}" | "count 10 --dir {}" => Some("724\n".to_owned()),
        "count {}" => {
            let size = word.to_str().and_then(|word| Size::new(word.parse().ok()?).ok());
            Some(size.and_then(known::solutions).map_or_else(String::new, |count| format!("{count}\n")))
        }
        _ => None,
    }
}

/// Reads the first 4 MiB of a stream, then closes it, as `head` does.
fn read(stream: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = stream.expect("it is a pipe").take(1 << 22).read_to_end(&mut bytes);
    bytes
}
