//! Cuts text into groups of words, and skips its prose.

use std::collections::BTreeSet;
use std::mem::take;

use anyhow::{Context, Result, ensure};

use super::words::{distinct_chars, is_row_with_queen, number, square};

/// The characters that separate the words of a group.
const SEPARATORS: [char; 6] = [' ', '\t', ',', ';', '|', '│'];

/// The maximum length of a line in bytes, so that text without line ends cannot take all memory.
pub(super) const MAX_LINE_BYTES: usize = 1 << 27;

/// Words with only separators between them: the contents of brackets, or of a line without brackets.
#[derive(Clone, Default)]
pub(super) struct Group {
    /// The words and their separators.
    pub(super) text: String,
    /// The line where the group begins, from 1.
    pub(super) line: u64,
    /// The number of brackets around the group.
    pub(super) depth: usize,
    /// The letters before the group: `Solution` in `Solution 1: 2 4 1 3`.
    pub(super) label: String,
}

impl Group {
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        words(&self.text)
    }

    /// Returns whether all words are separated in the same way. The number of blanks does not matter.
    pub(super) fn is_even(&self) -> bool {
        let between = self.text.trim_matches(SEPARATORS).split(|c| !SEPARATORS.contains(&c));
        between.filter(|between| !between.is_empty()).map(str::trim).collect::<BTreeSet<_>>().len() < 2
    }
}

/// Cuts a text into groups, line by line.
#[derive(Default)]
pub(super) struct Tokenizer {
    /// The number of lines so far.
    pub(super) line: u64,
    /// The number of lines of prose.
    pub(super) skipped: u64,
    /// The number of open brackets. In brackets, a group continues over the ends of lines.
    pub(super) depth: usize,
    /// The group that is being read.
    open: Group,
}

impl Tokenizer {
    /// Reads a line, and returns the groups that end on it, or `None` for an empty line or prose, which end a grid.
    pub(super) fn read_line(&mut self, line: &str) -> Result<Option<Vec<Group>>> {
        self.line += 1;
        ensure!(line.len() < MAX_LINE_BYTES, "it is longer than a line of any board");
        ensure!(!line.contains('\0'), "it is not UTF-8: save the text as UTF-8");
        let mut line = line.trim();
        let mut groups = Vec::new();
        if self.depth == 0 {
            self.open = Group { line: self.line, ..Group::default() };
            // A line of `nqueens solutions --format json`.
            if let Some((_, columns)) = line.split_once("\"columns\":").filter(|_| line.starts_with("{\"schema\":")) {
                line = columns.trim_end_matches('}');
            }
            if is_prose(line) {
                self.skipped += 1;
                line = "";
            }
            if line.is_empty() {
                return Ok(None);
            }
        }
        for c in line.chars() {
            // Words before a colon or a bracket are a label, such as `Solution 1:`, or the name of a type inside
            // brackets.
            if ":=[({".contains(c) && is_label(&self.open.text) {
                let words = take(&mut self.open.text);
                if self.depth == 0 {
                    self.open.label.extend(words.chars().filter(|c| c.is_alphabetic()));
                }
            }
            match c {
                // Quotes surround squares, or words that are rows.
                '\'' | '"' => {}
                ':' | '=' if self.open.text.is_empty() => {}
                '[' | '(' | '{' => {
                    groups.extend(self.end_group());
                    self.open.line = self.line;
                    self.depth += 1;
                }
                ']' | ')' | '}' => {
                    groups.extend(self.end_group());
                    self.depth = self.depth.checked_sub(1).context("it closes a bracket that is not open")?;
                }
                // As in the matrix [0 1; 1 0].
                ';' if self.depth > 0 => groups.extend(self.end_group()),
                _ => self.open.text.push(c),
            }
        }
        self.open.text.push(' ');
        if self.depth == 0 {
            groups.extend(self.end_group());
        }
        Ok(Some(groups))
    }

    fn end_group(&mut self) -> Option<Group> {
        let group = Group { text: take(&mut self.open.text), depth: self.depth, ..self.open.clone() };
        Some(group).filter(|group| group.words().next().is_some())
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(SEPARATORS).filter(|word| !word.is_empty())
}

/// Counts the parts with a digit, such as `a1` or `0.5`.
fn count_numbers(text: &str) -> usize {
    let parts = text.split(|c: char| !c.is_alphanumeric() && c != '.');
    parts.filter(|part| part.contains(|c: char| c.is_ascii_digit())).count()
}

/// Returns whether the text consists of words and at most one number, such as `Solution 1` or `array`.
fn is_label(text: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || " #_-.$\\".contains(c);
    !text.trim().is_empty() && text.chars().all(is_plain) && count_numbers(text) < 2
}

/// Returns whether a line is prose: it contains a word with at least three different letters, such as `Board` or
/// `N-Queens`, and no part of a board.
///
/// A list has at least four numbers and a row at least four squares, so a line with fewer of them hides no board.
fn is_prose(line: &str) -> bool {
    let words: Vec<&str> = line.split(['(', ')', '{', '}']).flat_map(words).collect();
    let is_word = |word: &&str| {
        let word = word.trim_matches(|c: char| !c.is_alphabetic());
        let mut parts = word.split('-');
        word.chars().all(|c| c.is_alphabetic() || c == '-') && parts.any(|part| distinct_chars(part).len() > 2)
    };
    let has_word = words.iter().any(is_word);
    let has_bracket = line.contains(['[', ']']);
    let has_list = count_numbers(line) > 3;
    let has_pair = words.windows(2).any(|pair| pair.iter().all(|word| number(word).is_some()));
    let has_squares = words.iter().filter(|word| square(word).is_some()).count() > 3;
    let has_row = words.iter().any(|word| is_row_with_queen(word));
    has_word && !(has_bracket || has_list || has_pair || has_squares || has_row)
}
