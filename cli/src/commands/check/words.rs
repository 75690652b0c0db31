//! What a single word of a board can be: a number, a square, or a row of squares.

use std::collections::BTreeSet;

/// Characters for queens, and characters that mean a queen only in a grid without the first kind.
pub(super) const QUEENS: [&[char]; 2] = [&['Q', 'q', '♛', '♕', '👑'], &['1', 'X', 'x', '*']];

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

/// Returns whether a word is a row of a grid with a queen.
pub(super) fn is_row_with_queen(word: &str) -> bool {
    word.chars().count() > 3 && distinct_chars(word).len() < 3 && word.contains(|c| QUEENS.concat().contains(&c))
}
