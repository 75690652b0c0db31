//! The output of a run: the file that takes it, and how it differs from the output of another run.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::process::Stdio;

use crate::units::shortened;

/// The largest output of a run in bytes, which the help names. The gate compares two outputs in memory.
const MAX_LENGTH: u64 = 64 << 20;

/// A file without a name that takes what a run prints, because reading from a pipe would disturb the run.
pub(crate) struct Output(File);

impl Output {
    pub(crate) fn new() -> io::Result<Self> {
        tempfile::tempfile_in(std::env::temp_dir()).map(Self)
    }

    /// Returns the file as a standard stream of the run.
    pub(crate) fn stream(&self) -> io::Result<Stdio> {
        self.0.try_clone().map(Stdio::from)
    }

    /// Returns whether the run printed more than it may.
    pub(crate) fn is_too_long(&self) -> bool {
        self.0.metadata().is_ok_and(|metadata| metadata.len() > MAX_LENGTH)
    }

    /// Returns everything that the run printed.
    ///
    /// # Errors
    /// Fails if the file cannot take more. On a full disk, a command that ignores the error succeeds although a part of
    /// its output is missing, so two different outputs may look the same.
    pub(crate) fn read(mut self) -> io::Result<Vec<u8>> {
        /// Enough to need another block of the file system.
        const MORE: usize = 1 << 14;
        let mut bytes = Vec::new();
        self.0.rewind()?;
        self.0.read_to_end(&mut bytes)?;
        self.0.write_all(&[0; MORE])?;
        Ok(bytes)
    }
}

/// Describes the first line that differs between two outputs.
pub(crate) fn difference(expected: &[u8], found: &[u8]) -> String {
    let [mut before, mut after] = [expected, found].map(|output| output.split(|byte| *byte == b'\n'));
    let same = before.clone().zip(after.clone()).take_while(|(before, after)| before == after).count();
    let [before, after] = [&mut before, &mut after].map(|lines| lines.nth(same).unwrap_or_default());
    let [was, is] = [before, after].map(|line| match String::from_utf8_lossy(line) {
        text if text.is_empty() => "nothing".to_owned(),
        text => format!("\"{}\"", shortened(&text, 80)),
    });
    let line = same + 1;
    if before == after {
        "only the line end of the last line differs".to_owned()
    } else if was == is {
        let byte = before.iter().zip(after).take_while(|(before, after)| before == after).count() + 1;
        format!("line {line} differs from byte {byte} on")
    } else {
        format!("line {line} is {is} instead of {was}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_differs_is_shown() {
        let long = "a".repeat(100);
        for (expected, found, said) in [
            ("92\n", "93\n", "line 1 is \"93\" instead of \"92\""),
            ("a\nb\n", "a\n", "line 2 is nothing instead of \"b\""),
            ("a", "a\nb", "line 2 is \"b\" instead of nothing"),
            ("a", "a\n", "only the line end of the last line differs"),
            ("a\r\nb", "a\nb", "line 1 is \"a\" instead of \"a\r\""),
            (&[&long, "b\n"].concat(), &[&long, "c\n"].concat(), "line 1 differs from byte 101 on"),
            (&long, &[&long, "c"].concat(), "line 1 differs from byte 101 on"),
        ] {
            assert_eq!(difference(expected.as_bytes(), found.as_bytes()), said);
        }
        assert_eq!(difference(b"a\xff", b"a\xfe"), "line 1 differs from byte 2 on");
    }
}
