//! Boards for terminals: framed, two characters for a square, in colors if the terminal has them.

use std::io::{self, IsTerminal, Write};

use nqueens::board::Board;

/// Whether standard output is a terminal with colors. `NO_COLOR` turns them off.
pub(crate) fn is_colored() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()) && obeys_escapes(&io::stdout())
}

/// Whether the stream is a terminal that obeys escape sequences. If `TERM` is `dumb`, it only shows text.
pub(crate) fn obeys_escapes(stream: &impl IsTerminal) -> bool {
    #[cfg(windows)]
    if anstyle_query::windows::enable_ansi_colors() == Some(false) {
        return false;
    }
    stream.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Writes a board.
pub(crate) fn write(board: &Board, is_colored: bool, out: &mut dyn Write) -> io::Result<()> {
    let n = board.size();
    let is_queen = |row: usize, column: usize| board.columns()[row] as usize == column;
    if is_colored {
        for row in 0..n {
            for column in 0..n {
                // Light and dark wood; the queen nearly black, bold.
                let ground = if (row + column) % 2 == 0 { 223 } else { 173 };
                let piece = if is_queen(row, column) { "♛ " } else { "  " };
                write!(out, "\x1b[1;38;5;16;48;5;{ground}m{piece}")?;
            }
            writeln!(out, "\x1b[0m")?;
        }
        return Ok(());
    }
    let edge = "──".repeat(n);
    writeln!(out, "┌{edge}┐")?;
    for row in 0..n {
        let squares = (0..n).map(|column| match (is_queen(row, column), (row + column) % 2 == 0) {
            (true, _) => "♛ ",
            (false, true) => "  ",
            (false, false) => "░░",
        });
        writeln!(out, "│{}│", squares.collect::<String>())?;
    }
    writeln!(out, "└{edge}┘")
}
