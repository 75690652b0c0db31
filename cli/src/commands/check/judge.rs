//! Whether queens on a board attack each other.

use std::cmp::Ordering;

use nqueens::board::Board;

/// What is said of a board.
#[derive(Debug, Clone)]
pub(crate) enum Finding {
    /// A solution: the column of each row, from 0.
    Solution(Vec<u32>),
    /// No solution, with the reason.
    Wrong(String),
}

/// Judges queens, each with its row and column from 0, on a board of n rows. `base` is what the first row is called.
/// `None` if it is no board.
pub(super) fn judge(n: usize, base: u32, queens: impl Iterator<Item = (u32, u32)>) -> Option<Finding> {
    let mut columns = vec![u32::MAX; n];
    for (row, column) in queens {
        let there = std::mem::replace(columns.get_mut(row as usize)?, column);
        if there == column {
            return None;
        } else if there != u32::MAX {
            return Some(wrong([(row, there), (row, column)], base));
        }
    }
    if let Some(row) = columns.iter().position(|column| *column == u32::MAX) {
        return Some(Finding::Wrong(format!("no solution: there is no queen on row {}", row + base as usize)));
    }
    let board = Board::new(columns).ok()?;
    Some(match board.attack() {
        Some(attack) => wrong(attack, base),
        None => Finding::Solution(board.into()),
    })
}

/// Two queens, each with its row and column, attack each other.
fn wrong([first, second]: [(u32, u32); 2], base: u32) -> Finding {
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
