//! Standard output, and its errors.

use std::io::{self, BufWriter, StdoutLock, Write};

use crate::exit::ReaderLeft;

/// The output of a command's data.
pub(crate) trait Output: Write {
    /// Whether writing has failed, so that nobody sees the rest.
    fn is_unheard(&self) -> bool {
        false
    }
}

impl Output for Vec<u8> {}

impl Output for BufWriter<StandardOutput> {
    fn is_unheard(&self) -> bool {
        self.get_ref().has_failed
    }
}

/// Standard output. It fails once; later writes are dropped.
pub(crate) struct StandardOutput {
    out: StdoutLock<'static>,
    /// Whether the command gets an error at once, because it only writes data.
    tells_at_once: bool,
    has_failed: bool,
    /// The error that the command did not get, so that it finishes with its verdict.
    pub(crate) put_off: Option<io::Error>,
}

impl StandardOutput {
    pub(crate) fn new(tells_at_once: bool) -> Self {
        Self { out: io::stdout().lock(), tells_at_once, has_failed: false, put_off: None }
    }

    fn fail(&mut self, reason: &io::Error) -> io::Result<()> {
        self.has_failed = true;
        let error = cannot_write(reason);
        if self.tells_at_once {
            return Err(error);
        }
        self.put_off = Some(error);
        Ok(())
    }
}

impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.has_failed {
            return Ok(bytes.len());
        }
        match self.out.write(bytes) {
            Err(reason) if reason.kind() == io::ErrorKind::Interrupted => Err(reason),
            Err(reason) => self.fail(&reason).map(|()| bytes.len()),
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.has_failed {
            return Ok(());
        }
        self.out.flush().or_else(|reason| self.fail(&reason))
    }
}

/// The error that standard output cannot be written. A reader who left is [`ReaderLeft`].
pub(crate) fn cannot_write(reason: &io::Error) -> io::Error {
    /// The error code of Windows for a named pipe that was closed at its other end.
    const PIPE_NOT_CONNECTED: i32 = 233;
    let is_closed = cfg!(windows) && reason.raw_os_error() == Some(PIPE_NOT_CONNECTED);
    if is_closed || reason.kind() == io::ErrorKind::BrokenPipe {
        return io::Error::new(io::ErrorKind::BrokenPipe, ReaderLeft);
    }
    io::Error::new(reason.kind(), format!("cannot write to standard output: {reason}"))
}
