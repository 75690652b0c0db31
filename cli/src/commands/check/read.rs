//! Reads boards line by line, in one form for the whole text. What may be something else ends the reading: a board is never
//! called wrong because it was misread.

use super::groups::{Group, Groups, SEPARATORS};
use super::judge::{Finding, judge};

/// What is read, for messages.
pub(super) const FORMS: &str =
    "lists of columns such as '2 4 1 3' or '[1, 3, 0, 2]', grids such as '.Q..' or '0 1 0 0', and FEN";

/// The form of all boards of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Form {
    Columns,
    Grid,
    Fen,
    /// As `nqueens solutions --format json` prints it.
    Json,
}

/// Why a line ends the reading.
pub(super) type Refused = &'static str;

const INCOMPLETE: Refused = "a board must have as many rows as columns";
const ONE_SQUARE: Refused = "one square is a board only if it is the whole text";

/// The state of a reading.
#[derive(Default)]
pub(super) struct Reader {
    form: Option<Form>,
    /// The signs of a queen and of an empty square in all grids so far.
    queen: Option<char>,
    empty: Option<char>,
    /// The rows of the open board, without separators, and the line of the first.
    rows: Vec<String>,
    first: u64,
    groups: Groups,
    /// Whether the line has neither brackets nor quotes.
    is_plain: bool,
    /// A board of a grid without brackets. Another row directly below says that it was no board.
    held: Option<(u64, Finding)>,
    /// A board of one square, if there is nothing else yet.
    one: Option<u64>,
    /// The last line that was read, from 1.
    pub(super) line: u64,
    /// Lines of words that were skipped.
    pub(super) skipped: u64,
    /// Boards that were found, with the line where each begins.
    pub(super) found: Vec<(u64, Finding)>,
}

impl Reader {
    /// Reads a line.
    pub(super) fn line(&mut self, text: &str) -> Result<(), Refused> {
        self.line += 1;
        let text = text.trim();
        self.is_plain = !text.contains(['[', '(', '{', '\'', '"']);
        if text.is_empty() {
            self.found.extend(self.held.take());
            return if self.rows.is_empty() { Ok(()) } else { Err(INCOMPLETE) };
        }
        if self.one.is_some() {
            return Err(ONE_SQUARE);
        }
        if let Some(columns) = json(text) {
            self.become_form(Form::Json)?;
            return self.columns(&columns?, self.line);
        }
        let field = text.split_whitespace().next().unwrap_or_default();
        if is_fen(field) {
            // The other fields of FEN begin with the side to move. Anything else may be another board.
            let mut fields = text.split_whitespace().skip(1);
            let is_whole = fields.next().is_none_or(|side| matches!(side, "w" | "b")) && !fields.any(is_fen);
            return if is_whole { self.fen(field) } else { Err("a board in FEN must be alone on its line") };
        }
        let (is_labelled, rest) = split_label(text);
        if is_words(text) || is_labelled && rest.is_empty() {
            self.skipped += 1;
            self.found.extend(self.held.take());
            self.groups.words(text)?;
            return if self.rows.is_empty() { Ok(()) } else { Err(INCOMPLETE) };
        }
        // Labels of rows are not read: the rows of a board may have another order.
        if is_labelled && !rest.starts_with(['[', '(', '{']) && numbers(rest).is_none_or(|numbers| numbers.len() < 4) {
            return Err("words may stand before a list only");
        }
        let mut groups = std::mem::take(&mut self.groups);
        let is_read = groups.line(rest, &mut |group| self.group(group));
        self.groups = groups;
        is_read
    }

    /// Ends the text.
    pub(super) fn end(&mut self) -> Result<(), Refused> {
        self.groups.finish()?;
        self.found.extend(self.held.take());
        if let Some(line) = self.one.take() {
            self.found.push((line, Finding::Solution(vec![0])));
        }
        if self.rows.is_empty() { Ok(()) } else { Err(INCOMPLETE) }
    }

    fn become_form(&mut self, form: Form) -> Result<(), Refused> {
        if !self.rows.is_empty() && form != Form::Grid {
            return Err(INCOMPLETE);
        }
        match &self.form {
            Some(known) if *known != form => Err("it has another form than the boards before"),
            _ => {
                self.form = Some(form);
                Ok(())
            }
        }
    }

    /// Reads a list, a row of a grid, or a board in FEN.
    fn group(&mut self, Group { text: group, opened }: Group<'_>) -> Result<(), Refused> {
        if self.one.is_some() {
            return Err(ONE_SQUARE);
        }
        if opened > 1 && !self.rows.is_empty() {
            return Err(INCOMPLETE);
        }
        let Some(list) = numbers(group) else {
            return if is_fen(group) { self.fen(group) } else { self.row(group) };
        };
        let is_binary = list.iter().all(|&number| number <= 1);
        match list.len() {
            // A row without separators.
            1 if group.len() >= 4 && group.bytes().all(|sign| matches!(sign, b'0' | b'1')) => self.row(group),
            1 => self.one(is_binary),
            2 | 3 => Err("two or three numbers are no board that can be right"),
            _ if is_binary => self.row(group),
            _ => {
                self.become_form(Form::Columns)?;
                is_even(group, |sign| sign.is_ascii_digit())?;
                self.columns(&list, self.line)
            }
        }
    }

    fn one(&mut self, is_square: bool) -> Result<(), Refused> {
        if !is_square || self.form.is_some() || self.skipped > 0 || !self.found.is_empty() {
            return Err(if is_square { ONE_SQUARE } else { "one number is no board" });
        }
        self.one = Some(self.line);
        Ok(())
    }

    /// Judges a list of columns.
    fn columns(&mut self, list: &[u32], line: u64) -> Result<(), Refused> {
        let (n, has_zero) = (list.len() as u32, list.contains(&0));
        if list.iter().any(|&column| column > n) || has_zero && list.contains(&n) {
            return Err("its numbers are no columns, neither from 0 nor from 1");
        }
        let is_in_order = |part: &[u32]| part.windows(2).all(|pair| pair[1] == pair[0] + 1);
        if n > 3 && (is_in_order(&list[1..]) || is_in_order(&list[..list.len() - 1])) {
            return Err("numbers in order may be a heading");
        }
        let mut kinds = list.to_vec();
        kinds.sort_unstable();
        kinds.dedup();
        if n > 3 && kinds.len() < 3 {
            return Err("it has two numbers only: it may be a row of a matrix");
        }
        let (base, least) = (u32::from(!has_zero), list.iter().min().copied().unwrap_or(0));
        let finding = judge(list.len(), base, (0..).zip(list.iter().map(|column| column - base)));
        // A label or a size may stand beside a board. Attacks do not depend on the base.
        let is_solution = |part: &[u32]| {
            let least = part.iter().min().copied().unwrap_or(0);
            let in_board = part.iter().all(|column| column - least < n - 1);
            in_board
                && matches!(
                    judge(part.len(), 0, (0..).zip(part.iter().map(|column| column - least))),
                    Some(Finding::Solution(_))
                )
        };
        match finding {
            Some(Finding::Wrong(_)) if is_solution(&list[1..]) || is_solution(&list[..list.len() - 1]) => {
                Err("without its first or last number it is a solution: that number may be none of the board")
            }
            Some(Finding::Wrong(_)) if 2 * list.iter().max().map_or(0, |most| most - least + 1) <= n => {
                Err("its numbers are those of a board of half its size: it may be several rows of numbers")
            }
            Some(finding) => {
                self.found.push((line, finding));
                Ok(())
            }
            None => Err("its numbers are no columns"),
        }
    }

    /// Reads a row of a grid, and judges the board after its last row.
    fn row(&mut self, group: &str) -> Result<(), Refused> {
        is_even(group, |_| false)?;
        let row: String = group.chars().filter(|sign| !SEPARATORS.contains(sign)).collect();
        let n = row.chars().count();
        if n == 1 {
            return self.one(STRONG.iter().any(|&queen| row.starts_with(queen)));
        }
        self.become_form(Form::Grid)?;
        if self.held.is_some() {
            return Err("a row follows a board without an empty line between");
        }
        match self.rows.first() {
            None => self.first = self.line,
            Some(first) if first.chars().count() != n => return Err("its rows have different lengths"),
            Some(_) => {}
        }
        self.rows.push(row);
        if self.rows.len() == n { self.grid(n) } else { Ok(()) }
    }

    fn grid(&mut self, n: usize) -> Result<(), Refused> {
        let mut signs: Vec<char> = Vec::new();
        for sign in self.rows.iter().flat_map(|row| row.chars()) {
            if !signs.contains(&sign) {
                signs.push(sign);
            }
            if signs.len() > 2 {
                return Err("a grid has one sign for a queen and one for an empty square");
            }
        }
        let of = |queens: &[char]| signs.iter().copied().filter(|sign| queens.contains(sign)).collect::<Vec<_>>();
        let queens = if of(&STRONG).is_empty() { of(&WEAK) } else { of(&STRONG) };
        let ([queen], [_, _]) = (&queens[..], &signs[..]) else {
            return Err("it is not clear which sign is a queen");
        };
        let empty = signs.iter().copied().find(|sign| sign != queen);
        if self.queen.is_some_and(|known| known != *queen) || self.empty.is_some() && self.empty != empty {
            return Err("its signs are others than those of the boards before");
        }
        (self.queen, self.empty) = (Some(*queen), empty);
        let rows = std::mem::take(&mut self.rows);
        let squares =
            |row: &String| row.chars().enumerate().filter(|(_, sign)| sign == queen).map(|(at, _)| at as u32).collect();
        let columns: Vec<Vec<u32>> = rows.iter().map(squares).collect();
        if 2 * columns.iter().map(Vec::len).sum::<usize>() > n * n {
            return Err("more than half of the squares have the sign of a queen");
        }
        self.judge_rows(&columns, self.first)?;
        if self.is_plain {
            self.held = self.found.pop();
        }
        Ok(())
    }

    /// Reads a board in FEN: rows between slashes, empty squares as their number.
    fn fen(&mut self, field: &str) -> Result<(), Refused> {
        self.become_form(Form::Fen)?;
        let rows: Vec<&str> = field.split('/').collect();
        let mut columns = Vec::new();
        for row in &rows {
            let (mut queens, mut length) = (Vec::new(), 0);
            for part in row.split_inclusive(['Q', 'q']) {
                let empty = part.trim_end_matches(['Q', 'q']);
                length += if empty.is_empty() {
                    0
                } else {
                    empty.parse::<u32>().ok().filter(|&empty| empty <= 1 << 16).ok_or("FEN")?
                };
                if empty.len() < part.len() {
                    queens.push(length);
                    length += 1;
                }
            }
            if length as usize != rows.len() {
                return Err("each row of a board in FEN must have as many squares as there are rows");
            }
            columns.push(queens);
        }
        self.judge_rows(&columns, self.line)
    }

    /// Judges a board by the columns of the queens on each row.
    fn judge_rows(&mut self, rows: &[Vec<u32>], line: u64) -> Result<(), Refused> {
        let queens = (0..).zip(rows).flat_map(|(row, columns)| columns.iter().map(move |&column| (row, column)));
        let finding = judge(rows.len(), 1, queens).ok_or("it is no board")?;
        self.found.push((line, finding));
        Ok(())
    }
}

/// Signs that always are queens.
const STRONG: [char; 5] = ['Q', 'q', '♛', '♕', '👑'];

/// Signs that are queens where no other sign may be one.
const WEAK: [char; 4] = ['1', 'X', 'x', '*'];

/// The numbers of a group that has nothing else; `None` if it has.
fn numbers(text: &str) -> Option<Vec<u32>> {
    let words = text.split(SEPARATORS).filter(|word| !word.is_empty());
    let number = |word: &str| {
        let is_number = word.len() <= 8 && word.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| word.parse().ok()).flatten()
    };
    words.map(number).collect::<Option<Vec<u32>>>().filter(|numbers| !numbers.is_empty())
}

/// Refuses a group whose parts are not separated alike: it may be several boards, or pairs. A part is a run of signs that
/// `joins` joins, or one sign.
fn is_even(text: &str, joins: impl Fn(char) -> bool) -> Result<(), Refused> {
    // Most rows have no separators, and most lists have one space.
    if !text.contains(SEPARATORS) || text.bytes().all(|sign| sign == b' ' || sign.is_ascii_digit()) && joins('0') {
        return Ok(());
    }
    let (mut first, mut between, mut last) = (None::<String>, String::new(), None);
    for sign in text.trim_matches(SEPARATORS).chars() {
        if SEPARATORS.contains(&sign) {
            if sign != ' ' || !between.ends_with(' ') {
                between.push(sign);
            }
            continue;
        }
        let is_joined = between.is_empty() && last.is_some_and(&joins) && joins(sign);
        if last.is_some() && !is_joined {
            match &first {
                Some(first) if *first != between => return Err("its parts are separated in different ways"),
                Some(_) => {}
                None => first = Some(between.clone()),
            }
        }
        between.clear();
        last = Some(sign);
    }
    Ok(())
}

fn is_fen(field: &str) -> bool {
    field.contains('/') && field.chars().all(|sign| matches!(sign, '0'..='9' | 'Q' | 'q' | '/'))
}

/// Splits off a label: words with at most one number, or a number and a colon, up to the first colon or equals sign.
fn split_label(text: &str) -> (bool, &str) {
    let Some((label, rest)) = text.split_once([':', '=']) else { return (false, text) };
    let is_plain = |sign: char| sign.is_alphanumeric() || matches!(sign, ' ' | '#' | '_' | '-' | '.' | '$');
    let is_number = text[label.len()..].starts_with(':') && label.bytes().all(|sign| sign.is_ascii_digit());
    let has_words = label.chars().any(char::is_alphabetic) && count_of_numbers(label) <= 1;
    let is_label = label.chars().all(is_plain) && (has_words || is_number && !label.is_empty());
    if is_label { (true, rest.trim_start()) } else { (false, text) }
}

fn count_of_numbers(text: &str) -> usize {
    text.split(|sign: char| !sign.is_ascii_digit()).filter(|digits| !digits.is_empty()).count()
}

/// Whether a line is of words: a word of two letters or more, fewer than three numbers, and nothing that looks like a row of a
/// grid.
fn is_words(text: &str) -> bool {
    // Most lines have no letters side by side.
    if text.is_ascii() && !text.as_bytes().windows(2).any(|pair| pair.iter().all(u8::is_ascii_alphabetic)) {
        return false;
    }
    let has_word =
        text.split(|sign: char| !sign.is_alphabetic()).any(|word| word.chars().any(|sign| !word.starts_with(sign)));
    let parts = text.split(|sign: char| SEPARATORS.contains(&sign) || "[](){}'\"".contains(sign));
    // Signs on their own make a row as well.
    let signs: String = parts.clone().filter(|part| part.chars().count() == 1).collect();
    let has_row =
        signs.chars().nth(2).is_some() && signs.contains(|sign| STRONG.contains(&sign) || WEAK.contains(&sign));
    has_word && count_of_numbers(text) < 3 && !has_row && !parts.into_iter().any(is_like_a_row)
}

/// Whether a text of two signs or more has at most two kinds, of which one may be a queen, and no digits.
fn is_like_a_row(text: &str) -> bool {
    let mut kinds: Vec<char> = Vec::new();
    for sign in text.chars() {
        if !kinds.contains(&sign) {
            kinds.push(sign);
        }
        if kinds.len() > 2 || sign.is_ascii_digit() {
            return false;
        }
    }
    text.chars().nth(1).is_some() && kinds.iter().any(|kind| STRONG.contains(kind) || WEAK.contains(kind))
}

/// The columns of a line of `nqueens solutions --format json`. `None` for another line.
fn json(text: &str) -> Option<Result<Vec<u32>, Refused>> {
    let (size, columns) =
        text.strip_prefix("{\"schema\":1,\"size\":")?.strip_suffix("]}")?.split_once(",\"columns\":[")?;
    let columns = if columns.is_empty() { Some(Vec::new()) } else { numbers(columns) };
    let is_whole = columns.filter(|columns| size.parse() == Ok(columns.len()) && !columns.is_empty());
    Some(is_whole.ok_or("its size is not the number of its columns"))
}
