//! What the commands read from standard input: all that the gate has there, or nothing.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Read, Seek, SeekFrom};
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The longest input that is not a file, in bytes.
const LONGEST: u64 = 1 << 30;

/// How long the writer of a pipe may take before the gate says that it waits. A busy machine may need some of it even for
/// `/dev/null`.
const PATIENCE: Duration = Duration::from_secs(1);

/// The file and the place from which each run reads it. By default there is none.
#[derive(Default)]
pub(crate) struct Input(Option<(File, u64)>);

impl Input {
    /// The standard input of the gate. What is no file is read to its end, because only one run could read it. It may take
    /// `time`. A terminal has nothing.
    pub(crate) fn of_the_gate(time: Duration, note: impl Fn(&str)) -> Result<Self, String> {
        if io::stdin().is_terminal() {
            return Ok(Self(None));
        }
        if let Some(file) = regular_file() {
            return Ok(Self(Some(file)));
        }
        let (copied, end) = mpsc::channel();
        thread::spawn(move || copied.send(copy()));
        let waited = end.recv_timeout(PATIENCE).or_else(|_| {
            note("waiting for the end of standard input: give '</dev/null' if the commands do not read it");
            end.recv_timeout(time.saturating_sub(PATIENCE))
        });
        waited.unwrap_or_else(|_| {
            Err("standard input does not end within --budget: give '</dev/null' if the commands do not read it"
                .to_owned())
        })
    }

    /// Whether the commands read something.
    pub(crate) fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// Standard input for the next run.
    pub(crate) fn again(&self) -> io::Result<Stdio> {
        let Some((file, place)) = &self.0 else { return Ok(Stdio::null()) };
        let mut file = file.try_clone()?;
        file.seek(SeekFrom::Start(*place))?;
        Ok(file.into())
    }
}

/// Standard input and where it is read, if it is a file. Without Unix, files are copied as pipes are.
fn regular_file() -> Option<(File, u64)> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        let mut file = io::stdin().as_fd().try_clone_to_owned().map(File::from).ok()?;
        if file.metadata().ok()?.is_file() {
            let place = file.stream_position().ok()?;
            return Some((file, place));
        }
    }
    None
}

/// Reads standard input to its end.
fn copy() -> Result<Input, String> {
    let mut file = temporary()?;
    let length = io::copy(&mut io::stdin().lock().take(LONGEST + 1), &mut file)
        .map_err(|error| format!("standard input cannot be copied: {error}"))?;
    match length {
        0 => Ok(Input(None)),
        1..=LONGEST => Ok(Input(Some((file, 0)))),
        _ => Err("standard input is longer than 1 GiB: write it to a file, and give it as '<FILE'".to_owned()),
    }
}

/// A file without a name.
pub(crate) fn temporary() -> Result<File, String> {
    let path = std::env::temp_dir().join(format!("abgate-{}", std::process::id()));
    let made = File::options().read(true).write(true).create_new(true).open(&path);
    made.and_then(|file| fs::remove_file(&path).map(|()| file))
        .map_err(|error| format!("the temporary file {} cannot be made: {error}", path.display()))
}
