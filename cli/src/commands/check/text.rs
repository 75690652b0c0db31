//! Bytes to lines and brackets.

use super::boards::Boards;
use super::rows;

/// The most bytes of a line or a bracket. Ten million columns take 79 million.
const LONGEST: usize = 128 << 20;

#[derive(Default)]
pub(crate) struct Text {
    pub(crate) boards: Boards,
    /// Makes a unit of UTF-16 of two bytes.
    utf16: Option<fn([u8; 2]) -> u16>,
    /// Bytes of a character that is not complete.
    rest: Vec<u8>,
    /// What stands outside of all brackets, and in the innermost bracket.
    line: String,
    group: String,
    depth: u64,
    /// The line where the bracket begins.
    start: u64,
    /// Whether the bracket at hand has others in it, and whether a bracket on this line was rows.
    is_nested: bool,
    is_read: bool,
    /// The sign that ends the text in quotes at hand, within a bracket: its brackets are text.
    quote: Option<char>,
    was_cr: bool,
}

impl Text {
    /// Reads the next bytes. No bytes are the end. Fails if they are no text.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<(), &'static str> {
        if self.boards.line == 0 {
            self.boards.line = 1;
            self.utf16 = match bytes {
                [0xff, 0xfe, ..] => Some(u16::from_le_bytes),
                [0xfe, 0xff, ..] => Some(u16::from_be_bytes),
                _ => None,
            };
        }
        self.rest.extend(bytes);
        for sign in self.decode(bytes.is_empty()).chars().filter(|sign| !"\u{feff}\u{fe0f}".contains(*sign)) {
            self.read(sign)?;
        }
        if bytes.is_empty() {
            self.end_line();
            self.boards.finish(Some(self.start).filter(|_| self.depth > 0));
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

    fn read(&mut self, sign: char) -> Result<(), &'static str> {
        let is_inside = self.depth > 0;
        let was_cr = std::mem::replace(&mut self.was_cr, sign == '\r');
        match sign {
            '\0' => return Err("it has a NUL: give text in UTF-8, or in UTF-16 with its mark"),
            '\n' if was_cr => {}
            '\n' | '\r' => self.new_line(),
            _ if self.quote.is_some() => {
                self.quote.take_if(|quote| *quote == sign);
                self.group.push(sign);
            }
            '"' | '\'' if is_inside => {
                self.quote = Some(sign).filter(|sign| *sign == '"' || !self.is_in_word());
                self.group.push(sign);
            }
            '[' | '(' | '{' => {
                self.group.clear();
                (self.depth, self.start, self.is_nested) = (self.depth + 1, self.boards.line, false);
            }
            ']' | ')' | '}' if is_inside => self.close(),
            ';' if is_inside => self.end_group(),
            ';' => _ = self.end_line(),
            _ if is_inside => self.group.push(sign),
            _ => self.line.push(sign),
        }
        let is_long = self.line.len().max(self.group.len()) > LONGEST;
        if is_long { Err("it is longer than 128 million letters") } else { Ok(()) }
    }

    /// Whether an apostrophe is one, as in "here's", because two letters are before it. Python has texts such as u'Q'.
    fn is_in_word(&self) -> bool {
        self.group.chars().rev().take(2).filter(|sign| sign.is_alphabetic()).count() == 2
    }

    fn new_line(&mut self) {
        self.quote = None;
        if self.depth > 0 {
            self.group.push(' ');
        } else if self.end_line() {
            self.boards.end();
        } else {
            self.boards.end_line_of_pairs();
        }
        self.boards.line += 1;
    }

    /// Ends what stands outside of all brackets. Returns whether the line is blank.
    fn end_line(&mut self) -> bool {
        let text = std::mem::take(&mut self.line);
        let (is_read, is_blank) = (std::mem::take(&mut self.is_read), text.trim().is_empty());
        if !is_read && !is_blank {
            self.boards.add_line(rows::of_line(&text), rows::is_ruler(&text));
        }
        is_blank && !is_read
    }

    /// Ends what stands in the innermost bracket.
    fn end_group(&mut self) {
        let lines = rows::of_bracket(&std::mem::take(&mut self.group));
        let are_several = lines.len() > 1;
        self.is_read |= !lines.is_empty();
        lines.into_iter().for_each(|rows| self.boards.add(rows, self.start, false));
        if are_several {
            self.boards.end();
        }
        self.start = self.boards.line;
    }

    fn close(&mut self) {
        self.depth -= 1;
        let thing = self.group.trim().trim_matches(',');
        if std::mem::replace(&mut self.is_nested, true) {
            self.boards.end();
            self.is_read = true;
        } else if self.depth == 0 && rows::number(thing).is_some() {
            // A label, as in "[1] 2 4 1 3".
            self.line += &format!("{thing}: ");
        } else if self.depth == 0 && thing.chars().count() < 2 {
            // A square, as in "[ ][Q]".
            self.line += &format!("|{}", if thing.is_empty() { "□" } else { thing });
        } else {
            self.end_group();
        }
    }
}
