//! Reads lines, and boards made of them.

use std::io::{self, BufRead};

use super::parse::{Found, TypedRows, from_json, lists};
use crate::exit::Exit;

/// Longer lines are not read: the largest board of 'nqueens solutions --first' has fewer bytes.
const LONGEST_LINE: u64 = 100_000_000;

/// As many boards as 'nqueens solutions --columns' sets side by side.
const MOST_SIDE_BY_SIDE: usize = 1000;

/// What a text in UTF-8 may begin with.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A board's first line, and the board or what is wrong with it.
pub(crate) type Verdict = (u64, Found);

/// Reads lines, and boards made of them.
pub(crate) struct Reader<'a> {
    /// What errors call the input.
    name: &'a str,
    input: Box<dyn BufRead>,
    from_zero: bool,
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
    Framed,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(name: &'a str, input: Box<dyn BufRead>, from_zero: bool) -> Self {
        Self { name, input, from_zero, line: Vec::new(), number: 0, is_held: false }
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
            Some(_) if is_frame(&self.line) => BoardKind::Framed,
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
                BoardKind::Json => vec![from_json(&self.line, first, self.from_zero)],
                BoardKind::Lists => lists(&self.line, first, self.from_zero),
                BoardKind::Grid => vec![self.grid()?],
                BoardKind::Framed => self.framed()?,
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

    /// Boards with frames, side by side, whose first line is at hand: the upper edge, or a row where that is missing.
    fn framed(&mut self) -> anyhow::Result<Vec<Found>> {
        let mut boards: Vec<TypedRows> = Vec::new();
        loop {
            let text = String::from_utf8_lossy(&self.line);
            match text.trim_start().chars().next() {
                Some('└') => break,
                // The next boards begin, though these did not end.
                Some('┌') if !boards.is_empty() => {
                    self.is_held = true;
                    break;
                }
                Some('┌') => {}
                _ => {
                    // Between the bars is every second part: a board, a gap, a board.
                    let mut column = 1;
                    for (index, part) in text.split('│').enumerate() {
                        if index % 2 == 1 {
                            if index / 2 == MOST_SIDE_BY_SIDE {
                                let few = format!("at most {MOST_SIDE_BY_SIDE} boards are read side by side");
                                return Ok(vec![Err(format!("line {}: {few}", self.number))]);
                            }
                            if boards.len() == index / 2 {
                                boards.push(TypedRows::default());
                            }
                            boards[index / 2].add_framed(part, self.number, column);
                        }
                        column += part.chars().count() + 1;
                    }
                }
            }
            if !self.read_line()? {
                break;
            }
            if self.kind() != BoardKind::Framed {
                self.is_held = true;
                break;
            }
        }
        if boards.is_empty() {
            return Ok(vec![Err("a frame with no row in it".to_owned())]);
        }
        Ok(boards.into_iter().map(TypedRows::verdict).collect())
    }
}

/// Whether a line is part of a board with a frame.
fn is_frame(line: &[u8]) -> bool {
    let start = line.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
    ["┌", "│", "└"].iter().any(|edge| line[start..].starts_with(edge.as_bytes()))
}
