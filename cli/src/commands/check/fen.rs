//! FEN: rows separated by slashes, with numbers for runs of empty squares.

use anyhow::{Context, Result, ensure};

/// The maximum number of rows and of columns. Without it, a short text could be a board that takes all memory.
const MAX_SIZE: usize = 1000;

/// Returns the rows of a board in FEN, with a dot for each empty square, or `None` if the text is something else.
pub(super) fn rows_of_board(text: &str) -> Result<Option<Vec<String>>> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let [board, others @ ..] = &fields[..] else { return Ok(None) };
    if board.matches('/').count() < 2 || !board.chars().all(|c| "0123456789Qq/".contains(c)) {
        return Ok(None);
    }
    // The side to move and other fields may follow. Anything else could be another board.
    let may_be_of_fen = matches!(others, [] | ["w" | "b"] | ["w" | "b", _] | ["w" | "b", _, "-", ..]);
    let are_of_fen = may_be_of_fen && others.len() < 6 && !others.concat().contains('/');
    ensure!(are_of_fen, "a board in FEN must be alone on its line, or before fields such as 'w - - 0 1'");
    let rows: Option<Vec<String>> = board.split('/').take(MAX_SIZE + 1).map(squares_of_row).collect();
    let rows = rows.filter(|rows| rows.len() <= MAX_SIZE);
    Ok(Some(rows.with_context(|| format!("a board in FEN has at most {MAX_SIZE} rows and columns"))?))
}

/// Returns the squares of a row, or `None` if there are too many.
fn squares_of_row(row: &str) -> Option<String> {
    let mut squares = String::new();
    // Each part is a number of empty squares, a queen, or both.
    for part in row.split_inclusive(['Q', 'q']) {
        let digits = part.trim_end_matches(['Q', 'q']);
        let empty = format!("0{digits}").parse().ok().filter(|&empty| empty <= MAX_SIZE)?;
        squares += &".".repeat(empty);
        squares += &part[digits.len()..];
        if squares.len() > MAX_SIZE {
            return None;
        }
    }
    Some(squares)
}
