//! Reads boards line by line, in one form for the whole text. What may be something else ends the reading: a board is never
//! called wrong because it was misread.

use std::collections::BTreeSet;
use std::iter::repeat_n;

use anyhow::{Context, Result, bail, ensure};

use super::judge::{Finding, judge, wrong};

/// What is read, for messages.
pub(super) const FORMS: &str =
    "lists of columns such as '2 4 1 3' or '[1, 3, 0, 2]', grids such as '.Q..' or '0 1 0 0', and FEN";

const ONE_SQUARE: &str = "one square is a board only if it is the whole text, and an empty square has a sign, too";

/// What may stand between the numbers of a list or the signs of a row.
const SEPARATORS: [char; 6] = [' ', '\t', ',', ';', '|', '│'];

/// Signs that always are queens.
const STRONG: [char; 5] = ['Q', 'q', '♛', '♕', '👑'];

/// Signs that are queens where no other sign may be one.
const WEAK: [char; 4] = ['1', 'X', 'x', '*'];

/// The form of all boards of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Columns,
    /// Rows of signs. FEN is another way to write them.
    Grid,
    /// One square: a board only if it is the whole text.
    Square,
}

/// The state of a reading. A text has groups: what stands between brackets, else a line. Each is a list, a row of a grid, or a
/// board in FEN.
#[derive(Default)]
pub(super) struct Reader {
    form: Option<Form>,
    /// The open group. In brackets it may go on over line ends.
    text: String,
    /// Brackets that are open.
    depth: usize,
    /// Whether the next bracket that closes ends a row or a list. Otherwise it ends a matrix, and so a grid.
    is_inner: bool,
    /// The rows of the open grid, without separators, their signs, and the line of the first.
    rows: Vec<String>,
    kinds: BTreeSet<char>,
    first: u64,
    /// The sign of a queen in all grids so far, and both signs.
    signs: Option<(char, BTreeSet<char>)>,
    /// The words before the open group, and those before the first list.
    label: String,
    first_label: Option<String>,
    /// The last line that was read, from 1.
    pub(super) line: u64,
    /// Lines of words that were skipped.
    pub(super) skipped: u64,
    /// Boards that were found, with the line where each begins.
    pub(super) found: Vec<(u64, Finding)>,
}

impl Reader {
    /// Reads a line.
    pub(super) fn line(&mut self, line: &str) -> Result<()> {
        self.line += 1;
        let mut line = line.trim();
        if line.is_empty() {
            return self.end_grid();
        }
        ensure!(self.form != Some(Form::Square), ONE_SQUARE);
        // As `nqueens solutions --format json` prints it.
        if let Some((_, columns)) = line.split_once("\"columns\":").filter(|_| line.starts_with("{\"schema\":")) {
            line = columns.trim_end_matches('}');
        }
        let (label, rest) = split_label(line);
        if is_words(line) || label.is_some() && rest.is_empty() {
            self.skipped += 1;
            self.end_grid()?;
            let count = |brackets: [char; 3]| line.matches(brackets).count();
            self.depth = (self.depth + count(['[', '(', '{'])).saturating_sub(count([']', ')', '}']));
            let is_cut =
                self.depth > 0 && !line.ends_with(['[', '(', '{']) || !self.text.trim_matches(SEPARATORS).is_empty();
            ensure!(!is_cut, "words stand between brackets; print a long list whole, as JSON.stringify does");
            return Ok(());
        }
        // Labels of rows are not read: the rows of a board may have another order.
        let is_list = rest.starts_with(['[', '(', '{']) || numbers(rest).is_some_and(|list| list.len() > 3);
        ensure!(label.is_none() || is_list, "words may stand before a list only");
        if self.depth == 0 {
            self.label = label.unwrap_or_default().replace(|sign: char| sign.is_ascii_digit(), "");
        }
        if rest.contains(['\'', '"']) { self.groups(&unquoted(rest)?) } else { self.groups(rest) }
    }

    /// Ends the text.
    pub(super) fn end(&mut self) -> Result<()> {
        ensure!(self.depth == 0, "a bracket is not closed");
        if self.form == Some(Form::Square) {
            self.found.push((self.first, Finding::Solution(vec![0])));
        }
        self.end_grid()
    }

    /// Splits a line at its brackets, and at semicolons in brackets, which separate the rows of a matrix.
    fn groups(&mut self, line: &str) -> Result<()> {
        for sign in line.chars() {
            match sign {
                '[' | '(' | '{' => {
                    self.drop_name();
                    self.end_group()?;
                    self.depth += 1;
                    self.is_inner = true;
                }
                ']' | ')' | '}' => {
                    self.end_group()?;
                    self.depth = self.depth.checked_sub(1).context("a bracket closes here that was not opened")?;
                    if !std::mem::take(&mut self.is_inner) {
                        self.end_grid()?;
                    }
                }
                ';' if self.depth > 0 => {
                    self.end_group()?;
                    self.is_inner = false;
                }
                _ => self.text.push(sign),
            }
        }
        self.text.push(' ');
        if self.depth == 0 { self.end_group() } else { Ok(()) }
    }

    /// Drops the name of a type that stands directly before its bracket, such as `array(` or `Matrix[`.
    fn drop_name(&mut self) {
        let name = self.text.trim_start_matches(SEPARATORS);
        let is_of_name = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '.' | '#' | '\\');
        if name.chars().all(is_of_name) && name.starts_with(|sign: char| !sign.is_ascii_digit() && sign != '.') {
            self.text.clear();
        }
    }

    /// Reads a list, a row of a grid, or a board in FEN.
    fn end_group(&mut self) -> Result<()> {
        let text = std::mem::take(&mut self.text);
        let group = text.trim_matches(SEPARATORS);
        if group.is_empty() {
            return Ok(());
        }
        let Some(list) = numbers(group) else {
            let mut fields = group.split_whitespace();
            let Some(board) = fields.next().filter(|field| is_fen(field)) else { return self.row(group) };
            // The other fields of FEN begin with the side to move. Anything else may be another board.
            let is_whole = fields.next().is_none_or(|side| matches!(side, "w" | "b")) && !fields.any(is_fen);
            ensure!(is_whole, "a board in FEN must be alone on its line");
            return self.fen(board);
        };
        let is_binary = group.chars().all(|sign| matches!(sign, '0' | '1') || SEPARATORS.contains(&sign));
        match list.len() {
            1 if is_binary && (group.len() == 1 || group.len() > 3) => self.row(group),
            1..4 => bail!("fewer than four numbers with spaces between them are no board that can be right"),
            _ if is_binary => self.row(group),
            _ => {
                let between = group.split(|sign: char| sign.is_ascii_digit()).filter(|part| !part.is_empty());
                are_alike(between.map(|between| between.trim_matches(' ')))?;
                self.columns(&list)
            }
        }
    }

    fn become_form(&mut self, form: Form) -> Result<()> {
        ensure!(*self.form.get_or_insert(form) == form, "it has another form than what stands before");
        Ok(())
    }

    /// Judges a list of columns.
    fn columns(&mut self, list: &[u32]) -> Result<()> {
        self.become_form(Form::Columns)?;
        let (n, has_zero) = (list.len() as u32, list.contains(&0));
        let is_of_board = list.iter().all(|&column| column <= n) && !(has_zero && list.contains(&n));
        ensure!(is_of_board, "its numbers are no columns, neither from 0 nor from 1");
        let base = u32::from(!has_zero);
        let finding = judge(list.iter().map(|column| column - base).collect(), base)?;
        let first_label = self.first_label.get_or_insert_with(|| self.label.clone());
        if matches!(finding, Finding::Wrong(_)) {
            ensure!(*first_label == self.label, "its label is another than that of the first list");
            let is_other = [&list[1..], &list[..list.len() - 1]].into_iter().any(is_heading_or_solution)
                // Rows of a matrix, or of several boards.
                || 2 * list.iter().collect::<BTreeSet<_>>().len() <= list.len();
            ensure!(
                !is_other,
                "it may be a heading, a label beside a board, or rows of numbers; as a board it is no solution"
            );
        }
        self.found.push((self.line, finding));
        Ok(())
    }

    /// Reads a row of a grid.
    fn row(&mut self, group: &str) -> Result<()> {
        let is_odd = |word: &&str| word.len() > 1 && word.parse::<f64>().is_ok() && word.parse::<u32>().is_err();
        if let Some(odd) = group.split(SEPARATORS).find(is_odd).filter(|odd| odd.len() < group.len()) {
            bail!("'{odd}' is not the number of a column");
        }
        let between: Vec<&str> = group.split(|sign| !SEPARATORS.contains(&sign)).collect();
        are_alike(between[1..between.len() - 1].iter().copied())?;
        let row: String = group.chars().filter(|sign| !SEPARATORS.contains(sign)).collect();
        if between.len() == 2 {
            let is_queen = row.starts_with(STRONG) || row == "0" || row == "1";
            ensure!(is_queen && self.form.is_none() && self.skipped == 0, ONE_SQUARE);
            (self.form, self.first) = (Some(Form::Square), self.line);
            return Ok(());
        }
        self.add_row(row)
    }

    fn add_row(&mut self, row: String) -> Result<()> {
        self.become_form(Form::Grid)?;
        if self.rows.is_empty() {
            self.first = self.line;
        }
        let width = row.chars().count();
        let is_next = self.rows.first().is_none_or(|first| first.chars().count() == width) && self.rows.len() < width;
        ensure!(is_next, "it is no row of the board above; an empty line ends a board");
        self.kinds.extend(row.chars());
        ensure!(self.kinds.len() < 3, "a grid has one sign for a queen and one for an empty square");
        self.rows.push(row);
        Ok(())
    }

    /// Reads a board in FEN: rows between slashes, empty squares as their number.
    fn fen(&mut self, board: &str) -> Result<()> {
        self.end_grid()?;
        let squares = |sign: char| sign.to_digit(10).map_or(repeat_n(sign, 1), |empty| repeat_n('.', empty as usize));
        board.split('/').try_for_each(|row| self.add_row(row.chars().flat_map(squares).collect()))?;
        self.end_grid()
    }

    /// Judges the rows of a grid, if there are any.
    fn end_grid(&mut self) -> Result<()> {
        let (rows, kinds) = (std::mem::take(&mut self.rows), std::mem::take(&mut self.kinds));
        let (n, Some(width)) = (rows.len(), rows.first().map(|row| row.chars().count())) else { return Ok(()) };
        ensure!(n == width, "the board above has {width} squares in a row and {n} in a column");
        let of = |queens: &[char]| kinds.iter().copied().filter(|sign| queens.contains(sign)).collect::<Vec<_>>();
        let queens = if of(&STRONG).is_empty() { of(&WEAK) } else { of(&STRONG) };
        let [queen] = queens[..] else { bail!("it is not clear which sign is a queen") };
        let is_known = *self.signs.get_or_insert_with(|| (queen, kinds.clone())) == (queen, kinds);
        ensure!(is_known, "its signs are others than those of the boards before");
        let squares = |(row, signs): (u32, &String)| {
            let of_row = (0..).zip(signs.chars()).filter(|(_, sign)| *sign == queen);
            of_row.map(|(column, _)| (row, column)).collect::<Vec<_>>()
        };
        let rows: Vec<_> = (0..).zip(&rows).map(squares).collect();
        ensure!(2 * rows.concat().len() <= n * n, "more than half of the squares have the sign of a queen");
        let finding = match rows.iter().enumerate().find(|(_, queens)| queens.len() != 1) {
            Some((_, queens)) if queens.len() > 1 => wrong([queens[0], queens[1]], 1),
            Some((row, _)) => Finding::Wrong(format!("no solution: there is no queen on row {}", row + 1)),
            None => judge(rows.iter().map(|queens| queens[0].1).collect(), 1)?,
        };
        self.found.push((self.first, finding));
        Ok(())
    }
}

/// Whether numbers that are a part of a list count up by one, or are a solution: the rest may be a label or a size.
fn is_heading_or_solution(part: &[u32]) -> bool {
    let least = part.iter().copied().min().unwrap_or_default();
    // Attacks do not depend on the base.
    let columns = part.iter().map(|column| column - least).collect();
    part.windows(2).all(|pair| pair[1] == pair[0] + 1) || matches!(judge(columns, 0), Ok(Finding::Solution(_)))
}

/// The numbers of a group that has nothing else; `None` if it has.
fn numbers(text: &str) -> Option<Vec<u32>> {
    let number = |word: &str| if word.bytes().all(|byte| byte.is_ascii_digit()) { word.parse().ok() } else { None };
    text.split(SEPARATORS).filter(|word| !word.is_empty()).map(number).collect()
}

/// Refuses a group whose parts are not separated alike: it may be several boards, or pairs.
fn are_alike<'a>(mut separators: impl Iterator<Item = &'a str>) -> Result<()> {
    let first = separators.next();
    ensure!(
        separators.all(|between| Some(between) == first),
        "its parts are no columns or signs that are separated alike"
    );
    Ok(())
}

/// A line with strings as groups in brackets of their own. Single signs in quotes are signs of one group.
fn unquoted(line: &str) -> Result<String> {
    let mut parts = line.split(['\'', '"']);
    let mut unquoted = parts.next().unwrap_or_default().to_owned();
    while let Some(inside) = parts.next() {
        let Some(outside) = parts.next() else { bail!("a quote is not closed on its line") };
        let is_sign = inside.chars().nth(1).is_none();
        unquoted += &if is_sign { format!("{inside}{outside}") } else { format!("({inside}){outside}") };
    }
    Ok(unquoted)
}

fn is_fen(field: &str) -> bool {
    field.contains('/') && field.chars().all(|sign| matches!(sign, '0'..='9' | 'Q' | 'q' | '/'))
}

/// Splits off a label: words with at most one number, or a number, up to the first colon or equals sign.
fn split_label(text: &str) -> (Option<&str>, &str) {
    let Some((label, rest)) = text.split_once([':', '=']) else { return (None, text) };
    let is_plain = |sign: char| sign.is_alphanumeric() || matches!(sign, ' ' | '#' | '_' | '-' | '.' | '$');
    let has_word = label.chars().any(char::is_alphanumeric) && count_of_numbers(label) <= 1;
    let is_label = label.chars().all(is_plain) && has_word;
    if is_label { (Some(label), rest.trim_start()) } else { (None, text) }
}

fn count_of_numbers(text: &str) -> usize {
    text.split(|sign: char| !sign.is_ascii_digit()).filter(|digits| !digits.is_empty()).count()
}

/// Whether a line is of words: a word of two letters or more, fewer than three numbers, and nothing that looks like a row of a
/// grid.
fn is_words(text: &str) -> bool {
    let mut words = text.split(|sign: char| !sign.is_alphabetic());
    let mut parts = text.split(|sign: char| SEPARATORS.contains(&sign) || "[](){}'\"".contains(sign));
    let has_word = words.any(|word| word.chars().any(|sign| !word.starts_with(sign)));
    has_word && count_of_numbers(text) < 3 && !parts.any(is_like_a_row)
}

/// Whether a text has at most two kinds of signs, of which one may be a queen, and no digits.
fn is_like_a_row(text: &str) -> bool {
    let kinds: BTreeSet<char> = text.chars().collect();
    let has_queen = kinds.iter().any(|kind| STRONG.contains(kind) || WEAK.contains(kind));
    has_queen && kinds.len() < 3 && !kinds.iter().any(char::is_ascii_digit)
}
