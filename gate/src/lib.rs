//! Runs two commands in turn, the base and the head, and judges whether the head is slower.
//!
//! [`run`] is the whole gate, for one pair of commands or more. A command that fails, hangs or prints something else is a
//! verdict, too: nothing can be compared with such a base. If the gate is interrupted or its time is over, the outcome
//! says what was not measured.

mod command;
mod gate;
mod judge;
mod notes;
mod options;
mod processes;
mod reason;
mod rounds;
mod statistics;
mod tell;
mod verdict;

use std::io::{self, Write};

use gate::Gate;
pub use gate::Pair;
pub use judge::Clock;
use n_queens_terminal::signals;
use notes::{Notes, say};
pub use options::Args;

/// Runs a gate, writes the outcome to `out` and to each other place that `args` name, and returns the exit status, as in
/// the help. Only writing can fail. `pairs` are those of [`Args::pairs`].
///
/// Notes go to standard error, and begin with `abgate`. It catches signals: one that stops the gate is
/// [`n_queens_terminal::signals::caught`]. The calling process has no other child processes meanwhile.
pub fn run(args: &Args, pairs: Vec<Pair>, out: &mut dyn Write) -> io::Result<u8> {
    let notes = Notes { quiet: args.quiet };
    // Fails at once if the page cannot be written: the gate takes minutes.
    tell::append_page(args, "")?;
    notes.note(&format!("comparing for up to {}", humantime::format_duration(args.budget)));
    if args.base == args.head {
        notes.note("base and head are the same command: this shows the noise of the machine and no change");
    }
    signals::catch_for_children()?;
    let gate = Gate::run(args, pairs, &notes);
    // No command runs any more: the next signal may end this process.
    signals::obey();
    match gate.tell(&notes, out) {
        Err(error) if gate.status() == 0 => Err(error),
        // An error of writing does not hide a verdict.
        told => {
            told.unwrap_or_else(|error| say("error", &error.to_string()));
            Ok(gate.status())
        }
    }
}
