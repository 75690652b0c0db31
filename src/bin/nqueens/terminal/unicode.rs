//! Boards for terminals: framed, two characters for a square, in colours if the terminal has them.

use std::io::{self, IsTerminal, Write};

use nqueens::board::Board;

/// Whether standard output is a terminal with colours. `NO_COLOR` turns them off.
pub(crate) fn is_colored() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    io::stdout().is_terminal() && !is_set("NO_COLOR") && !is_dumb
}

/// Writes these boards side by side.
pub(crate) fn write(boards: &[Board], is_colored: bool, out: &mut dyn Write) -> io::Result<()> {
    let n = boards.first().map_or(0, Board::size);
    if is_colored {
        for row in 0..n {
            for (index, board) in boards.iter().enumerate() {
                out.write_all(if index > 0 { b"  " } else { b"" })?;
                for column in 0..n {
                    // Light and dark wood; the queen nearly black, bold.
                    let ground = if (row + column) % 2 == 0 { 223 } else { 173 };
                    let piece = if board.columns()[row] as usize == column { "♛ " } else { "  " };
                    write!(out, "\x1b[1;38;5;16;48;5;{ground}m{piece}")?;
                }
                out.write_all(b"\x1b[0m")?;
            }
            writeln!(out)?;
        }
        return Ok(());
    }
    let edge = |left: char, right: char| format!("{left}{}{right}", "──".repeat(n));
    let joined = |line: String| vec![line; boards.len()].join("  ");
    writeln!(out, "{}", joined(edge('┌', '┐')))?;
    for row in 0..n {
        for (index, board) in boards.iter().enumerate() {
            out.write_all(if index > 0 { "  │".as_bytes() } else { "│".as_bytes() })?;
            for column in 0..n {
                let is_queen = board.columns()[row] as usize == column;
                let square = match (is_queen, (row + column) % 2 == 0) {
                    (true, _) => "♛ ",
                    (false, true) => "  ",
                    (false, false) => "░░",
                };
                out.write_all(square.as_bytes())?;
            }
            out.write_all("│".as_bytes())?;
        }
        writeln!(out)?;
    }
    writeln!(out, "{}", joined(edge('└', '┘')))
}
