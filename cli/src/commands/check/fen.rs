//! FEN: rows between slashes, in which a number stands for empty squares.

use anyhow::{Result, ensure};

/// Whether a word may be a board with queens in FEN.
pub(super) fn is_board(word: &str) -> bool {
    let is_sign = |sign: char| sign.is_ascii_digit() || matches!(sign, 'Q' | 'q' | '/');
    word.contains('/') && word.contains(['Q', 'q']) && word.chars().all(is_sign)
}

/// The rows of a board in FEN, with a point for each empty square. `None` if the text is something else.
pub(super) fn rows(text: &str) -> Result<Option<Vec<String>>> {
    let mut fields = text.split_whitespace();
    let Some(board) = fields.next().filter(|field| is_board(field)) else { return Ok(None) };
    // The side to move and four more fields may follow. Anything else may be another board.
    let others: Vec<&str> = fields.collect();
    let are_of_fen = others.iter().all(|field| !is_board(field)) && matches!(others[..], [] | ["w" | "b", ..]);
    ensure!(are_of_fen && others.len() < 6, "a board in FEN must be alone on its line");
    Ok(Some(board.split('/').map(squares).collect()))
}

fn squares(row: &str) -> String {
    let squares = |part: &str| {
        let (digits, queen) = part.split_at(part.trim_end_matches(['Q', 'q']).len());
        // A row of more squares than any board has does not fit the other rows.
        ".".repeat(digits.parse().map_or(0, |empty: usize| empty.min(9999))) + queen
    };
    row.split_inclusive(['Q', 'q']).map(squares).collect()
}
