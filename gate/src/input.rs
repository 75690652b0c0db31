//! What the commands read from standard input: the file that the gate has there, or nothing.

use std::fs::File;
use std::io::{self, BufRead, IsTerminal, Seek, SeekFrom};
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// How long a pipe may take to end or to have data before the gate says that it waits. A busy machine may need some of it
/// even for `/dev/null`.
const PATIENCE: Duration = Duration::from_secs(1);

/// The file and the place from which each run reads it. By default there is none.
#[derive(Default)]
pub(crate) struct Input(Option<(File, u64)>);

impl Input {
    /// The standard input of the gate. Only one run could read data that is in no file, so what is no file must end without
    /// data, within `time`. A terminal has nothing.
    pub(crate) fn of_the_gate(time: Duration, note: impl Fn(&str)) -> Result<Self, String> {
        if io::stdin().is_terminal() {
            return Ok(Self(None));
        }
        if let Some(file) = file() {
            return Ok(Self(Some(file)));
        }
        let (looked, found) = mpsc::channel();
        thread::spawn(move || looked.send(io::stdin().lock().fill_buf().map(<[u8]>::is_empty)));
        let is_empty = found.recv_timeout(PATIENCE).or_else(|_| {
            note("waiting for the end of standard input: give '</dev/null' if the commands read nothing");
            found.recv_timeout(time.saturating_sub(PATIENCE))
        });
        let why = match is_empty {
            Ok(Ok(true)) => return Ok(Self(None)),
            Ok(Ok(false)) => {
                "is no file, so only one run could read its data: write it to a file and give '<FILE', or give '</dev/null'"
            }
            Ok(Err(error)) => return Err(format!("standard input cannot be read: {error}")),
            Err(_) => "does not end within --budget: give '</dev/null' if the commands read nothing",
        };
        Err(format!("standard input {why}"))
    }

    /// Whether the commands read a file.
    pub(crate) fn is_file(&self) -> bool {
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

/// Standard input and the place in it, if it is a file.
fn file() -> Option<(File, u64)> {
    #[cfg(unix)]
    let owned = std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned();
    #[cfg(windows)]
    let owned = std::os::windows::io::AsHandle::as_handle(&io::stdin()).try_clone_to_owned();
    let mut file = owned.map(File::from).ok()?;
    let is_file = file.metadata().is_ok_and(|metadata| metadata.is_file());
    let place = file.stream_position().ok()?;
    is_file.then_some((file, place))
}
