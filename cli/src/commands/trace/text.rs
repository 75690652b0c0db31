//! A step of the search as text.

use std::fmt::Write;

use crate::terminal::units::plural;
use crate::terminal::wrap::WIDTH;
use nqueens::trace::{Event, Masks, Step};

/// What a step does, in words; rows and columns count from 1.
pub(super) fn event(step: &Step) -> String {
    let (Event::Placed(row, column) | Event::Lifted(row, column)) = step.event;
    let queen = format!("queen on row {}, column {}", row + 1, column + 1);
    match step.event {
        Event::Placed(..) if step.is_solution() => format!("{queen}: a solution"),
        Event::Placed(..) => queen,
        Event::Lifted(..) if step.is_last() => format!("back: the {queen} is removed, the search is over"),
        Event::Lifted(..) => format!("back: the {queen} is removed"),
    }
}

/// The board after a step, with the marks of the row that is next, and the masks of that row.
pub(super) fn frame(step: &Step) -> String {
    let position = &step.position;
    let (n, queens, masks) = (position.size.get(), &position.queens, position.masks);
    let (placed, solutions) = (plural(step.nodes, "queen"), plural(step.solutions, "solution"));
    let mut text = format!("step {}: {}\n{placed} placed so far, {solutions}\n    ", step.number, event(step));
    for column in 1..=n {
        let _ = write!(text, "{column:>3}");
    }
    for row in 0..n {
        let _ = write!(text, "\n{:>4}", row + 1);
        for column in 0..n {
            let square = match queens.get(row) {
                Some(&queen) if queen as usize == column => 'Q',
                None if row == queens.len() => mark(&masks, column),
                _ => '.',
            };
            let _ = write!(text, "  {square}");
        }
        text += if row == queens.len() { "   <- next row" } else { "" };
    }
    text.push('\n');
    if !position.is_full() {
        text += &in_bits(step, &masks);
    }
    text
}

/// A square of the next row: `o` is free, `-` was tried, `|` is attacked along the column, `\` along the diagonal, `/`
/// along the antidiagonal, `*` along several.
fn mark(masks: &Masks, column: usize) -> char {
    let [column, diagonal, antidiagonal, free] =
        [masks.columns, masks.diagonals, masks.antidiagonals, masks.free].map(|mask| mask >> column & 1 == 1);
    match (column, diagonal, antidiagonal) {
        (false, false, false) if free => 'o',
        (false, false, false) => '-',
        (true, false, false) => '|',
        (false, true, false) => '\\',
        (false, false, true) => '/',
        _ => '*',
    }
}

/// The masks under the board, each with its name, and with an explanation if a line has room for it.
fn in_bits(step: &Step, masks: &Masks) -> String {
    let queen = masks.queen();
    let next = match queen {
        0 if step.is_last() => "nothing is free: the search is over".to_owned(),
        0 => "nothing is free: one row back".to_owned(),
        _ => format!("the queen goes to column {}", queen.trailing_zeros() + 1),
    };
    let n = step.position.size.get();
    let mut text = String::new();
    let mut add = |line: String, words: &str| {
        let line = if line.len() > WIDTH { line.trim_end_matches(words) } else { &line };
        text += line.trim_end();
        text.push('\n');
    };
    let words = "bit 0 on the left, under column 1";
    add(format!("    {}   {words}", "-".repeat(3 * n)), words);
    for (name, mask, words) in [
        ("columns", masks.columns, ""),
        ("diagonals", masks.diagonals, "(each row shifts them right: << 1)"),
        ("antidiagonals", masks.antidiagonals, "(each row shifts them left: >> 1)"),
        ("taken", masks.taken(), "= the three above, joined by |"),
        ("free", masks.free, "= !taken, less what was tried"),
        ("free & -free", queen, next.as_str()),
    ] {
        let bits: String = (0..n).map(|column| format!("  {}", mask >> column & 1)).collect();
        add(format!("    {bits}   {name:<13} {words}"), words);
    }
    text
}
