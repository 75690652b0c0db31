//! Grids: n rows of n squares, with one sign for a queen and another for an empty square.

use std::collections::BTreeSet;

use anyhow::{Result, bail, ensure};

use super::judge::{Verdict, judge, wrong};
use super::tokens::Group;
use crate::terminal::units::plural;

/// Signs that are queens, and signs that are queens only in a grid without the first kind.
pub(super) const QUEENS: [&[char]; 2] = [&['Q', 'q', '♛', '♕', '👑'], &['1', 'X', 'x', '*']];

pub(super) type Signs = BTreeSet<char>;

/// The rows in a group, with a sign for each square; `None` if it has something else. Words are rows or squares.
pub(super) fn rows(group: &Group) -> Option<Vec<String>> {
    let words = group.words();
    let is_one_sign = |word: &&str| word.chars().nth(1).is_none();
    let are_rows = words.iter().all(|word| !is_one_sign(word) && signs(word).len() < 3);
    let rows = if are_rows {
        words.iter().map(|&word| word.to_owned()).collect()
    } else {
        vec![words.iter().map(|word| square(word)).collect::<Option<String>>()?]
    };
    let is_number = |row: &str| row.len() < 4 && row.bytes().all(|sign| sign.is_ascii_digit());
    let is_row = |row: &String| signs(row).len() < 3 && (!is_number(row) || matches!(row.as_str(), "0" | "1"));
    (group.is_even(words.iter().all(is_one_sign)) && rows.iter().all(is_row)).then_some(rows)
}

/// The sign of a square that is a word of its own.
fn square(word: &str) -> Option<char> {
    match word.to_ascii_lowercase().as_str() {
        "true" => Some('1'),
        "false" => Some('0'),
        _ => word.chars().next().filter(|sign| word.len() == sign.len_utf8()),
    }
}

fn signs(row: &str) -> Signs {
    row.chars().collect()
}

/// Judges the rows of a grid. Returns its signs, too.
pub(super) fn judge_grid(rows: &[String]) -> Result<(Signs, Verdict)> {
    let (n, signs) = (rows.len(), signs(&rows.concat()));
    let widths: Vec<usize> = rows.iter().map(|row| row.chars().count()).collect();
    let (high, wide) = (plural(n as u64, "row"), plural(widths[0] as u64, "square"));
    let is_square = widths.iter().all(|&width| width == n);
    ensure!(is_square, "it ends a grid of {high}, the first of {wide}; n rows must have n squares each");
    ensure!(signs.len() < 3, "a grid has one sign for a queen and one for an empty square");
    let queens = QUEENS.map(|queens| signs.iter().copied().filter(|sign| queens.contains(sign)).collect::<Vec<_>>());
    let [queen] = queens.into_iter().find(|queens| !queens.is_empty()).unwrap_or_default()[..] else {
        bail!("it is not clear which sign is a queen");
    };
    let queens_of =
        |row: &String| (0..).zip(row.chars()).filter(|(_, sign)| *sign == queen).map(|(at, _)| at).collect();
    let queens: Vec<Vec<u32>> = rows.iter().map(queens_of).collect();
    ensure!(2 * queens.concat().len() <= n * n, "more than half of the squares have the sign of a queen");
    let verdict = match (0..).zip(&queens).find(|(_, queens)| queens.len() != 1) {
        None => judge(queens.concat(), 1)?,
        Some((row, queens)) if queens.len() > 1 => wrong([(row, queens[0]), (row, queens[1])], 1),
        Some((row, _)) => Err(format!("no solution: there is no queen on row {}", row + 1)),
    };
    Ok((signs, verdict))
}
