//! Standard streams, terminals and signals. Everything that the program prints or reads from a standard stream passes
//! through this module, as do files that are read whole, except those of the operating system and of schedulers.

mod bar;
pub(crate) mod durations;
pub(crate) mod escape;
pub(crate) mod files;
pub(crate) mod output;
pub(crate) mod signals;
pub(crate) mod stop;
pub(crate) mod table;
pub(crate) mod task;
pub(crate) mod time_left;
pub(crate) mod units;
pub(crate) mod wrap;

use std::fmt::Display;
use std::io::{self, IsTerminal, Read, Write};

use serde_json::Value;

use crate::version::JSON_SCHEMA;
use escape::{escaped, escaped_lines, shortened};

/// The streams of a command.
pub(crate) struct Streams<'a> {
    /// Standard output, for results only. Text is escaped when it leaves the buffer.
    pub(crate) out: &'a mut dyn Write,
    /// Whether `--quiet` is given, so that only results and errors are printed.
    pub(crate) quiet: bool,
}

impl Streams<'_> {
    /// Adds the schema to the JSON of a result and writes it in a line.
    pub(crate) fn json(&mut self, mut result: Value) -> io::Result<()> {
        result["schema"] = JSON_SCHEMA.into();
        writeln!(self.out, "{result}")
    }

    /// Writes a note to standard error unless `--quiet` is given.
    pub(crate) fn note(&self, text: impl Display) {
        if !self.quiet {
            say(text);
        }
    }

    /// Returns standard input. At a terminal, a note asks the user to type `what`.
    pub(crate) fn input(&self, what: &str) -> impl Read + use<> {
        if io::stdin().is_terminal() {
            let end = if cfg!(windows) { "Ctrl-Z and Enter" } else { "Ctrl-D" };
            self.note(format_args!("type {what}; {end} ends the input"));
        }
        output::Waiting(io::stdin())
    }
}

/// Writes a line to standard error that is no error, even with `--quiet`.
pub(crate) fn say(text: impl Display) {
    bar::give_way_to(&format!("nqueens: {}\n", one_line(&text.to_string())));
}

/// Writes an error to standard error, even with `--quiet`.
pub(crate) fn complain(text: impl Display) {
    bar::give_way_to(&format!("error: {}\n", one_line(&text.to_string())));
}

/// Like [`complain`], for a message of several lines.
pub(crate) fn complain_in_lines(text: &str) {
    bar::give_way_to(&format!("error: {}\n", escaped_lines(text)));
}

/// Escapes text so that it takes one line. At most 10 000 characters are kept, because text from a file may be as long
/// as the file.
pub(crate) fn one_line(text: &str) -> String {
    escaped(&shortened(text, 10_000))
}
