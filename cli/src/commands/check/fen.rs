//! FEN: rows separated by slashes, with numbers for runs of empty squares.

use anyhow::{Result, bail, ensure};

/// Returns the rows of a board in FEN, with a dot for each empty square, or `None` if the text is something else.
pub(super) fn rows_of_board(text: &str) -> Result<Option<Vec<String>>> {
    let is_char_of_fen = |c: char| c.is_ascii_digit() || "Qq/".contains(c);
    let is_board = |word: &&str| word.contains('/') && word.contains(['Q', 'q']) && word.chars().all(is_char_of_fen);
    let mut fields = text.split_whitespace();
    let first = fields.next().unwrap_or_default();
    let ranks: Vec<&str> = first.split('/').collect();
    if ranks.len() > 3 && ranks.iter().all(|rank| *rank == ranks.len().to_string()) {
        bail!("the board '{first}' has no queen");
    }
    let Some(board) = Some(first).filter(is_board) else { return Ok(None) };
    // The side to move and four more fields may follow. Anything else could be another board.
    let others: Vec<&str> = fields.collect();
    let are_of_fen = matches!(others[..], [] | ["w" | "b", ..]) && !others.iter().any(is_board);
    ensure!(are_of_fen && others.len() < 6, "a board in FEN must be alone on its line");
    Ok(Some(board.split('/').map(squares).collect()))
}

fn squares(row: &str) -> String {
    let squares = |part: &str| {
        let (digits, queen) = part.split_at(part.trim_end_matches(['Q', 'q']).len());
        // A longer row cannot fit the other rows.
        ".".repeat(digits.parse().map_or(0, |empty: usize| empty.min(9999))) + queen
    };
    row.split_inclusive(['Q', 'q']).map(squares).collect()
}
