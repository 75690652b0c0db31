//! Reads lines, and boards made of them.

use std::io::{self, BufRead};

use super::parse::{Found, TypedRows, from_json, lists};
use crate::exit::Exit;

/// Longer lines are not read: the largest board of 'nqueens solutions --first' has fewer bytes.
const LONGEST_LINE: u64 = 100_000_000;

/// The byte order mark that a text in UTF-8 may begin with.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A board's first line, and the board or what is wrong with it.
pub(crate) type Verdict = (u64, Found);

/// Reads lines, and boards made of them.
pub(crate) struct Reader<'a> {
    /// The name of the input in errors.
    name: &'a str,
    input: Box<dyn BufRead>,
    line: Vec<u8>,
    /// Of the line at hand, counted from 1.
    number: u64,
    /// Whether the line at hand is still to be used.
    is_held: bool,
}

/// What a line looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BoardKind {
    Empty,
    Json,
    Lists,
    Grid,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(name: &'a str, input: Box<dyn BufRead>) -> Self {
        Self { name, input, line: Vec::new(), number: 0, is_held: false }
    }

    /// Reads the next line, without its end; whether there was one.
    fn read_line(&mut self) -> anyhow::Result<bool> {
        if std::mem::take(&mut self.is_held) {
            return Ok(true);
        }
        self.line.clear();
        let reader = &mut self.input;
        let length = io::Read::take(reader, LONGEST_LINE)
            .read_until(b'\n', &mut self.line)
            .map_err(|reason| io::Error::new(reason.kind(), format!("cannot read {}: {reason}", self.name)))?;
        if length as u64 == LONGEST_LINE && self.line.last() != Some(&b'\n') {
            return Err(Exit::Wrong.error(format!(
                "line {} of {} is longer than {LONGEST_LINE} bytes: no board is that large",
                self.number + 1,
                self.name
            )));
        }
        while self.line.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
            self.line.pop();
        }
        self.number += u64::from(length > 0);
        // Some editors begin a file with a mark of its encoding.
        if self.number == 1 && self.line.starts_with(BYTE_ORDER_MARK) {
            self.line.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(length > 0)
    }

    fn kind(&self) -> BoardKind {
        match self.line.iter().find(|byte| !byte.is_ascii_whitespace()) {
            None => BoardKind::Empty,
            Some(b'{') => BoardKind::Json,
            Some(b'0'..=b'9' | b'-' | b'+' | b'[' | b']' | b'(' | b')' | b',' | b';') => BoardKind::Lists,
            Some(_) => BoardKind::Grid,
        }
    }

    /// The boards of the next lines that belong together; `None` at the end.
    pub(crate) fn next_boards(&mut self) -> anyhow::Result<Option<Vec<Verdict>>> {
        loop {
            if !self.read_line()? {
                return Ok(None);
            }
            let first = self.number;
            let found = match self.kind() {
                BoardKind::Empty => continue,
                BoardKind::Json => vec![from_json(&self.line, first)],
                BoardKind::Lists => lists(&self.line, first),
                BoardKind::Grid => vec![self.grid()?],
            };
            return Ok(Some(found.into_iter().map(|found| (first, found)).collect()));
        }
    }

    /// A board drawn over several lines, the first one at hand. It ends at an empty line or a line of another kind.
    fn grid(&mut self) -> anyhow::Result<Found> {
        let mut rows = TypedRows::default();
        loop {
            rows.add(&self.line, self.number);
            if !self.read_line()? {
                break;
            }
            if self.kind() != BoardKind::Grid {
                self.is_held = true;
                break;
            }
        }
        Ok(rows.verdict())
    }
}
