//! Bytes to blocks of lines, and blocks to verdicts.

use super::brackets::Nesting;
use super::judge::Finding;
use super::meanings::Boards;
use super::read::Reader;
use super::readings::all_readings;
use super::table::Table;
use super::verdict::Piece;

/// A longer block, in bytes, is read as far as its boards are complete.
const LONG: usize = 1 << 20;

/// The most tables that may be parts of a board.
const MOST_HELD: usize = 4000;

/// What a line takes beside its text.
const LINE: usize = 64;

/// A longer block of several lines, in bytes, is read as it is if none of its boards is complete.
const LARGEST: usize = 32 << 20;

/// The most bytes of a line.
const LONGEST: usize = 128 << 20;

/// What is said of a board, or why a text is not understood.
pub(crate) type Said = Result<Finding, String>;

/// A text that is read piece by piece.
#[derive(Default)]
pub(crate) struct Text {
    reader: Reader,
    /// What is said, each with its line.
    pub(crate) said: Vec<(u64, Said)>,
    /// The number of lines that are no boards, and the first of them.
    pub(crate) skipped: u64,
    pub(crate) first_skipped: Option<u64>,
    /// Whether there were escape sequences, such as colors.
    pub(crate) is_colored: bool,
    pub(crate) line: u64,
    /// Makes a unit of UTF-16 of two bytes.
    utf16: Option<fn([u8; 2]) -> u16>,
    /// Bytes of a character that is not complete.
    rest: Vec<u8>,
    /// The start of the escape sequence at hand.
    escape: Option<char>,
    was_cr: bool,
    /// The block at hand: lines with their numbers, joined in brackets. Its size, and the size at which it is read again.
    lines: Vec<(u64, String)>,
    size: usize,
    next: usize,
    current: String,
    nesting: Nesting,
    /// Rows that are not understood, but may be a board with the rows that follow.
    held: Vec<(u64, String, Table)>,
    ones: Vec<(u64, bool)>,
    has_found: bool,
}

impl Text {
    pub(crate) fn new(reader: Reader) -> Self {
        Self { reader, next: LONG, ..Self::default() }
    }

    /// Reads the next bytes. No bytes are the end. Fails if they are no text.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<(), &'static str> {
        if self.line == 0 {
            self.line = 1;
            self.utf16 = match bytes {
                [0xff, 0xfe, ..] => Some(u16::from_le_bytes),
                [0xfe, 0xff, ..] => Some(u16::from_be_bytes),
                _ => None,
            };
        }
        self.rest.extend(bytes);
        for sign in self.decode(bytes.is_empty()).chars().filter(|sign| !"\u{feff}\u{fe0f}".contains(*sign)) {
            self.step(sign)?;
        }
        if bytes.is_empty() {
            self.end();
        }
        Ok(())
    }

    /// The characters that are complete.
    fn decode(&mut self, is_end: bool) -> String {
        let Some(unit) = self.utf16 else {
            let last = self.rest.iter().rposition(|byte| byte & 0xc0 != 0x80);
            let end = last.filter(|at| self.rest[*at] > 0x7f && !is_end).unwrap_or(self.rest.len());
            return String::from_utf8_lossy(&self.rest.drain(..end).collect::<Vec<_>>()).into_owned();
        };
        let mut units: Vec<u16> = self.rest.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        // The first half of a pair of units waits for the second.
        units.pop_if(|last| (0xd800..0xdc00).contains(last));
        self.rest.drain(..2 * units.len());
        String::from_utf16_lossy(&units)
    }

    fn step(&mut self, sign: char) -> Result<(), &'static str> {
        let was_cr = std::mem::replace(&mut self.was_cr, sign == '\r');
        match (self.escape, sign) {
            (None, '\u{1b}') => (self.escape, self.is_colored) = (Some(sign), true),
            (Some('\u{1b}'), '[') | (Some('['), ' '..='?') => self.escape = Some('['),
            (Some('['), _) => self.escape = None,
            (_, '\0') => return Err("it has a NUL: give text in UTF-8, or in UTF-16 with its mark"),
            (_, '\n') if was_cr => {}
            (_, '\n' | '\r') => {
                self.escape = None;
                self.end_line();
            }
            _ => {
                self.escape = None;
                self.nesting.step(sign);
                self.current.push(sign);
                self.size += 1;
                if sign == ','
                    && self.current.len() > LONG
                    && self.current[..self.current.len() - 1].ends_with([']', ')', '}'])
                {
                    self.split();
                }
            }
        }
        if self.size > LONGEST { Err("it is longer than 128 million letters") } else { Ok(()) }
    }

    /// Splits a long bracket between two brackets in it.
    fn split(&mut self) {
        let depth = self.nesting.depth;
        self.current.pop();
        self.current.extend(std::iter::repeat_n(']', depth));
        self.nesting = Nesting::default();
        let text = std::mem::take(&mut self.current);
        let lines = text.matches('\n').count() as u64;
        self.lines.push((self.line - lines, text));
        self.end_block(true);
        for _ in 0..depth {
            self.nesting.step('[');
            self.current.push('[');
        }
    }

    fn end_line(&mut self) {
        self.nesting.end_line();
        self.line += 1;
        if self.nesting.depth > 0 {
            self.current.push('\n');
            return;
        }
        let text = std::mem::take(&mut self.current);
        if text.trim().is_empty() {
            return self.end_block(true);
        }
        let lines = text.matches('\n').count() as u64 + 1;
        self.lines.push((self.line - lines, text));
        self.size += LINE;
        if self.size > self.next {
            self.end_block(self.size > LARGEST);
        }
    }

    /// Reads the block at hand. If it goes on, what is not complete stays.
    fn end_block(&mut self, is_end: bool) {
        let texts: Vec<&str> = self.lines.iter().map(|(_, text)| text.as_str()).collect();
        let (found, used) = self.reader.read(&texts, is_end);
        for found in found {
            let at = self.lines[found.line].0;
            self.has_found |= matches!(found.piece, Piece::Board(_) | Piece::Unread(..));
            match found.piece {
                Piece::Board(verdict) => self.say(at, Ok(verdict)),
                Piece::Words => self.skip(at, found.lines),
                Piece::One { is_queen } => self.ones.push((at, is_queen)),
                Piece::Unread(reason, None) => self.say(at, Err(reason)),
                Piece::Unread(reason, Some(table)) => self.hold(at, reason, table),
            }
        }
        self.lines.drain(..used);
        self.size = self.lines.iter().map(|(_, text)| text.len() + LINE).sum();
        self.next = LONG.max(if used > 0 { self.size + LONG } else { 2 * self.size });
    }

    fn say(&mut self, line: u64, said: Said) {
        self.release();
        self.said.push((line, said));
    }

    /// Counts lines that are no boards.
    fn skip(&mut self, first: u64, lines: usize) {
        self.skipped += lines as u64;
        self.first_skipped.get_or_insert(first);
    }

    /// Keeps rows that are not understood. They may be a board with those before, under one another or side by side.
    fn hold(&mut self, line: u64, reason: String, table: Table) {
        let fits = |(.., last): &(u64, String, Table)| last.height() == table.height() && self.held.len() < MOST_HELD;
        if !self.held.last().is_none_or(fits) {
            self.release();
        }
        self.held.push((line, reason, table));
        let tables: Vec<&Table> = self.held.iter().map(|(.., table)| table).collect();
        let (height, width) = (tables[0].height(), tables[0].width);
        let is_column = height == 1 && tables.len() == width && tables.iter().all(|table| table.width == width);
        let is_wide =
            (2..17).contains(&tables.len()) && tables.iter().map(|table| table.width).sum::<usize>() >= height;
        let joined = match (is_column, is_wide) {
            (true, _) => Table::new(width, tables.iter().flat_map(|table| table.cells.iter().copied()).collect()),
            (_, true) => Table::beside(&tables),
            _ => return,
        };
        let is_board = |(meaning, boards): &(&str, Boards)| {
            let are_right = boards.iter().all(|(_, verdict)| matches!(verdict, Finding::Solution(_)));
            *meaning == "squares" && (is_column || are_right) || *meaning == "columns" && are_right
        };
        if let Some((_, boards)) = all_readings(&joined).into_iter().find(is_board) {
            let first = self.held[0].0;
            self.held.clear();
            self.said.extend(boards.into_iter().map(|(_, verdict)| (first, Ok(verdict))));
        }
    }

    /// Says that the rows that were kept are not understood.
    fn release(&mut self) {
        self.said.extend(self.held.drain(..).map(|(line, reason, _)| (line, Err(reason))));
    }

    /// Ends the text. A lone 0, 1 or queen is a board of one square if there is nothing else.
    fn end(&mut self) {
        let open = (self.nesting.depth > 0).then(|| self.line - self.current.matches('\n').count() as u64);
        self.nesting = Nesting::default();
        if open.is_some() {
            self.current.clear();
        }
        self.end_line();
        self.end_block(true);
        if let Some(line) = open {
            self.say(line, Err("a bracket is not closed".to_owned()));
        }
        self.release();
        let is_board = self.ones.len() == 1 && !self.has_found && open.is_none();
        for (line, is_queen) in std::mem::take(&mut self.ones) {
            match is_queen {
                _ if is_board => self.say(line, Ok(Finding::Solution(vec![0]))),
                true => self.say(line, Err("it is one square of a board".to_owned())),
                false => self.skip(line, 1),
            }
        }
    }
}
