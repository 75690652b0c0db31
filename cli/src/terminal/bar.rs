//! The progress bar: the last line of standard error on a terminal, until something takes its place.
//!
//! Notebooks and viewers of logs obey a carriage return but no escape sequence, so the bar is erased with spaces and
//! cut to the width of the terminal. An escape sequence is written only after a terminal has become so narrow that the
//! bar takes several rows.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use unicode_width::UnicodeWidthChar;

use super::output::{Waiting, screen};

/// Draws the bar in place of the one before.
pub(super) fn draw(text: &str) {
    write(|drawn, columns| drawn.replace(Some(text), columns));
}

/// Erases the bar.
pub(super) fn erase() {
    say("");
}

/// Writes lines in place of the bar.
pub(super) fn say(lines: &str) {
    write(|drawn, columns| drawn.replace(None, columns) + lines);
}

/// Whether this process may draw on its terminal: a shell's prompt belongs to the jobs in the foreground. If the
/// terminal does not say, it may.
pub(super) fn is_in_foreground() -> bool {
    #[cfg(unix)]
    if let Ok(foreground) = nix::unistd::tcgetpgrp(io::stderr()) {
        return foreground == nix::unistd::getpgrp();
    }
    true
}

/// Writes to standard error in one piece. Errors of writing are ignored.
fn write(text: impl FnOnce(&mut Drawn, usize) -> String) {
    /// Held while something is written.
    static DRAWN: Mutex<Drawn> = Mutex::new(Drawn { width: 0 });
    let mut drawn = DRAWN.lock().unwrap_or_else(PoisonError::into_inner);
    if drawn.width > 0 && !is_in_foreground() {
        // The cursor is no longer at the bar, but at the prompt of a shell.
        drawn.width = 0;
    }
    let (_, columns) = screen(io::stderr());
    let _ = Waiting(io::stderr()).write_all(text(&mut drawn, columns).as_bytes());
}

/// The bar on the screen. The cursor is at its beginning.
struct Drawn {
    /// Its width in columns; 0 if there is none.
    width: usize,
}

impl Drawn {
    /// Erases the bar and draws another bar, or none, on a terminal of `columns`. Returns what has to be written.
    fn replace(&mut self, bar: Option<&str>, columns: usize) -> String {
        let mut written = String::new();
        if self.width > 0 {
            written = format!("\r{}", " ".repeat(self.width));
            // A terminal that was made narrower has wrapped the bar.
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
