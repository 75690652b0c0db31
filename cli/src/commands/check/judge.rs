//! The verdict on a board, which names queens that attack each other, and the form of a board.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use nqueens::board::Board;

/// The form of a board, which all boards of a text must share.
#[derive(PartialEq, Eq)]
pub(super) enum Form {
    /// A list with this label.
    List(String),
    /// Numbers in order without a label. They may be a heading, so they are a board only if the text has no other.
    InOrder { in_brackets: bool },
    /// A grid of these characters.
    Grid(BTreeSet<char>),
}

/// The verdict on a board: the columns of its rows, from 0, or the reason why it is not a solution.
///
/// In a `Result` of a verdict, the outer error means that the text may not be a board at all.
pub(super) type Verdict = Result<Vec<u32>, String>;

/// Judges a board by the column of each row, from 0. `base` is the number of the first row and column in messages.
///
/// # Panics
/// If a column is not on the board.
pub(super) fn judge_columns(columns: Vec<u32>, base: u32) -> Verdict {
    let board = Board::new(columns).expect("all columns are on the board");
    match board.attack() {
        None => Ok(board.into()),
        Some(queens) => Err(attack(queens, base)),
    }
}

/// Returns the message that two queens, each with its row and column from 0, attack each other.
pub(super) fn attack([first, second]: [(u32, u32); 2], base: u32) -> String {
    let line = match (second.0.cmp(&first.0), second.1.cmp(&first.1)) {
        (Ordering::Equal, _) => "the row",
        (_, Ordering::Equal) => "the column",
        (below, right) if below == right => "a diagonal",
        _ => "an antidiagonal",
    };
    let square = |(row, column): (u32, u32)| format!("row {}, column {}", row + base, column + base);
    let [first, second] = [first, second].map(square);
    let base = if base == 0 { ", counted from 0" } else { "" };
    format!("no solution: the queens on {first} and {second} attack each other along {line}{base}")
}
