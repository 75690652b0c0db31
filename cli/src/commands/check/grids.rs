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

/// Returns whether these lines, each of which is a row or several, are right boards if they are read in another way:
/// side by side, without a frame of empty squares or the row and the column 0 of an array from 1, or without lines of
/// empty squares between them. A board that lacks its last queen has an empty row and an empty column too, but not the
/// first ones.
pub(super) fn are_right_otherwise(lines: &[String]) -> bool {
    let chars = distinct_chars(&lines.concat());
    let Some(queen) = QUEENS.into_iter().find(|c| chars.contains(c)) else { return false };
    let rows: Vec<Vec<char>> =
        lines.iter().filter(|line| line.contains(queen)).map(|line| line.chars().collect()).collect();
    let Some(width) = rows.first().map(Vec::len).filter(|&width| rows.iter().all(|row| row.len() == width)) else {
        return false;
    };
    let has_queen = |column: &usize| rows.iter().any(|row| row[*column] == queen);
    let (Some(left), Some(right)) = ((0..width).find(has_queen), (0..width).rfind(has_queen)) else { return false };
    let is_right = |n: usize| {
        let board = |band: &[Vec<char>], start: usize| -> Vec<String> {
            band.iter().map(|row| row[start..start + n].iter().collect()).collect()
        };
        let are_right = |band: &[Vec<char>]| {
            (left..right).step_by(n).all(|start| matches!(judge_grid(&board(band, start)), Ok((_, Ok(_)))))
        };
        rows.len().is_multiple_of(n) && rows.chunks(n).all(are_right)
    };
    let begins_empty = left > 0 && lines.first().is_some_and(|line| !line.contains(queen));
    if right + 1 - left < width && !begins_empty {
        return false;
    }
    let width = right + 1 - left;
    (4..=width).filter(|&n| width.is_multiple_of(n)).any(is_right)
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
