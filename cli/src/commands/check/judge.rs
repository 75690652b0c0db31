//! Whether queens on a board attack each other.

use std::cmp::Ordering;

use nqueens::board::Board;

/// What is said of a board.
#[derive(Debug, Clone)]
pub(super) enum Finding {
    /// A solution: the column of each row, from 0.
    Solution(Vec<u32>),
    /// No solution, with the reason.
    Wrong(String),
}

/// Judges a board by the column of each row, from 0. `base` is what the first row and column are called.
pub(super) fn judge(columns: Vec<u32>, base: u32) -> anyhow::Result<Finding> {
    let board = Board::new(columns)?;
    Ok(match board.attack() {
        Some(attack) => wrong(attack, base),
        None => Finding::Solution(board.into()),
    })
}

/// Two queens, each with its row and column from 0, attack each other.
pub(super) fn wrong([first, second]: [(u32, u32); 2], base: u32) -> Finding {
    let line = match (second.0.cmp(&first.0), second.1.cmp(&first.1)) {
        (Ordering::Equal, _) => "the row",
        (_, Ordering::Equal) => "the column",
        (below, right) if below == right => "a diagonal",
        _ => "an antidiagonal",
    };
    let square = |(row, column): (u32, u32)| format!("row {}, column {}", row + base, column + base);
    let (first, second) = (square(first), square(second));
    let base = if base == 0 { ", counted from 0" } else { "" };
    Finding::Wrong(format!("no solution: the queens on {first} and {second} attack each other along {line}{base}"))
}
