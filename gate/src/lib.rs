//! Runs two commands in turn, the base and the head, and judges whether the head is slower.
//!
//! [`run`] is the whole gate, for the program `abgate` and for others that offer it. A command that fails, hangs or prints
//! something else is a verdict, too: nothing can be compared with such a base. If the gate is interrupted or its time is
//! over, the outcome says what was not measured.

mod command;
mod gate;
mod input;
mod judge;
mod notes;
mod options;
mod processes;
mod reason;
mod rounds;
pub mod statistics;
mod tell;
mod verdict;

use std::io::{self, Write};

pub use command::CommandLine;
use gate::Gate;
use input::Input;
pub use judge::Clock;
use n_queens_terminal::signals;
use notes::Notes;
pub use options::Args;
use tell::Places;

/// What stands below the help: exit statuses and examples.
pub const AFTER_HELP: &str = "\
Exit status:
  0   not slower
  1   head failed
  2   base failed, or wrong command line
  4   slower
  5   inconclusive
  74  the page cannot be written

Examples:
  abgate --base 'old/sort big.txt' --head 'new/sort big.txt'
  abgate --base 'python3 old.py' --head 'python3 new.py' --threshold 5% --budget 10m";

/// Runs a gate, writes the outcome to `out` and to each other place that `args` name, and returns the exit status, as in
/// [`AFTER_HELP`]. Only writing can fail.
///
/// Notes go to standard error, and begin with `abgate`; with `quiet` there are none. It catches signals: one that stops the
/// gate is [`n_queens_terminal::signals::caught`]. The calling process has no other child processes meanwhile.
pub fn run(args: &Args, quiet: bool, out: &mut dyn Write) -> io::Result<u8> {
    let (places, notes) = (Places::of(args)?, Notes { name: "abgate", quiet });
    notes.note(&format!("comparing for up to {}", humantime::format_duration(args.budget)));
    if args.base == args.head {
        notes.note("base and head are the same command: this shows the noise of the machine and no change");
    }
    // The next signal still ends this process, which may wait long for its input.
    let input = Input::of_the_gate(args.budget, |text| notes.note(text));
    signals::catch_for_children()?;
    let gate = Gate::run(args, input, &notes);
    // No command runs any more: the next signal may end this process.
    signals::obey();
    let status = gate.verdict.status(args.allow_inconclusive);
    match places.tell(&gate, &notes, out) {
        Err(error) if status == 0 => Err(error),
        // An error of writing does not hide a verdict.
        Err(error) => {
            notes::say("error", &error.to_string());
            Ok(status)
        }
        Ok(()) => Ok(status),
    }
}
