//! Standard output, and what terminals can show.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use super::escape::terminal_lines;

/// A buffer for standard output: what a terminal or GitHub's runner would obey is escaped when it leaves. What cannot be
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
        // To look for what is no text takes longer than to find a board.
        let text = str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed);
        let written = self.out.write_all(terminal_lines(&text).as_bytes()).and_then(|()| self.out.flush());
        self.buffer.drain(..if written.is_ok() { length } else { self.buffer.len() });
        let error =
            |reason: io::Error| io::Error::new(reason.kind(), format!("cannot write to standard output: {reason}"));
        written.map_err(error)
    }
}

impl<W: Write> Write for TextWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        const LARGE: usize = 1 << 16;
        self.buffer.extend_from_slice(bytes);
        // The escapes of a line depend on its beginning, so whole lines leave.
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

/// Whether the stream is a terminal that obeys escape sequences. If `TERM` is `dumb`, it only shows text.
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
            let shown = "a\\u{1b}[2Jö\n\\u003a:error::x\nb ##\\u005bc]\n".repeat(6000) + "\\u{202e}";
            assert!(String::from_utf8(out).unwrap() == shown, "{size}");
        }
    }
}
