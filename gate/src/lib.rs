//! Runs two commands alternately, the base and the head, and judges whether the head is slower.
//!
//! A command that fails, hangs or prints something other than the base gets a verdict of its own. If the gate is
//! interrupted or its budget is used up, the outcome names the commands that were not measured.
//!
//! To read the code, begin with `rounds`, `measurement` and `judge`, which are the method. `command` and `processes`
//! run a command once, `pair` compares the runs of two commands, `gate` runs the pairs in turn, and `reason` and
//! `report` put the outcome into words.
//!
//! Because the gate depends on no other package of this project, `signals`, `escape`, `units` and the parsers of times
//! and paths have counterparts in the program `nqueens`. Mend a fault in both.

mod command;
mod escape;
mod gate;
mod judge;
mod measurement;
mod options;
mod pair;
mod processes;
mod reason;
mod report;
mod rounds;
mod signals;
mod statistics;
mod units;
mod verdict;
mod watch;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use escape::escaped_lines;
use gate::Gate;
pub use options::Args;
use pair::Pair;
use report::{say, write};

/// Runs the program `abgate`: parses its arguments, runs the gate, writes the outcome, and returns one of the exit
/// statuses that the help lists.
pub fn main() -> ExitCode {
    let (pairs, args) = match Args::try_parse().and_then(|args| Ok((Pair::all(&args)?, args))) {
        Ok(parsed) => parsed,
        Err(error) => {
            // A write error is ignored, because a reader who closes the help has seen enough of it.
            let text = escaped_lines(&error.to_string());
            let out: &mut dyn Write = if error.use_stderr() { &mut io::stderr() } else { &mut io::stdout() };
            let _ = write(out, &text);
            return if error.use_stderr() { 2 } else { 0 }.into();
        }
    };
    // A page that cannot be written is reported now and not after the minutes that the gate takes.
    if let Err(error) = report::append_page(&args, "").and_then(|()| signals::catch()) {
        say("error", &error.to_string());
        return 74.into();
    }
    say("abgate", &format!("comparing for up to {}", humantime::format_duration(args.budget)));
    let gate = Gate::run(&args, pairs);
    // No command is running any more, so the next signal may end this process.
    signals::obey();
    let mut status = gate.status();
    if let Err(error) = gate.report(&mut io::stdout()) {
        say("error", &error.to_string());
        // A write error must not hide a verdict.
        status = if status == 0 { 74 } else { status };
    }
    let status = signals::caught().filter(|_| status != 0).map_or(status, |signal| 128 + signal);
    signals::end_by_signal(status);
    status.into()
}
