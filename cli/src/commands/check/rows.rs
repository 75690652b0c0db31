//! Text to rows: a line or a bracket holds cells, numbers, or neither.

use std::borrow::Cow;

/// The largest board that is read: the largest that 'nqueens solutions --any' writes.
pub(super) const MOST_ROWS: usize = 10_000_000;

/// The most cells of a row, so that a board of them takes 144 MB.
const LONGEST_ROW: usize = 6000;

/// A number that is no column: negative, with a fraction, or too large.
pub(super) const NO_COLUMN: u32 = u32::MAX;

/// Cells or numbers of a line or a bracket, and then of a board.
pub(super) struct Rows {
    pub(super) items: Vec<u32>,
    /// The number of items in the first line: of cells, of two numbers for a pair, of one for each lone number.
    pub(super) width: usize,
    pub(super) is_cells: bool,
    pub(super) least: u32,
    pub(super) most: u32,
}

impl Rows {
    fn new(items: Vec<u32>, width: usize, is_cells: bool) -> Self {
        let (least, most) = (items.iter().copied().min().unwrap_or(0), items.iter().copied().max().unwrap_or(0));
        Self { items, width, is_cells, least, most }
    }

    pub(super) fn numbers(items: Vec<u32>, width: usize) -> Self {
        Self::new(items, width, false)
    }

    /// A row of at most two kinds of cells.
    fn cells(cells: impl Iterator<Item = char>) -> Option<Self> {
        let cells: Vec<u32> = cells.map(u32::from).take(LONGEST_ROW + 1).collect();
        let width = cells.len();
        let row = Self::new(cells, width, true);
        let are_two = row.items.iter().all(|cell| *cell == row.least || *cell == row.most);
        ((2..=LONGEST_ROW).contains(&width) || width == 1 && row.has_queen()).then_some(row).filter(|_| are_two)
    }

    /// The number of rows of the board so far.
    pub(super) fn count(&self) -> usize {
        self.items.len() / if self.is_cells || self.width == 2 { self.width } else { 1 }
    }

    pub(super) fn add(&mut self, next: &Self) {
        self.items.extend(&next.items);
        (self.least, self.most) = (self.least.min(next.least), self.most.max(next.most));
    }

    pub(super) fn has_queen(&self) -> bool {
        is_queen(self.least) || is_queen(self.most)
    }

    /// Whether it is zeros and ones.
    pub(super) fn is_binary(&self) -> bool {
        self.is_cells && [self.least, self.most].iter().all(|kind| [u32::from('0'), u32::from('1')].contains(kind))
    }

    /// The number of rows that the largest column needs.
    pub(super) fn needed(&self, base: Option<u32>) -> usize {
        needed(self.least, self.most, base)
    }

    /// Whether they may number the columns of a grid.
    pub(super) fn is_heading(&self, width: usize) -> bool {
        let are_in_order = self.items.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]));
        !self.is_cells && self.items.len() == width && are_in_order
    }

    /// Whether `next` is the next line of the same board. `are_bare`: neither is in brackets.
    pub(super) fn goes_on(&self, next: &Self, base: Option<u32>, are_bare: bool) -> bool {
        let (n, least, most) = (self.count(), self.least.min(next.least), self.most.max(next.most));
        match self.width {
            _ if self.is_cells != next.is_cells || n > MOST_ROWS => false,
            width if self.is_cells => {
                let are_two =
                    [self.least, self.most, next.least, next.most].iter().all(|kind| [least, most].contains(kind));
                width == next.width && next.count() == 1 && are_two
            }
            1 => next.width == 1,
            // The first row again begins another board.
            2 if next.items.len() == 2 => {
                next.items[0] != self.items[0] || self.items[2 * n - 2] as usize + 1 != self.items[0] as usize + n
            }
            // A list goes on until it is as long as its largest column needs. Its first line may look whole. Two numbers
            // after a whole one, such as a size and its count, must end the board.
            3.. if are_bare => {
                let (rest, needed) = (next.items.len(), needed(least, most, base));
                let is_rest = next.needed(base) > rest && (rest < n || next.least > self.most);
                let is_part = is_rest && (rest > 2 || rest == 2 && n + rest == needed);
                (is_part || self.needed(base) > n) && n + rest <= needed
            }
            _ => false,
        }
    }

    /// The kind of cell that is a queen: a usual one, else the one that is once in each row.
    pub(super) fn queen(&self) -> Option<u32> {
        let count = |cells: &[u32], kind: u32| cells.iter().filter(|cell| **cell == kind).count();
        let is_once = |kind: u32| self.items.chunks(self.width).all(|row| count(row, kind) == 1);
        // In a matrix 1 is a queen, unless 0 is the one that is once in each row.
        let is_usual = |kind: u32| {
            "1X*R".chars().any(|usual| u32::from(usual) == kind)
                && (2 * count(&self.items, kind) <= self.items.len() || self.is_binary() && !is_once(u32::from('0')))
        };
        let only = |is_one: &dyn Fn(u32) -> bool| match [self.least, self.most].map(is_one) {
            [true, false] => Some(self.least),
            [false, true] => Some(self.most),
            [are_both, _] => Some(self.least).filter(|_| are_both && self.least == self.most),
        };
        only(&is_queen).or_else(|| only(&is_usual)).or_else(|| only(&is_once))
    }
}

/// Whether a kind of cell always is a queen.
fn is_queen(kind: u32) -> bool {
    "Qq♕♛".chars().any(|queen| u32::from(queen) == kind)
}

fn needed(least: u32, most: u32, base: Option<u32>) -> usize {
    most as usize + usize::from(least == 0 || base == Some(0))
}

/// What stands in a line outside of all brackets, without a label such as "Solution 1:" or "2)".
pub(super) fn of_line(text: &str) -> Option<Rows> {
    let is_label = |label: &str| label.trim_end().ends_with(char::is_alphanumeric);
    let parts = text.rsplit_once([':', '=', ')']).filter(|(label, rest)| is_label(label) && !rest.trim().is_empty());
    let rest = parts.map_or(text.trim_end_matches([' ', ':']), |(_, rest)| rest);
    let list = if rest.contains('.') { None } else { numbers(rest) };
    let rows = chess(text).or(list).or_else(|| cells(rest));
    rows.filter(|rows| parts.is_none() || rows.width > 2)
}

/// What stands in a bracket. Each of several texts in quotes is a line.
pub(super) fn of_bracket(text: &str) -> Vec<Rows> {
    let quoted: Vec<&str> = text.split(['"', '\'']).skip(1).step_by(2).collect();
    let long = quoted.iter().filter(|text| text.len() > 3);
    let lines: Vec<Rows> = long.filter_map(|text| chess(text).or_else(|| cells(text))).collect();
    if !lines.is_empty() {
        return lines;
    }
    let are_squares = !quoted.is_empty() && quoted.iter().all(|text| text.chars().count() < 2);
    let squares = || Rows::cells(quoted.iter().map(|text| text.chars().next().unwrap_or(' ')));
    // A list of millions of columns is not copied.
    let text = if quoted.is_empty() { Cow::from(text) } else { text.replace(['"', '\''], "").into() };
    let is_word = (2..4).contains(&text.trim().len()) && !text.contains(',');
    let row = || if are_squares { squares() } else { cells(&text).filter(|_| !is_word) };
    numbers(&text).or_else(row).into_iter().collect()
}

/// Whether a line is drawn between rows or boards.
pub(super) fn is_ruler(text: &str) -> bool {
    let is_part = |c: char| " +|-=*_~:".contains(c) || ('\u{2500}'..='\u{257f}').contains(&c);
    let is_mixed = text.contains('*') && text.contains(|c| c != '*' && c != ' ');
    text.chars().all(is_part) && text.contains(|c| !" |│┃║".contains(c)) && !is_mixed
}

/// A whole number, also as 1. or 1.0. Other numbers are no columns.
pub(super) fn number(word: &str) -> Option<u32> {
    let whole = word.trim_end_matches('0').strip_suffix('.').unwrap_or(word);
    let is_number = word.starts_with(|c: char| c.is_ascii_digit()) && word.parse::<f64>().is_ok();
    is_number.then(|| whole.parse().unwrap_or(NO_COLUMN))
}

/// Whether a word is cells, although it may be a number.
fn is_binary(word: &str) -> bool {
    word.len() > 3 && word.bytes().all(|byte| matches!(byte, b'0' | b'1'))
}

/// Numbers, perhaps with keys such as "row:", or with signs that make pairs of them, as in 1/2. Zeros and ones are a row
/// of cells.
fn numbers(text: &str) -> Option<Rows> {
    let is_between = |c: char| c.is_whitespace() || ",:=/-".contains(c);
    let (mut all, mut pairs, mut has_keys, mut is_negative) = (Vec::new(), 0, false, false);
    for part in text.split_inclusive(is_between) {
        let name = part.strip_suffix(is_between).unwrap_or(part);
        match number(name) {
            Some(_) if all.len() > MOST_ROWS => {}
            Some(number) => {
                all.push(if is_negative { NO_COLUMN } else { number });
                pairs += usize::from(part.ends_with([':', '=', '/', '-']));
            }
            None if is_negative => return None,
            None if part.ends_with([':', '=']) => has_keys = true,
            None if name.is_empty() && part != "/" => {}
            None => return None,
        }
        is_negative = part == "-";
    }
    match all.len() {
        _ if is_negative => None,
        1 if is_binary(text.trim()) => None,
        n if n == 0 || pairs > 0 && n != 2 * pairs || has_keys && n != 2 => None,
        _ if pairs > 0 => Some(Rows::numbers(all, 2)),
        n if n > 2 && all.iter().all(|number| *number < 2) => {
            Rows::cells(all.iter().map(|number| if *number == 0 { '0' } else { '1' }))
        }
        n => Some(Rows::numbers(all, n)),
    }
}

/// A row of cells, without the frame and the number before it.
fn cells(text: &str) -> Option<Rows> {
    let is_bar = |c: char| "|│┃║,\t".contains(c);
    let text = if text.len() > 4 * LONGEST_ROW { "" } else { text };
    // Each square may have two bars of its own.
    let text = text.replace(['"', '\''], "").replace("||", "|").replace('░', " ");
    let text = text.trim();
    let inner = text.strip_prefix(is_bar).unwrap_or(text);
    let inner = inner.strip_suffix(is_bar).unwrap_or(inner);
    let is_wide = inner.chars().count() % 2 == 0 && inner.chars().skip(1).step_by(2).all(|sign| sign == ' ');
    if text.starts_with('│') && !inner.contains(is_bar) && is_wide {
        // Squares as wide as two letters.
        return Rows::cells(inner.chars().step_by(2));
    }
    let mut fields: Vec<&str> = inner.split(is_bar).map(str::trim).collect();
    if fields.iter().any(|field| cell(field).is_none() && number(field).is_none()) {
        fields = inner.split(|c| is_bar(c) || c == ' ').filter(|field| !field.is_empty()).collect();
    }
    match fields[..] {
        // Between bars, spaces are cells.
        [word] if inner != text => return Rows::cells(inner.chars()).or_else(|| Rows::cells(word.chars())),
        [word] if number(word).is_some() && !is_binary(word) => return None,
        [word] => return Rows::cells(word.chars()),
        [label, first, _, _, _, ..] if number(label).is_some() => {
            let others = &fields[1..];
            let is_label =
                others.iter().all(|field| number(field).is_none()) && others.iter().any(|field| *field != first);
            fields.drain(..usize::from(is_label));
        }
        _ => {}
    }
    Rows::cells(fields.iter().map(|field| cell(field)).collect::<Option<Vec<_>>>()?.into_iter())
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
fn chess(text: &str) -> Option<Rows> {
    let word = text.split([' ', '"']).find(|word| word.contains('/') && word.contains(['Q', 'q']))?;
    let n = word.split('/').count();
    let mut cells = Vec::new();
    for (row, text) in word.split('/').enumerate().take(1 << 12) {
        for part in text.split_inclusive(['Q', 'q']) {
            let empty = part.trim_end_matches(['Q', 'q']);
            let run = if empty.is_empty() { 0 } else { empty.parse().ok().filter(|run| *run <= n)? };
            cells.extend(std::iter::repeat_n(u32::from('.'), run));
            cells.extend((empty != part).then_some(u32::from('Q')));
        }
        if cells.len() != (row + 1) * n {
            return None;
        }
    }
    Some(Rows::new(cells, n, true)).filter(|_| n < 1 << 12)
}
