//! A step of the search as text.

use std::fmt::Write;

use crate::terminal::units::plural;
use crate::terminal::wrap::WIDTH;
use nqueens::trace::{Event, Position, Step};

/// What a step does, in words; rows and columns count from 1.
pub(crate) fn event(step: &Step) -> String {
    match step.event {
        Event::Placed(row, column) if step.is_solution() => {
            format!("queen on row {}, column {}: a solution", row + 1, column + 1)
        }
        Event::Placed(row, column) => format!("queen on row {}, column {}", row + 1, column + 1),
        Event::Lifted(row, column) => format!(
            "back: the queen on row {}, column {} is removed{}",
            row + 1,
            column + 1,
            if step.is_last() { ", the search is over" } else { "" }
        ),
    }
}

/// Text in a color of the terminal, or as it is.
struct Paint(bool);

impl Paint {
    fn with(&self, code: &str, text: &str) -> String {
        if self.0 { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// The board after a step, with the marks of the row that is next: `o` free, `-` tried, `|` attacked along the column,
/// `\` along the diagonal, `/` along the antidiagonal, `*` along several; and what the solver knows of it.
pub(crate) fn frame(step: &Step, shows_masks: bool, is_colored: bool) -> String {
    let paint = Paint(is_colored);
    let position = &step.position;
    let n = position.size();
    let mut text = String::new();
    let _ = writeln!(
        text,
        "step {}: {}\n{} placed so far, {}",
        step.number,
        paint.with(if step.is_solution() { "1;32" } else { "1" }, &event(step)),
        plural(step.nodes, "queen"),
        plural(step.solutions, "solution"),
    );
    text += "    ";
    for column in 1..=n {
        let _ = write!(text, "{column:>3}");
    }
    text.push('\n');
    for row in 0..n {
        let _ = write!(text, "{:>4}", row + 1);
        for column in 0..n {
            let (mark, code) = square(position, row, column);
            let _ = write!(text, "  {}", paint.with(code, &mark.to_string()));
        }
        let is_next = row == position.queens().len();
        text += if is_next { "   <- next row\n" } else { "\n" };
    }
    if !position.is_full() {
        text += &if shows_masks { masks(step, &paint) } else { arrays(position, &paint) };
    }
    text
}

/// The mark of a square and its color.
fn square(position: &Position, row: usize, column: usize) -> (char, &'static str) {
    let queens = position.queens();
    if let Some(&queen) = queens.get(row) {
        return if queen == column { ('Q', "1") } else { ('.', "2") };
    }
    if row > queens.len() {
        return ('.', "2");
    }
    let attackers = position.attackers(row, column);
    match (attackers.column, attackers.diagonal, attackers.antidiagonal) {
        (false, false, false) if position.is_tried(column) => ('-', "2"),
        (false, false, false) => ('o', "1;32"),
        (true, false, false) => ('|', "34"),
        (false, true, false) => ('\\', "33"),
        (false, false, true) => ('/', "33"),
        _ => ('*', "31"),
    }
}

fn masks(step: &Step, paint: &Paint) -> String {
    let position = &step.position;
    let masks = position.masks();
    let queen = masks.queen();
    let next = match queen {
        0 if step.is_last() => "nothing is free: the search is over".to_owned(),
        0 => "nothing is free: one row back".to_owned(),
        _ => format!("the queen goes to column {}", queen.trailing_zeros() + 1),
    };
    let lines = [
        ("columns", masks.columns, ""),
        ("diagonals", masks.diagonals, "(each row shifts them right: << 1)"),
        ("antidiagonals", masks.antidiagonals, "(each row shifts them left: >> 1)"),
        ("taken", masks.taken(), "= the three above, joined by |"),
        ("free", masks.free, "= !taken, less what was tried"),
        ("free & -free", queen, next.as_str()),
    ];
    let mut text = String::from("    ");
    let board = 3 * position.size();
    text += &"-".repeat(board);
    text += &beside(board, "   bit 0 on the left, under column 1");
    text.push('\n');
    for (name, mask, words) in lines {
        text += "    ";
        for column in 0..position.size() {
            let bit = mask >> column & 1;
            text += "  ";
            text += &paint.with(if bit == 1 { "1" } else { "2" }, if bit == 1 { "1" } else { "0" });
        }
        text += &beside(board, &format!("   {name:<13} {words}"));
        text.push('\n');
    }
    text
}

/// The words beside a board that is `board` columns wide, as far as a line has room for whole words.
fn beside(board: usize, words: &str) -> String {
    let room = WIDTH.saturating_sub("    ".len() + board);
    let fits = words.len() <= room || words.len() <= 3 + 13;
    let words = if fits { words } else { words.get(..3 + 13).unwrap_or(words) };
    words.trim_end().to_owned()
}

fn arrays(position: &Position, paint: &Paint) -> String {
    let arrays = position.arrays();
    let mut text = String::new();
    for (name, words, taken) in [
        ("columns", "by column", &arrays.columns),
        ("diagonals", "by row - column + n - 1", &arrays.diagonals),
        ("antidiagonals", "by row + column", &arrays.antidiagonals),
    ] {
        let _ = write!(text, "    {name:<13}  ");
        for &is_taken in taken {
            text += &paint.with(if is_taken { "1" } else { "2" }, if is_taken { "x" } else { "." });
        }
        let _ = writeln!(text, "  {words}, counted from 0");
    }
    text
}
