//! Cuts a text into groups of words, and skips its prose.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};

use super::grids::QUEENS;

/// What may stand between the words of a group.
const SEPARATORS: [char; 6] = [' ', '\t', ',', ';', '|', '│'];

/// The most bytes of a line: one without an end must not take all memory.
pub(super) const LONGEST: usize = 1 << 27;

/// Words with only separators between them: the contents of brackets, or of a line without brackets.
#[derive(Clone, Default)]
pub(super) struct Group {
    /// The words and what separates them.
    pub(super) text: String,
    /// The line where it begins, from 1.
    pub(super) line: u64,
    pub(super) is_in_brackets: bool,
    /// The letters of the words before it: `Solution` for `Solution 1: 2 4 1 3`.
    pub(super) label: String,
}

impl Group {
    pub(super) fn words(&self) -> Vec<&str> {
        words(&self.text).collect()
    }

    /// Whether all its words are separated alike. `is_exact` says that the number of blanks matters.
    pub(super) fn is_even(&self, is_exact: bool) -> bool {
        let text = self.text.trim_matches(SEPARATORS);
        let between = text.split(|sign| !SEPARATORS.contains(&sign)).filter(|between| !between.is_empty());
        between.map(|between| if is_exact { between } else { between.trim() }).collect::<BTreeSet<_>>().len() < 2
    }
}

/// Cuts a text into groups, line by line.
#[derive(Default)]
pub(super) struct Tokenizer {
    /// The number of lines so far.
    pub(super) line: u64,
    /// How many of them were prose.
    pub(super) skipped: u64,
    /// The number of open brackets. In brackets a group goes on over the ends of lines.
    pub(super) depth: usize,
    /// Whether the next closing bracket ends a group, not several.
    ends_group: bool,
    /// The group so far.
    open: Group,
    tokens: Vec<Option<Group>>,
}

impl Tokenizer {
    /// Returns the groups that end on a line. `None` is the end of a grid: an empty line, prose, a label, or a bracket
    /// that closes around groups.
    pub(super) fn tokens(&mut self, line: &str) -> Result<Vec<Option<Group>>> {
        self.line += 1;
        ensure!(line.len() < LONGEST, "it is longer than that of any board");
        let mut line = line.trim();
        if self.depth == 0 {
            self.open = Group { line: self.line, ..Group::default() };
            // As `nqueens solutions --format json` prints it.
            if let Some((_, columns)) = line.split_once("\"columns\":").filter(|_| line.starts_with("{\"schema\":")) {
                line = columns.trim_end_matches('}');
            }
            if line.contains(char::is_alphabetic) && is_prose(line) {
                self.skipped += 1;
                line = "";
            }
        }
        if line.is_empty() {
            self.tokens.push(None);
        }
        for sign in line.chars() {
            match sign {
                // In quotes are squares, or words that are rows.
                '\'' | '"' => {}
                ':' | '=' if self.depth == 0 && is_label(&self.open.text) => self.begin(),
                '[' | '(' | '{' => {
                    if is_label(&self.open.text) {
                        self.begin();
                    }
                    self.end_group();
                    self.open.line = self.line;
                    self.depth += 1;
                    self.ends_group = true;
                }
                ']' | ')' | '}' => {
                    self.end_group();
                    self.depth = self.depth.checked_sub(1).context("it closes a bracket that is not open")?;
                    if !std::mem::take(&mut self.ends_group) {
                        self.tokens.push(None);
                    }
                }
                // It separates the rows of a matrix.
                ';' if self.depth > 0 => {
                    self.end_group();
                    self.ends_group = false;
                }
                _ => self.open.text.push(sign),
            }
        }
        self.open.text.push(' ');
        if self.depth == 0 {
            self.end_group();
        }
        Ok(std::mem::take(&mut self.tokens))
    }

    /// Takes the words before a group, such as `Solution 1:` or `array(`. They begin something new, unless they are in
    /// brackets.
    fn begin(&mut self) {
        let words = std::mem::take(&mut self.open.text);
        if self.depth == 0 {
            self.open.label.extend(words.chars().filter(|sign| sign.is_alphabetic()));
            self.tokens.push(None);
        }
    }

    fn end_group(&mut self) {
        let text = std::mem::take(&mut self.open.text);
        if words(&text).next().is_some() {
            let group = Group { text, is_in_brackets: self.depth > 0, ..self.open.clone() };
            self.tokens.push(Some(group));
        }
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(SEPARATORS).filter(|word| !word.is_empty())
}

/// Whether a text is of words and at most one number.
fn is_label(text: &str) -> bool {
    let is_plain = |sign: char| sign.is_alphanumeric() || " #_-.$\\".contains(sign);
    let numbers = text.split(|sign: char| !sign.is_ascii_digit()).filter(|digits| !digits.is_empty());
    !text.trim().is_empty() && text.chars().all(is_plain) && numbers.count() < 2
}

/// Whether a line is prose: it has a word of two different letters, and nothing of a board, such as brackets, numbers
/// side by side or more of them than other words, four words of two kinds side by side, or a word of queens.
fn is_prose(line: &str) -> bool {
    let words: Vec<&str> = line.split(|sign| "[](){}'\"".contains(sign)).flat_map(words).collect();
    let letters = |word: &str| word.chars().filter(|sign| sign.is_alphabetic()).collect::<BTreeSet<_>>();
    let numbers = words.iter().filter(|word| is_number(word)).count();
    let are_of_two_kinds = |words: &[&str]| words.iter().collect::<BTreeSet<_>>().len() < 3;
    words.iter().any(|word| letters(word).len() > 1)
        && !line.contains(['[', ']'])
        && !line.starts_with('{')
        && !line.ends_with(['(', '{', '}'])
        && (numbers < 3 || 2 * numbers <= words.len())
        && !words.windows(3).any(|words| words.iter().all(|word| is_number(word)))
        && !words.windows(4).any(are_of_two_kinds)
        && !words.iter().any(|word| is_of_queens(word))
}

/// Whether a word is a number, the name of a square such as `b4` or `Qb4`, or stands for a number that is missing.
fn is_number(word: &str) -> bool {
    let digits = word.trim_start_matches(char::is_alphabetic);
    let is_square = word.len() <= digits.len() + 2 && digits.starts_with(|sign: char| sign.is_ascii_digit());
    word.parse::<f64>().is_ok() || is_square || matches!(word, "None" | "null" | "nil")
}

/// Whether a word is a row of signs with a queen, or has a row of FEN, also where something else stands beside it.
fn is_of_queens(word: &str) -> bool {
    let is_queen = |sign: char| sign != '1' && QUEENS.concat().contains(&sign);
    let is_row_of_fen = |part: &str| {
        part.contains(['Q', 'q']) && part.chars().all(|sign| matches!(sign, 'Q' | 'q') || sign.is_ascii_digit())
    };
    word.contains(is_queen) && word.chars().all(|sign| is_queen(sign) || !sign.is_alphanumeric())
        || word.split(|sign: char| !sign.is_alphanumeric()).any(is_row_of_fen)
}
