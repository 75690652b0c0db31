//! What the commands read from standard input: the file on the standard input of the gate, or nothing.

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::process::Stdio;

/// The time in which the writer of a pipe shows that there is one, in milliseconds.
#[cfg(unix)]
const PATIENCE: u16 = 200;

/// The file and the place from which each run reads it. By default there is none.
#[derive(Default)]
pub(crate) struct Input(Option<(File, u64)>);

impl Input {
    /// Rejects a pipe with data: only one run could read it, and the others would have nothing to do.
    #[cfg(unix)]
    pub(crate) fn of_the_gate() -> Result<Self, String> {
        use nix::poll::{PollFd, PollFlags, poll};
        use std::os::fd::AsFd;
        use std::os::unix::fs::FileTypeExt;
        let stdin = io::stdin();
        let Ok(mut file) = stdin.as_fd().try_clone_to_owned().map(File::from) else { return Ok(Self(None)) };
        let Ok(kind) = file.metadata().map(|metadata| metadata.file_type()) else { return Ok(Self(None)) };
        if kind.is_fifo() {
            let mut pipe = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
            let has_events = poll(&mut pipe, PATIENCE).is_ok_and(|events| events > 0);
            if has_events && pipe[0].revents().is_some_and(|events| events.contains(PollFlags::POLLIN)) {
                return Err(
                    "standard input is a pipe with data, which only one run could read: write the data to a file, \
                            and give it as '<FILE', or give '</dev/null'"
                        .to_owned(),
                );
            }
        }
        let place = if kind.is_file() { file.stream_position().ok() } else { None };
        Ok(Self(place.map(|place| (file, place))))
    }

    #[cfg(not(unix))]
    pub(crate) fn of_the_gate() -> Result<Self, String> {
        Ok(Self(None))
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
