//! Grids: n rows of n squares, with one character for queens and another for empty squares.

use anyhow::{Result, bail, ensure};

use super::judge::{Form, Verdict, attack, judge_columns};
use super::tokens::Group;
use super::words::{QUEENS, distinct_chars, number, square};
use crate::terminal::units::plural;

/// Returns the rows in a group, with a character for each square, or `None` if a word is neither a row nor a square.
pub(super) fn rows_of_group(group: &Group) -> Option<Vec<String>> {
    let words: Vec<&str> = group.words().collect();
    let is_one_char = |word: &&str| word.chars().nth(1).is_none();
    let are_rows = words.iter().all(|word| !is_one_char(word) && distinct_chars(word).len() < 3);
    let rows = if are_rows {
        words.iter().map(|&word| word.to_owned()).collect()
    } else {
        vec![words.iter().map(|word| square(word)).collect::<Option<String>>()?]
    };
    let is_number = |row: &str| row.len() < 4 && number(row).is_some();
    let is_row = |row: &String| distinct_chars(row).len() < 3 && !is_number(row);
    (group.is_even() && rows.iter().all(is_row)).then_some(rows)
}

/// Rejects rows of different lengths.
pub(super) fn ensure_equal(rows: &[String]) -> Result<()> {
    let squares = |row: &String| plural(row.chars().count(), "square");
    let first = squares(&rows[0]);
    let other = rows.iter().map(squares).enumerate().find(|(_, squares)| *squares != first);
    if let Some((row, squares)) = other {
        bail!("row {} of the grid has {squares}, and row 1 has {first}", row + 1);
    }
    Ok(())
}

/// Judges a grid of n rows, the first of which has n squares. Also returns its form.
pub(super) fn judge_grid(rows: &[String]) -> Result<(Form, Verdict)> {
    let n = rows.len();
    let squares = rows.concat();
    let chars = distinct_chars(&squares);
    let is_name = |row: &String| {
        let (letter, digits) = row.split_at(row.chars().next().map_or(0, char::len_utf8));
        letter.chars().all(|c| c.is_ascii_alphabetic()) && number(digits).is_some()
    };
    ensure!(
        chars.len() < 3 || !rows.iter().all(is_name),
        "names of squares, such as a1, are not read: give the column of each row, as in 2 4 1 3"
    );
    ensure_equal(rows)?;
    ensure!(chars.len() < 3, "a grid has one character for queens and one for empty squares");
    let is_queen = |kind: &[char]| chars.iter().copied().filter(|c| kind.contains(c)).collect::<Vec<_>>();
    let [queen] = QUEENS.map(is_queen).into_iter().find(|queens| !queens.is_empty()).unwrap_or_default()[..] else {
        bail!("it is not clear which character is a queen");
    };
    let queens = squares.matches(queen).count();
    ensure!(2 * queens <= n * n || n == 1, "more than half of the squares hold a queen");
    let column = |(row, squares): (u32, &String)| {
        let mut queens = (0..).zip(squares.chars()).filter(|(_, c)| *c == queen).map(|(column, _)| column);
        match (queens.next(), queens.next()) {
            (Some(column), None) => Ok(column),
            (Some(first), Some(second)) => Err(attack([(row, first), (row, second)], 1)),
            (None, _) => Err(format!("no solution: there is no queen on row {}", row + 1)),
        }
    };
    let columns: Result<Vec<u32>, String> = (0..).zip(rows).map(column).collect();
    let verdict = match columns {
        Ok(columns) => judge_columns(columns, 1)?,
        Err(reason) => Verdict::Wrong(reason),
    };
    // A single square may be the number of a board.
    let form = if n > 1 { Form::Grid(chars) } else { Form::Alone };
    Ok((form, verdict))
}
