//! Standard streams that wait and escape, and the properties of a terminal.

use std::borrow::Cow;
use std::io::{self, ErrorKind, IsTerminal, Read, Write};
#[cfg(unix)]
use std::os::fd::AsFd as Handle;
#[cfg(windows)]
use std::os::windows::io::AsHandle as Handle;

use super::escape::escaped_lines;

/// A standard stream that waits for its other end, even if a program that shares the stream has made it non-blocking.
pub(crate) struct Waiting<S>(pub(crate) S);

impl<S: Handle> Waiting<S> {
    /// Repeats the work until the stream is ready. A standard stream of Rust fails before it takes any byte, so that
    /// none is lost or written twice.
    fn when_ready<T>(&mut self, is_input: bool, mut work: impl FnMut(&mut S) -> io::Result<T>) -> io::Result<T> {
        loop {
            match work(&mut self.0) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => wait(&self.0, is_input)?,
                done => return done,
            }
        }
    }
}

/// Waits until a stream can be read or written, or until a signal arrives.
#[cfg(unix)]
fn wait(stream: &impl Handle, is_input: bool) -> io::Result<()> {
    use nix::errno::Errno;
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    let ready = if is_input { PollFlags::POLLIN } else { PollFlags::POLLOUT };
    match poll(&mut [PollFd::new(stream.as_fd(), ready)], PollTimeout::NONE) {
        Ok(_) | Err(Errno::EINTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Returns an error, because standard streams always block on Windows and never need this wait.
#[cfg(not(unix))]
fn wait(_: &impl Handle, _: bool) -> io::Result<()> {
    Err(ErrorKind::WouldBlock.into())
}

impl<S: Handle + Write> Write for Waiting<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.when_ready(false, |stream| stream.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.when_ready(false, S::flush)
    }
}

impl<S: Handle + Read> Read for Waiting<S> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.when_ready(true, |stream| stream.read(bytes))
    }
}

/// An error in writing to standard output, inside the [`io::Error`] of the writer.
#[derive(Debug, thiserror::Error)]
#[error("cannot write to standard output: {0}")]
pub(crate) struct OutputError(io::Error);

/// A buffer for standard output that escapes text which a terminal or GitHub's runner would obey. Text that cannot be
/// written is dropped.
pub(crate) struct TextWriter<W> {
    out: W,
    buffer: Vec<u8>,
}

impl<W: Write> TextWriter<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, buffer: Vec::new() }
    }

    fn put(&mut self, length: usize) -> io::Result<()> {
        let bytes = &self.buffer[..length];
        // Replacing invalid UTF-8 takes longer than finding a board, so text is checked first.
        let text = str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed);
        let written = self.out.write_all(escaped_lines(&text).as_bytes()).and_then(|()| self.out.flush());
        self.buffer.drain(..if written.is_ok() { length } else { self.buffer.len() });
        written.map_err(|reason| io::Error::new(reason.kind(), OutputError(reason)))
    }
}

impl<W: Write> Write for TextWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        const LARGE: usize = 1 << 16;
        self.buffer.extend_from_slice(bytes);
        // Only whole lines leave the buffer, because the escapes of a line depend on its beginning.
        if self.buffer.len() >= LARGE
            && let Some(end) = bytes.iter().rposition(|&byte| byte == b'\n')
        {
            self.put(self.buffer.len() - bytes.len() + end + 1)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.put(self.buffer.len())
    }
}

/// Returns the rows and columns of the terminal behind a stream, or 24 and 80 if they are unknown.
pub(crate) fn screen(stream: impl Handle) -> (usize, usize) {
    use terminal_size::{Height, Width, terminal_size_of};
    terminal_size_of(stream).map_or((24, 80), |(Width(columns), Height(rows))| (rows.into(), columns.into()))
}

/// Returns whether a stream is a terminal that obeys escape sequences. With `TERM=dumb` it does not.
pub(crate) fn obeys_escapes(stream: &impl IsTerminal) -> bool {
    #[cfg(windows)]
    if anstyle_query::windows::enable_ansi_colors() == Some(false) {
        return false;
    }
    stream.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leaves_is_escaped_line_by_line_whatever_the_pieces() {
        for size in [1, 3, 1000, 200_000] {
            let mut out = Vec::new();
            let mut writer = TextWriter::new(&mut out);
            let text = "a\u{1b}[2Jö\n::error::x\nb ##[c]\n".repeat(6000) + "\u{202e}";
            text.as_bytes().chunks(size).for_each(|piece| writer.write_all(piece).unwrap());
            writer.flush().unwrap();
            let shown = "a\\u001b[2Jö\n\\u003a:error::x\nb ##\\u005bc]\n".repeat(6000) + "\\u202e";
            assert!(String::from_utf8(out).unwrap() == shown, "{size}");
        }
    }
}
