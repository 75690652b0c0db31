//! Writing to streams that may have no reader, and what terminals can show.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::time::Duration;

use crate::exit::ReaderLeft;

/// Standard output. It fails once; later writes are dropped.
pub(crate) struct StandardOutput {
    out: Patient<io::Stdout>,
    has_failed: bool,
}

impl StandardOutput {
    pub(crate) fn new() -> Self {
        Self { out: Patient(io::stdout()), has_failed: false }
    }
}

impl Write for StandardOutput {
    /// A reader who left is [`ReaderLeft`].
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        /// The error code of Windows for a named pipe that was closed at its other end.
        const PIPE_NOT_CONNECTED: i32 = 233;
        if self.has_failed {
            return Ok(bytes.len());
        }
        self.out.write(bytes).map_err(|reason| {
            if reason.kind() == ErrorKind::Interrupted {
                return reason;
            }
            self.has_failed = true;
            let is_closed = cfg!(windows) && reason.raw_os_error() == Some(PIPE_NOT_CONNECTED);
            if is_closed || reason.kind() == ErrorKind::BrokenPipe {
                return io::Error::new(ErrorKind::BrokenPipe, ReaderLeft);
            }
            io::Error::new(reason.kind(), format!("cannot write to standard output: {reason}"))
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Warns if standard output was closed when the program started: a count would be lost in silence. Rust's runtime opens
/// /dev/null for reading and writing in its place. A shell's `>/dev/null` is open for writing only. Some programs, such
/// as Python with `DEVNULL`, open it for both on purpose, so this is no error.
pub(crate) fn warn_if_closed() {
    // Only Unix tells.
    #[cfg(unix)]
    {
        use rustix::fs::{OFlags, fcntl_getfl, fstat, stat};
        let is_null = || Some(fstat(io::stdout()).ok()?.st_rdev == stat("/dev/null").ok()?.st_rdev);
        let is_for_both = fcntl_getfl(io::stdout()).is_ok_and(|flags| flags & OFlags::ACCMODE == OFlags::RDWR);
        if is_for_both && is_null() == Some(true) {
            super::say("warning", "standard output is closed, or it is /dev/null: nobody will see the result");
        }
    }
}

/// A stream that waits for its reader only until a signal asks the program to end. Then writing is an error.
pub(crate) struct Patient<S>(pub(crate) S);

#[cfg(unix)]
impl<S: std::os::fd::AsFd> Write for Patient<S> {
    /// Writes only what the system takes at once. Not by Rust's `Stdout`, which drops what a closed stream refuses.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        /// How long a reader may take after a signal.
        const GRACE: Duration = Duration::from_millis(500);
        while !is_writable(&self.0, GRACE)? {
            if super::signals::caught().is_some() {
                return Err(io::Error::other("stopped: nobody reads what it writes"));
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
///
/// # Errors
/// [`io::ErrorKind::Interrupted`] if a signal comes.
#[cfg(unix)]
pub(crate) fn is_writable(stream: &impl std::os::fd::AsFd, within: Duration) -> io::Result<bool> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let within = Timespec::try_from(within).ok();
    Ok(poll(&mut [PollFd::new(stream, PollFlags::OUT)], within.as_ref())? > 0)
}

/// Only Unix tells.
#[cfg(not(unix))]
pub(crate) fn is_writable(_stream: &impl Write, _within: Duration) -> io::Result<bool> {
    Ok(true)
}

/// Whether the stream is a terminal that obeys escape sequences. If `TERM` is `dumb`, it only shows text.
pub(crate) fn obeys_escapes(stream: &impl IsTerminal) -> bool {
    #[cfg(windows)]
    if anstyle_query::windows::enable_ansi_colors() == Some(false) {
        return false;
    }
    stream.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}
