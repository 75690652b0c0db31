//! The progress bar, which is the last line of standard error on a terminal.
//!
//! Notebooks and log viewers obey carriage returns but no escape sequences, so the bar is erased with spaces and cut to
//! the width of the terminal. An escape sequence is written only if a terminal has become so narrow that the bar takes
//! several rows.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use unicode_width::UnicodeWidthChar;

use super::output::{Waiting, screen};

/// Draws a bar in place of the previous one.
pub(super) fn draw(text: &str) {
    write(|drawn, columns| drawn.replace(Some(text), columns));
}

/// Erases the bar.
pub(super) fn erase() {
    give_way_to("");
}

/// Writes lines in place of the bar.
pub(super) fn give_way_to(lines: &str) {
    write(|drawn, columns| drawn.replace(None, columns) + lines);
}

/// Returns whether this process may draw on its terminal, which belongs to the foreground jobs of the shell. If the
/// foreground job is unknown, the process may draw.
pub(super) fn is_in_foreground() -> bool {
    #[cfg(unix)]
    if let Ok(foreground) = nix::unistd::tcgetpgrp(io::stderr()) {
        return foreground == nix::unistd::getpgrp();
    }
    true
}

/// Writes to standard error in one piece, so that the text does not mix with lines of other processes. Text that cannot
/// be written is dropped.
fn write(text: impl FnOnce(&mut Drawn, usize) -> String) {
    /// Locked while text is written.
    static DRAWN: Mutex<Drawn> = Mutex::new(Drawn { width: 0 });
    let mut drawn = DRAWN.lock().unwrap_or_else(PoisonError::into_inner);
    if drawn.width > 0 && !is_in_foreground() {
        // The cursor has moved from the bar to the prompt of a shell.
        drawn.width = 0;
    }
    let (_, columns) = screen(io::stderr());
    let _ = Waiting(io::stderr()).write_all(text(&mut drawn, columns).as_bytes());
}

/// The bar on the screen. The cursor is at its beginning.
struct Drawn {
    /// Its width in columns, or 0 without a bar.
    width: usize,
}

impl Drawn {
    /// Returns the text that erases the bar and draws another bar, or none, on a terminal of `columns`.
    fn replace(&mut self, bar: Option<&str>, columns: usize) -> String {
        let mut written = String::new();
        if self.width > 0 {
            written = format!("\r{}", " ".repeat(self.width));
            // A terminal that has become narrower has wrapped the bar.
            match self.width.div_ceil(columns) - 1 {
                0 => {}
                more => written += &format!("\x1b[{more}A"),
            }
            written.push('\r');
        }
        self.width = 0;
        for c in bar.into_iter().flat_map(str::chars) {
            // A bar that fills the last column would be wrapped.
            let wider = self.width + c.width().unwrap_or(0);
            if wider >= columns {
                break;
            }
            self.width = wider;
            written.push(c);
        }
        if self.width > 0 {
            written.push('\r');
        }
        written
    }
}
