//! Standard output, and its errors.

use std::io::{self, BufWriter, Write};
use std::time::Duration;

use crate::exit::{Exit, ReaderLeft};

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
    out: Patient<io::Stdout>,
    /// Whether the command gets an error at once, because it only writes data.
    tells_at_once: bool,
    has_failed: bool,
    /// The error that the command did not get, so that it finishes with its verdict.
    pub(crate) put_off: Option<io::Error>,
}

impl StandardOutput {
    pub(crate) fn new(tells_at_once: bool) -> Self {
        Self { out: Patient(io::stdout()), tells_at_once, has_failed: false, put_off: None }
    }

    fn fail(&mut self, reason: io::Error) -> io::Result<()> {
        self.has_failed = true;
        let has_ended = Exit::is_stop(&reason);
        let error = if has_ended { reason } else { cannot_write(&reason) };
        if self.tells_at_once || has_ended {
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
            Err(reason) => self.fail(reason).map(|()| bytes.len()),
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.has_failed {
            return Ok(());
        }
        self.out.flush().or_else(|reason| self.fail(reason))
    }
}

/// A stream that waits for its reader only until a signal asks the program to end. Then writing is an error with the
/// exit status of the signal.
pub(crate) struct Patient<S>(pub(crate) S);

/// How long a reader may take after a signal.
#[cfg(unix)]
const GRACE: Duration = Duration::from_millis(500);

/// The interval of looking for signals.
#[cfg(unix)]
const TICK: Duration = Duration::from_millis(50);

#[cfg(unix)]
impl<S: std::os::fd::AsFd> Write for Patient<S> {
    /// Writes only what the system takes at once. Not by Rust's `Stdout`, which drops what a closed stream refuses.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut left = GRACE;
        while !is_writable(&self.0, TICK) {
            if let Some(exit) = super::signals::caught() {
                left = left.saturating_sub(TICK);
                if left.is_zero() {
                    return Err(exit.stop("stopped: nobody reads what it writes"));
                }
            }
        }
        // A writable pipe takes a page, and a writable terminal at least this much.
        let most = if rustix::termios::isatty(&self.0) { 256 } else { 4096 };
        Ok(rustix::io::write(&self.0, &bytes[..bytes.len().min(most)])?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(not(unix))]
impl<S: Write> Write for Patient<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Whether the stream takes something within this time, or fails at once.
#[cfg(unix)]
pub(crate) fn is_writable(stream: &impl std::os::fd::AsFd, within: Duration) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let within = Timespec::try_from(within).ok();
    // Zero only if the time is over. Another error of asking is an error of writing, too.
    match poll(&mut [PollFd::new(stream, PollFlags::OUT)], within.as_ref()) {
        Ok(ready) => ready > 0,
        Err(reason) => reason != rustix::io::Errno::INTR,
    }
}

/// Only Unix tells.
#[cfg(not(unix))]
pub(crate) fn is_writable(_stream: &impl Write, _within: Duration) -> bool {
    true
}

/// Fails if standard output is open for reading only. Warns if it was closed when the program started: Rust's runtime
/// opens /dev/null for reading and writing in its place, so what is written is lost. Some programs, such as Python with
/// `DEVNULL`, open it in the same way on purpose, so this is no error. A shell's `>/dev/null` is open for writing only.
#[cfg(unix)]
pub(crate) fn look_at_standard_output() -> io::Result<()> {
    use rustix::fs::{OFlags, fcntl_getfl, fstat, stat};
    let is_null = || Some(fstat(io::stdout()).ok()?.st_rdev == stat("/dev/null").ok()?.st_rdev);
    match fcntl_getfl(io::stdout()).map(|flags| flags & OFlags::ACCMODE) {
        Ok(OFlags::RDONLY) => {
            return Err(io::Error::other("cannot write to standard output: it is open for reading only"));
        }
        // Also with `--quiet`, because the result may be lost.
        Ok(OFlags::RDWR) if is_null() == Some(true) => {
            super::say("warning", "standard output is closed, or it is /dev/null: nobody will see the result");
        }
        _ => {}
    }
    Ok(())
}

/// Only Unix tells.
#[cfg(not(unix))]
pub(crate) fn look_at_standard_output() -> io::Result<()> {
    Ok(())
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
