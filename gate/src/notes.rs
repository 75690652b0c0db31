//! Notes on standard error.

use std::cell::Cell;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use crate::escape::{shortened, terminal};
use crate::units::plural;

/// Writes notes, unless the user wants none.
pub(crate) struct Notes<'a> {
    name: &'a str,
    quiet: bool,
    /// When progress is told next.
    next: Cell<Instant>,
}

impl<'a> Notes<'a> {
    pub(crate) fn new(name: &'a str, quiet: bool) -> Self {
        Self { name, quiet, next: Cell::new(Instant::now() + Duration::from_secs(10)) }
    }

    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            say(self.name, text);
        }
    }

    /// Tells the number of finished rounds now and then.
    pub(crate) fn progress(&self, rounds: usize) {
        if Instant::now() >= self.next.get() {
            self.next.set(Instant::now() + Duration::from_secs(60));
            self.note(&format!("measuring: {} so far", plural(rounds, "round")));
        }
    }
}

/// Writes a line to standard error in one piece. Errors of writing are ignored.
pub(crate) fn say(who: &str, text: &str) {
    /// The longest line, in characters. Commands may print long lines.
    const LONGEST: usize = 10_000;
    let _ = io::stderr().write_all(format!("{who}: {}\n", terminal(&shortened(text, LONGEST))).as_bytes());
}
