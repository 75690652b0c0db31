//! Writing to streams that may have no reader, and what terminals can show.

use std::io::{self, ErrorKind, IsTerminal, Write};

use crate::exit::ReaderLeft;

/// Standard output. It fails once; later writes are dropped.
#[derive(Default)]
pub(crate) struct StandardOutput {
    has_failed: bool,
}

impl Write for StandardOutput {
    /// A reader who left is [`ReaderLeft`].
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        /// The error code of Windows for a named pipe that was closed at its other end.
        const PIPE_NOT_CONNECTED: i32 = 233;
        if self.has_failed {
            return Ok(bytes.len());
        }
        // Rust's `Stdout` drops what a closed stream refuses.
        #[cfg(unix)]
        let written = rustix::io::write(io::stdout(), bytes).map_err(io::Error::from);
        #[cfg(not(unix))]
        let written = io::stdout().write(bytes);
        written.map_err(|reason| {
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
        if cfg!(unix) { Ok(()) } else { io::stdout().flush() }
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

/// Whether the stream is a terminal that obeys escape sequences. If `TERM` is `dumb`, it only shows text.
pub(crate) fn obeys_escapes(stream: &impl IsTerminal) -> bool {
    #[cfg(windows)]
    if anstyle_query::windows::enable_ansi_colors() == Some(false) {
        return false;
    }
    stream.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}
