//! Grids: n rows of n squares, with one character for queens and another for empty squares.

use anyhow::{Context, Result, ensure};

use super::judge::{Form, Verdict, attack, judge_columns};
use super::tokens::{QUEENS, distinct_chars, is_row, square, words};

/// Returns the rows of a grid that are the words of a group, or the one row whose squares are the words.
pub(super) fn rows_of_group(text: &str) -> Option<Vec<String>> {
    let words = words(text);
    if words.iter().all(|word| is_row(word)) {
        return Some(words.into_iter().map(str::to_owned).collect());
    }
    let row: String = words.into_iter().map(square).collect::<Option<_>>()?;
    is_row(&row).then(|| vec![row])
}

/// Judges a grid of one or more rows. Also returns its form. Rejects a grid that is not square.
pub(super) fn judge_grid(rows: &[String]) -> Result<(Form, Verdict)> {
    let (n, height) = (rows[0].chars().count(), rows.len());
    for (row, squares) in (1..).zip(rows) {
        let width = squares.chars().count();
        ensure!(width == n, "it begins a grid with {width} squares in row {row}, not {n}: remove lines such as +---+");
    }
    ensure!(height == n, "it begins a grid with {height} of {n} rows: add rows, or remove lines such as ----");
    let squares = rows.concat();
    let chars = distinct_chars(&squares);
    ensure!(chars.len() < 3, "a grid has one character for queens and one for empty squares");
    let queen = QUEENS.into_iter().find(|c| chars.contains(c)).context("it is not clear which character is a queen")?;
    ensure!(2 * squares.matches(queen).count() <= n * n, "more than half of the squares hold a queen");
    let column = |(row, squares): (u32, &String)| {
        let mut queens = (0..).zip(squares.chars()).filter(|(_, c)| *c == queen).map(|(column, _)| column);
        match (queens.next(), queens.next()) {
            (Some(column), None) => Ok(column),
            (Some(first), Some(second)) => Err(attack([(row, first), (row, second)], 1)),
            (None, _) => Err(format!("no solution: there is no queen on row {}", row + 1)),
        }
    };
    let columns: Result<Vec<u32>, String> = (0..).zip(rows).map(column).collect();
    Ok((Form::Grid(chars), columns.and_then(|columns| judge_columns(columns, 1))))
}
