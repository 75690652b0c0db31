//! FEN: rows separated by slashes, with numbers for runs of empty squares.

use anyhow::{Result, ensure};

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
    let squares = |row: &str| row.split_inclusive(['Q', 'q']).map(squares_of_part).collect();
    Ok(Some(board.split('/').map(squares).collect()))
}

/// Returns the squares of a part of a row, which is a number of empty squares, a queen, or both.
fn squares_of_part(part: &str) -> String {
    let digits = part.trim_end_matches(['Q', 'q']);
    // A longer row cannot fit the other rows.
    let empty = digits.parse().map_or(0, |empty: usize| empty.min(9999));
    ".".repeat(empty) + &part[digits.len()..]
}
