//! Runs two commands in turn, the base and the head, and judges whether the head is slower.
//!
//! [`run`] is the whole gate, for the program `abgate` and for others that offer it. A command that fails, hangs or prints
//! something else is a verdict, too: nothing can be compared with such a base. If the gate is interrupted or its time is
//! over, the outcome says what was not measured.

mod command;
pub mod escape;
mod gate;
mod input;
mod judge;
mod left;
mod notes;
mod options;
mod rounds;
pub mod signals;
pub mod statistics;
mod tell;
pub mod units;
mod verdict;

use std::io::{self, Write};

pub use command::CommandLine;
use gate::Outcome;
use input::Input;
pub use judge::Clock;
use notes::Notes;
pub use options::{Args, length_of_time};
use tell::Places;
use units::in_words;

/// The exit statuses, for the help of a program that offers the gate.
pub const STATUSES: &str = "\
Exit status: 0 not slower, 4 slower, 5 inconclusive, 1 head failed, 2 base failed or wrong command line, 74 the page
cannot be written.";

/// How a gate ended, with its exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The head is not slower. Or nobody can tell, and that is allowed.
    NotSlower = 0,
    /// The head fails, takes too long or prints something else than the base.
    HeadFailed = 1,
    /// Nothing can be compared, because the base or the preparation fails.
    NothingCompared = 2,
    /// The head is slower.
    Slower = 4,
    /// Nobody can tell.
    Inconclusive = 5,
}

impl Ending {
    /// The exit status. `signal` is the number of the signal that stopped the gate, if one did.
    pub fn status(result: &io::Result<Self>, signal: Option<u8>) -> u8 {
        match (result, signal) {
            (Ok(Self::NotSlower), _) => 0,
            (_, Some(signal)) => 128 + signal,
            (Ok(ending), None) => *ending as u8,
            (Err(_), None) => 74,
        }
    }
}

/// Runs a gate and writes the outcome to `out` and to each other place that `args` name. Only writing can fail.
///
/// Notes go to standard error, and begin with `name`; with `quiet` there are none. It catches signals: one that stops the
/// gate is [`signals::caught`]. The calling process has no other child processes meanwhile.
pub fn run(args: &Args, name: &str, quiet: bool, out: &mut dyn Write) -> io::Result<Ending> {
    let (places, notes) = (Places::of(args)?, Notes::new(name, quiet));
    // The next signal still ends this process, which may wait long for its input.
    let input = Input::of_the_gate(args.budget, |text| notes.note(text));
    signals::catch_patiently()?;
    signals::keep_children()?;
    notes.note(&format!("comparing for up to {}", in_words(args.budget.as_secs_f64())));
    if args.base == args.head {
        notes.note("base and head are the same command: this shows the noise of the machine and no change");
    }
    let outcome = Outcome::measure(args, input, &notes);
    // No command runs any more: the next signal may end this process.
    signals::obey();
    let ending = outcome.ending();
    match places.tell(&outcome, &notes, out) {
        Err(error) if ending == Ending::NotSlower => Err(error),
        // An error of writing does not hide a verdict.
        Err(error) => {
            notes::say("error", &error.to_string());
            Ok(ending)
        }
        Ok(()) => Ok(ending),
    }
}
