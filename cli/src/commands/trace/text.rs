//! A step of the search as text.

use std::fmt::Write;

use super::square::Square;
use crate::terminal::units::plural;
use crate::terminal::wrap::WIDTH;
use nqueens::trace::{Event, Masks, Position, Step};

/// Describes a step. Rows and columns count from 1.
fn event(step: &Step) -> String {
    let (Event::Placed(row, column) | Event::Removed(row, column)) = step.event;
    let queen = format!("queen on row {}, column {}", row + 1, column + 1);
    match step.event {
        Event::Placed(..) if step.is_solution() => format!("{queen}: a solution"),
        Event::Placed(..) => queen,
        Event::Removed(..) if step.is_last() => format!("back: the {queen} is removed, the search is over"),
        Event::Removed(..) => format!("back: the {queen} is removed"),
    }
}

/// Returns a whole step: its description, the board with the marks of the next row, and the masks of that row.
pub(super) fn frame(step: &Step) -> String {
    heading(step) + &board(step, WIDTH) + &masks(step, WIDTH)
}

/// Returns the whole step if it fits on a terminal above its last line, or else the step without its masks. `None` if
/// not even the board fits.
pub(super) fn fitted(step: &Step, rows: usize, columns: usize) -> Option<String> {
    /// The longest line of a heading. Every step is laid out for this length, so that the layout does not change.
    const HEADING: usize = 80;
    const HEADING_LINES: usize = 2;
    const MASKS_LINES: usize = 7;
    let n = step.position.size.get();
    let height = HEADING_LINES * HEADING.div_ceil(columns) + n + 1;
    let width = board_width(n);
    let fits = |height: usize, width: usize| height < rows && width <= columns;
    if !fits(height, width) {
        return None;
    }
    let has_masks = fits(height + MASKS_LINES, width + NAMES_WIDTH);
    let masks = if has_masks { masks(step, columns) } else { String::new() };
    Some(heading(step) + &board(step, columns) + &masks)
}

/// Returns the number of rows that the text takes on a terminal of `columns`.
pub(super) fn rows(text: &str, columns: usize) -> usize {
    text.lines().map(|line| line.len().div_ceil(columns).max(1)).sum()
}

/// Returns two lines: the description of a step, and the numbers of queens and solutions so far.
fn heading(step: &Step) -> String {
    let placed = plural(step.nodes, "queen");
    let solutions = plural(step.solutions, "solution");
    format!("step {}: {}\n{placed} placed so far, {solutions}\n", step.number, event(step))
}

/// Returns the width of a board with its row numbers.
fn board_width(n: usize) -> usize {
    4 + 3 * n
}

/// The width of the names of the masks, with the space before them.
const NAMES_WIDTH: usize = 16;

/// Draws the board with the marks of the next row.
fn board(step: &Step, columns: usize) -> String {
    let Position { queens, masks, size, .. } = &step.position;
    let n = size.get();
    let mut text = " ".repeat(4);
    for column in 1..=n {
        let _ = write!(text, "{column:>3}");
    }
    for row in 0..n {
        let _ = write!(text, "\n{:>4}", row + 1);
        for column in 0..n {
            let square = match queens.get(row) {
                Some(&queen) if queen as usize == column => 'Q',
                None if row == queens.len() => mark(masks, column),
                _ => '.',
            };
            let _ = write!(text, "  {square}");
        }
        if row == queens.len() {
            text += explained(board_width(n), "   <- next row", columns);
        }
    }
    text.push('\n');
    text
}

/// Returns the explanation at the end of a line, of which `used` columns are taken, if there is room for it.
fn explained(used: usize, words: &str, columns: usize) -> &str {
    if used + words.len() <= columns { words } else { "" }
}

/// Returns the mark of a square in the next row: `o` is free, `-` was tried, `|` is attacked along the column, `\`
/// along the diagonal, `/` along the antidiagonal, and `*` along more than one of them.
fn mark(masks: &Masks, column: usize) -> char {
    let Square { on_column, on_diagonal, on_antidiagonal, is_free } = Square::of(masks, column);
    match (on_column, on_diagonal, on_antidiagonal) {
        (false, false, false) if is_free => 'o',
        (false, false, false) => '-',
        (true, false, false) => '|',
        (false, true, false) => '\\',
        (false, false, true) => '/',
        _ => '*',
    }
}

/// Returns the masks, each with its name and, if there is room, an explanation. A full board has no next row and
/// therefore no masks.
fn masks(step: &Step, columns: usize) -> String {
    if step.position.is_full() {
        return String::new();
    }
    let n = step.position.size.get();
    let masks = &step.position.masks;
    let queen = masks.queen();
    let next = match queen {
        0 if step.is_last() => " nothing is free: the search is over".to_owned(),
        0 => " nothing is free: one row back".to_owned(),
        _ => format!(" the queen goes to column {}", queen.trailing_zeros() + 1),
    };
    let width = board_width(n);
    let mut text = format!("    {}", "-".repeat(3 * n));
    text += explained(width, "   bit 0 on the left, under column 1", columns);
    for (name, mask, words) in [
        ("columns", masks.columns, ""),
        ("diagonals", masks.diagonals, " (each row shifts them right: << 1)"),
        ("antidiagonals", masks.antidiagonals, " (each row shifts them left: >> 1)"),
        ("taken", masks.taken(), " = the three above, joined by |"),
        ("free", masks.free, " = !taken, less what was tried"),
        ("free & -free", queen, next.as_str()),
    ] {
        let bits: String = (0..n).map(|column| format!("  {}", mask >> column & 1)).collect();
        let line = format!("    {bits}   {name:<13}{}", explained(width + NAMES_WIDTH, words, columns));
        text += "\n";
        text += line.trim_end();
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use nqueens::board::Size;
    use nqueens::trace::Search;

    #[test]
    fn a_step_that_is_shown_fits_its_terminal() {
        let steps = |n| Search::new(Size::new(n).unwrap()).take(60);
        for (height, columns) in [(12, 80), (17, 80), (24, 40), (24, 80), (40, 60), (40, 120), (50, 30)] {
            let heading = 2 * 80_usize.div_ceil(columns);
            for step in (1..=32).flat_map(steps) {
                let n = step.position.size.get();
                match fitted(&step, height, columns) {
                    Some(text) => {
                        assert!(rows(&text, columns) < height, "{height} rows, {columns} columns:\n{text}");
                        assert!(text.lines().skip(2).all(|line| line.len() <= columns), "{columns} columns:\n{text}");
                    }
                    None => assert!(heading + n + 1 >= height || 4 + 3 * n > columns, "n = {n}, {height}, {columns}"),
                }
            }
        }
    }
}
