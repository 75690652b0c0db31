//! Standard output, and what terminals can show.

use std::io::{self, IsTerminal, Write};

use super::escape::terminal_lines;

/// A buffer for standard output: what a terminal or GitHub's runner would obey is escaped when it leaves. It fails once;
/// later text is dropped.
pub(crate) struct TextWriter<W> {
    out: W,
    buffer: Vec<u8>,
    has_failed: bool,
}

impl<W: Write> TextWriter<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, buffer: Vec::new(), has_failed: false }
    }

    fn put(&mut self, length: usize) -> io::Result<()> {
        if !self.has_failed {
            let bytes = &self.buffer[..length];
            let written = if is_plain(bytes) {
                self.out.write_all(bytes)
            } else {
                self.out.write_all(terminal_lines(&String::from_utf8_lossy(bytes)).as_bytes())
            };
            let written = written.and_then(|()| self.out.flush());
            self.has_failed = written.is_err();
            let error =
                |reason: io::Error| io::Error::new(reason.kind(), format!("cannot write to standard output: {reason}"));
            written.map_err(error)?;
        }
        self.buffer.drain(..length);
        Ok(())
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
