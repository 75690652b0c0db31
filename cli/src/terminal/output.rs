//! Writing to streams that may have no reader, and what terminals can show.

use std::io::{self, ErrorKind, IsTerminal, Read, Write};

use super::escape::terminal_lines;
use crate::exit::ReaderLeft;

/// A buffer for text: what a terminal or GitHub's runner would obey is escaped when it leaves.
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
        let written = if is_plain(bytes) {
            self.out.write_all(bytes)
        } else {
            self.out.write_all(terminal_lines(&String::from_utf8_lossy(bytes)).as_bytes())
        };
        self.buffer.drain(..length);
        written
    }
}

/// Whether a text has nothing to escape. A colon or a bracket may be a part of what GitHub's runner obeys. Most of what
/// leaves is boards, and to escape them takes longer than to find them.
fn is_plain(bytes: &[u8]) -> bool {
    const IS_PLAIN: [bool; 256] = {
        let mut is_plain = [false; 256];
        let mut byte = b' ';
        while byte <= b'~' {
            is_plain[byte as usize] = byte != b':' && byte != b'[';
            byte += 1;
        }
        is_plain[b'\n' as usize] = true;
        is_plain
    };
    bytes.iter().fold(true, |plain, &byte| plain & IS_PLAIN[usize::from(byte)])
}

impl<W: Write> Write for TextWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        const LARGE: usize = 1 << 16;
        self.buffer.extend_from_slice(bytes);
        // The escapes of a line depend on its beginning, so whole lines leave.
        if self.buffer.len() >= LARGE
            && let Some(end) = bytes.iter().rposition(|&byte| byte == b'\n')
        {
            self.put(self.buffer.len() - bytes.len() + end + 1)?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.put(self.buffer.len())?;
        self.out.flush()
    }
}

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
        let written =
            when_ready(&io::stdout(), rustix::event::PollFlags::OUT, || Ok(rustix::io::write(io::stdout(), bytes)?));
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

/// Standard input.
pub(crate) struct StandardInput;

impl Read for StandardInput {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        return when_ready(&io::stdin(), rustix::event::PollFlags::IN, || io::stdin().read(bytes));
        #[cfg(not(unix))]
        io::stdin().read(bytes)
    }
}

/// Does work on a stream, again when the stream is ready: another program that shares the stream may have asked it not to
/// block.
#[cfg(unix)]
fn when_ready<T>(
    stream: &impl std::os::fd::AsFd,
    ready: rustix::event::PollFlags,
    mut work: impl FnMut() -> io::Result<T>,
) -> io::Result<T> {
    loop {
        match work() {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                rustix::event::poll(&mut [rustix::event::PollFd::new(stream, ready)], None)?;
            }
            done => return done,
        }
    }
}

/// Whether the stream is a terminal that obeys escape sequences. If `TERM` is `dumb`, or `ACCESSIBLE` is set for a screen
/// reader, it only shows text.
pub(crate) fn obeys_escapes(stream: &impl IsTerminal) -> bool {
    #[cfg(windows)]
    if anstyle_query::windows::enable_ansi_colors() == Some(false) {
        return false;
    }
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    stream.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb") && !is_set("ACCESSIBLE")
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
            let shown = "a\\u{1b}[2Jö\n\\u003a:error::x\nb ##\\u005bc]\n".repeat(6000) + "\\u{202e}";
            assert!(String::from_utf8(out).unwrap() == shown, "{size}");
        }
    }
}
