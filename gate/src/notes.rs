//! Notes on standard error.

use std::io::{self, Write};

use n_queens_terminal::escape::{shortened, terminal};

/// Writes notes, unless the user wants none.
pub(crate) struct Notes {
    pub(crate) quiet: bool,
}

impl Notes {
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            say("abgate", text);
        }
    }
}

/// Writes a line to standard error in one piece. Errors of writing are ignored.
pub(crate) fn say(who: &str, text: &str) {
    /// The longest line, in characters. Commands may print long lines.
    const LONGEST: usize = 10_000;
    let _ = io::stderr().write_all(format!("{who}: {}\n", terminal(&shortened(text, LONGEST))).as_bytes());
}
