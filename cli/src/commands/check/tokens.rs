//! What text can be: words, numbers, squares, rows of squares, a label, or prose.

use std::collections::BTreeSet;

/// The maximum length of a line in bytes, so that text without line ends cannot take all memory.
pub(super) const MAX_LINE_BYTES: usize = 1 << 27;

/// The characters that separate words.
pub(super) const SEPARATORS: [char; 6] = [' ', '\t', ',', ';', '|', '│'];

/// Words with only separators between them: the contents of brackets, or of a line without brackets.
#[derive(Clone, Default)]
pub(super) struct Group {
    /// The words and their separators.
    pub(super) text: String,
    /// The letters before the group: `Solution` in `Solution 1: 2 4 1 3`.
    pub(super) label: String,
    /// The number of brackets around the group.
    pub(super) depth: usize,
    /// The line where the group begins, from 1.
    pub(super) line: u64,
}

/// Returns the words between separators of one kind: `2, 4 1` is the words `2` and `4 1`.
pub(super) fn words(text: &str) -> Vec<&str> {
    let text = text.trim_matches(SEPARATORS);
    match text.chars().find(|c| SEPARATORS.contains(c) && !c.is_whitespace()) {
        Some(separator) => text.split(separator).map(str::trim).collect(),
        None => text.split_whitespace().collect(),
    }
}

/// Characters for queens. If a grid has two of them, the first one here is the queen.
pub(super) const QUEENS: [char; 9] = ['Q', 'q', '♛', '♕', '👑', '1', 'X', 'x', '*'];

/// Returns the value of a word of digits.
pub(super) fn number(word: &str) -> Option<u32> {
    word.bytes().all(|byte| byte.is_ascii_digit()).then(|| word.parse().ok())?
}

/// Returns the character for a word that is a single square.
pub(super) fn square(word: &str) -> Option<char> {
    match word.to_ascii_lowercase().as_str() {
        "true" => Some('1'),
        "false" => Some('0'),
        _ => word.chars().next().filter(|c| word.len() == c.len_utf8()),
    }
}

/// Returns the different characters of a word.
pub(super) fn distinct_chars(word: &str) -> BTreeSet<char> {
    word.chars().collect()
}

/// Returns whether a word is a row of four or more squares of at most two kinds.
pub(super) fn is_row(word: &str) -> bool {
    word.chars().count() > 3 && distinct_chars(word).len() < 3 && !word.contains(char::is_whitespace)
}

/// Returns whether a text consists of words and at most one number, such as `Solution 1` or `array`.
pub(super) fn is_label(text: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || " #_-.$\\".contains(c);
    // From the end, because a colon that ends no label stays in the text, and the same text may be asked about again.
    text.chars().rev().all(is_plain) && count_numbers(text) < 2
}

/// Counts the parts with a digit, such as `a1` or `0.5`.
fn count_numbers(text: &str) -> usize {
    let parts = text.split(|c: char| !c.is_alphanumeric() && c != '.');
    parts.filter(|part| part.contains(|c: char| c.is_ascii_digit())).count()
}

/// Returns whether a line is prose: it contains a word with at least three different letters, such as `Board` or
/// `N-Queens`, and no part of a board.
///
/// A list has at least four numbers and a row at least four squares, so a line with fewer of them hides no board.
pub(super) fn is_prose(line: &str) -> bool {
    let words = line.split(|c| SEPARATORS.contains(&c) || "(){}".contains(c)).filter(|word| !word.is_empty());
    let words: Vec<&str> = words.collect();
    let is_word = |part: &str| part.chars().all(char::is_alphabetic) && distinct_chars(part).len() > 2;
    let has_word = words.iter().any(|word| word.trim_matches(|c: char| !c.is_alphabetic()).split('-').any(is_word));
    let has_bracket = line.contains(['[', ']']) || line.starts_with('{');
    let has_list = count_numbers(line) > 3;
    let has_pair = words.windows(2).any(|pair| pair.iter().all(|word| number(word).is_some()));
    let has_squares = words.iter().filter(|word| square(word).is_some()).count() > 3;
    let has_row = words.iter().any(|word| is_row(word) && word.contains(QUEENS));
    has_word && !(has_bracket || has_list || has_pair || has_squares || has_row)
}
