//! The verdict on a board, which names queens that attack each other, and the form of a board.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use nqueens::board::Board;

/// The form of a board, which all boards of a text must share.
#[derive(PartialEq, Eq)]
pub(super) enum Form {
    /// A list with this label.
    List(String),
    /// A grid of these characters.
    Grid(BTreeSet<char>),
    /// A board that may be something else, such as a number or a heading, and must therefore be the whole text.
    Alone,
}

/// The verdict on a board. In a `Result` of a verdict, an error means that the text may not be a board at all.
pub(super) enum Verdict {
    /// The board is a solution, with these columns of its rows, from 0.
    Solution(Vec<u32>),
    /// The board is not a solution, for this reason.
    Wrong(String),
}

/// Judges a board by the column of each row, from 0. `base` is the number of the first row and column in messages.
pub(super) fn judge_columns(columns: Vec<u32>, base: u32) -> anyhow::Result<Verdict> {
    let board = Board::new(columns)?;
    Ok(match board.attack() {
        None => Verdict::Solution(board.into()),
        Some(queens) => Verdict::Wrong(attack(queens, base)),
    })
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
    let first = square(first);
    let second = square(second);
    let base = if base == 0 { ", counted from 0" } else { "" };
    format!("no solution: the queens on {first} and {second} attack each other along {line}{base}")
}
