//! Bytes to lines and brackets, and each of these to a shape.

use super::boards::Boards;
use super::shape::{MOST_ROWS, NO_COLUMN, QUEENS, Shape};

/// The most bytes of a line or a bracket. Ten million columns take 79 million.
const LONGEST: usize = 128 << 20;

/// The most cells of a row, so that a board of them takes 144 MB.
const LONGEST_ROW: usize = 6000;

#[derive(Default)]
pub(crate) struct Text {
    pub(crate) boards: Boards,
    /// Makes a unit of UTF-16 of two bytes.
    utf16: Option<fn([u8; 2]) -> u16>,
    /// Bytes of a character that is not complete.
    rest: Vec<u8>,
    /// What stands outside of all brackets, in the innermost bracket, and in quotes there.
    line: String,
    group: String,
    quoted: String,
    quote: Option<char>,
    depth: u64,
    /// The line where the bracket begins.
    start: u64,
    /// Whether the bracket at hand has others in it, and whether a bracket on this line was a shape.
    is_nested: bool,
    is_read: bool,
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
        match (self.quote, sign) {
            (_, '\0') => return Err("it has a NUL: give text in UTF-8, or in UTF-16 with its mark"),
            (_, '\n') if was_cr => {}
            (_, '\n' | '\r') => self.new_line(),
            (Some(quote), _) if sign == quote => self.end_quote(),
            (Some(_), _) => self.quoted.push(sign),
            (None, '[' | '(' | '{') => {
                self.group.clear();
                (self.depth, self.start, self.is_nested) = (self.depth + 1, self.boards.line, false);
            }
            (None, ']' | ')' | '}') if is_inside => self.close(),
            (None, ';') if is_inside => self.end_group(),
            (None, ';') => _ = self.end_line(),
            (None, '"' | '\'') if is_inside => self.quote = Some(sign),
            (None, _) if is_inside => self.group.push(sign),
            (None, _) => self.line.push(sign),
        }
        let longest = self.line.len().max(self.group.len()).max(self.quoted.len());
        if longest > LONGEST { Err("it is longer than 128 million letters") } else { Ok(()) }
    }

    fn new_line(&mut self) {
        if self.quote.take().is_some() {
            // An apostrophe.
            self.group.push('\'');
        }
        if self.depth > 0 {
            self.group.push(' ');
        } else if self.end_line() || self.boards.is_line_of_pairs() {
            self.boards.end();
        }
        self.boards.line += 1;
    }

    /// Ends what stands outside of all brackets. Returns whether it is blank.
    fn end_line(&mut self) -> bool {
        let text = std::mem::take(&mut self.line);
        let (is_read, is_blank) = (std::mem::take(&mut self.is_read), text.trim().is_empty());
        if !is_read && !is_blank {
            // A label, such as "Solution 1:" or "2)".
            let is_label = |label: &str| label.trim_end().ends_with(char::is_alphanumeric);
            let parts =
                text.rsplit_once([':', '=', ')']).filter(|(label, rest)| is_label(label) && !rest.trim().is_empty());
            let rest = parts.map_or(text.trim_end_matches([' ', ':']), |(_, rest)| rest);
            let list = if rest.contains('.') { None } else { numbers(rest) };
            let shape = chess(&text).or(list).or_else(|| cells(rest));
            let shape = shape.filter(|shape| parts.is_none() || shape.step > 2);
            self.boards.add_line(shape, is_ruler(&text));
        }
        is_blank && !is_read
    }

    /// Ends what stands in the innermost bracket.
    fn end_group(&mut self) {
        let text = std::mem::take(&mut self.group);
        let is_word = (2..4).contains(&text.trim().len()) && !text.contains(',');
        let shape = numbers(&text).or_else(|| cells(&text).filter(|_| !is_word));
        drop(text);
        self.is_read |= shape.is_some();
        shape.into_iter().for_each(|shape| self.boards.add(shape, self.start, false));
        self.start = self.boards.line;
    }

    /// Ends a text in quotes: a row of cells, or a part of what is around it.
    fn end_quote(&mut self) {
        self.quote = None;
        let text = std::mem::take(&mut self.quoted);
        match if text.len() > 3 { chess(&text).or_else(|| cells(&text)) } else { None } {
            Some(row) => {
                self.boards.add(row, self.boards.line, false);
                (self.is_nested, self.is_read) = (true, true);
            }
            None => self.group += if text.trim().is_empty() { "_" } else { &text },
        }
    }

    fn close(&mut self) {
        self.depth -= 1;
        let thing = self.group.trim().trim_matches(',');
        if std::mem::replace(&mut self.is_nested, true) {
            self.boards.end();
            self.is_read = true;
        } else if self.depth == 0 && number(thing).is_some() {
            // A label, as in "[1] 2 4 1 3".
            self.line += &format!("{thing}: ");
        } else if self.depth == 0 && thing.chars().count() < 2 {
            // A square, as in "[ ][Q]".
            self.line += &format!("|{thing:1}|");
        } else {
            self.end_group();
        }
    }
}

/// Whether a line is drawn between rows or boards.
fn is_ruler(text: &str) -> bool {
    let is_part = |c: char| " +|-=*_~:".contains(c) || ('\u{2500}'..='\u{257f}').contains(&c);
    let is_mixed = text.contains('*') && text.contains(|c| c != '*' && c != ' ');
    text.chars().all(is_part) && text.contains(|c| !" |│┃║".contains(c)) && !is_mixed
}

/// A whole number, also as 1. or 1.0. Other numbers are no columns.
fn number(word: &str) -> Option<u32> {
    let whole = word.trim_end_matches('0').strip_suffix('.').unwrap_or(word);
    let is_number = word.starts_with(|c: char| c == '-' || c.is_ascii_digit()) && word.parse::<f64>().is_ok();
    is_number.then(|| whole.parse().unwrap_or(NO_COLUMN))
}

/// Numbers, perhaps with keys such as "row:", or with signs that make pairs of them, as in 1/2. Zeros and ones are a row.
fn numbers(text: &str) -> Option<Shape> {
    const SIGNS: [char; 4] = [':', '=', '/', '-'];
    let (mut all, mut pairs, mut has_keys) = (Vec::new(), 0, false);
    let words = text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
    for word in words.take(MOST_ROWS + 1) {
        if let Some(number) = number(word) {
            all.push(number);
            continue;
        }
        for part in word.split_inclusive(SIGNS) {
            let name = part.trim_end_matches(SIGNS);
            match number(name) {
                Some(number) => all.push(number),
                None if part.ends_with([':', '=']) => has_keys = true,
                None => return None,
            }
            pairs += usize::from(name != part && number(name).is_some());
        }
    }
    match all.len() {
        1 if is_row(text.trim()) => None,
        n if n == 0 || pairs > 0 && n != 2 * pairs || has_keys && n != 2 => None,
        _ if pairs > 0 => Some(Shape::new(all, 2, false)),
        n if n > 2 && all.iter().all(|number| *number < 2) => {
            row(all.iter().map(|number| if *number == 0 { '0' } else { '1' }))
        }
        n => Some(Shape::new(all, n, false)),
    }
}

/// Whether a number is a row of cells: a word of zeros and ones.
fn is_row(word: &str) -> bool {
    word.len() > 3 && word.chars().all(|digit| digit == '0' || digit == '1')
}

/// A row of at most two kinds of cells.
fn row(cells: impl Iterator<Item = char>) -> Option<Shape> {
    let cells: Vec<u32> = cells.map(u32::from).take(LONGEST_ROW + 1).collect();
    let width = cells.len();
    let row = Shape::new(cells, width, true);
    let is_row = width > 1 && width <= LONGEST_ROW || width == 1 && row.kinds().any(|kind| QUEENS.contains(kind));
    (is_row && row.has_two_kinds()).then_some(row)
}

/// A row of cells, without the frame and the number before it.
fn cells(text: &str) -> Option<Shape> {
    let is_bar = |c: char| "|│┃║,\t".contains(c);
    let text = text.get(..4 * LONGEST_ROW).map_or(text, |_| "");
    let text = text.replace(['"', '\''], "").replace("||", "|").replace('░', " ");
    let text = text.trim();
    let inner = text.strip_prefix(is_bar).unwrap_or(text);
    let inner = inner.strip_suffix(is_bar).unwrap_or(inner);
    let is_wide = inner.chars().count() % 2 == 0 && inner.chars().skip(1).step_by(2).all(|sign| sign == ' ');
    if text.starts_with('│') && !inner.contains(is_bar) && is_wide {
        // Squares as wide as two letters.
        return row(inner.chars().step_by(2));
    }
    let mut fields: Vec<&str> = inner.split(is_bar).map(str::trim).collect();
    if fields.iter().any(|field| cell(field).is_none() && number(field).is_none()) {
        fields = inner.split(|c| is_bar(c) || c == ' ').filter(|field| !field.is_empty()).collect();
    }
    match fields[..] {
        // Between bars, spaces are cells.
        [word] if inner != text => return row(inner.chars()).or_else(|| row(word.chars())),
        [word] if number(word).is_some() && !is_row(word) => return None,
        [word] => return row(word.chars()),
        [label, first, _, _, _, ..] if number(label).is_some() => {
            let others = &fields[1..];
            let is_label =
                others.iter().all(|field| number(field).is_none()) && others.iter().any(|field| *field != first);
            fields.drain(..usize::from(is_label));
        }
        _ => {}
    }
    row(fields.iter().map(|field| cell(field)).collect::<Option<Vec<_>>>()?.into_iter())
}

/// The kind of a cell that stands alone.
fn cell(field: &str) -> Option<char> {
    match field {
        "" => Some(' '),
        "True" | "true" => Some('1'),
        "False" | "false" => Some('0'),
        _ => field.chars().next().filter(|cell| field.len() == cell.len_utf8()),
    }
}

/// A board as in chess, such as 1Q2/3Q/Q3/2Q1: a number is the length of a run of empty squares.
fn chess(text: &str) -> Option<Shape> {
    let word = text.split([' ', '"']).find(|word| word.contains('/') && word.contains(['Q', 'q']))?;
    let n = word.split('/').count();
    let row = |text: &str| {
        let mut cells = Vec::new();
        for part in text.split_inclusive(['Q', 'q']) {
            let empty = part.trim_end_matches(['Q', 'q']);
            let count = if empty.is_empty() { 0 } else { empty.parse().ok().filter(|count| *count <= n)? };
            cells.extend(std::iter::repeat_n(u32::from('.'), count));
            cells.extend((empty != part).then_some(u32::from('Q')));
        }
        Some(cells).filter(|cells| cells.len() == n && n < 1 << 12)
    };
    Some(Shape::new(word.split('/').map(row).collect::<Option<Vec<_>>>()?.concat(), n, true))
}
