//! Runs two commands in turn, the base and the head, and judges whether the head is slower.
//!
//! A command that fails, hangs or prints something else is a verdict, too: nothing can be compared with such a base. If
//! the gate is interrupted or its time is over, the outcome says what was not measured.

mod command;
mod escape;
mod gate;
mod judge;
mod options;
mod path;
mod processes;
mod reason;
mod rounds;
mod signals;
mod statistics;
mod tell;
mod units;
mod verdict;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use escape::{terminal, terminal_lines};
use gate::Gate;
pub use options::Args;

/// The program `abgate`: reads its arguments, runs the gate, writes the outcome, and returns the exit status that the help
/// names.
pub fn main() -> ExitCode {
    signals::survive_a_size_limit();
    let (args, pairs) = match Args::try_parse().and_then(|args| Ok((args.pairs()?, args))) {
        Ok((pairs, args)) => (args, pairs),
        Err(error) => {
            // An error of writing does not matter: who reads only the beginning of the help has what he wants.
            let text = terminal_lines(&error.to_string()).into_owned();
            let _ = if error.use_stderr() { write!(io::stderr(), "{text}") } else { write!(io::stdout(), "{text}") };
            return if error.use_stderr() { 2 } else { 0 }.into();
        }
    };
    // Fails at once if the page cannot be written, or signals not be caught: the gate takes minutes.
    if let Err(error) = tell::append_page(&args, "").and_then(|()| signals::catch()) {
        say("error", &error.to_string());
        return 74.into();
    }
    say("abgate", &format!("comparing for up to {}", humantime::format_duration(args.budget)));
    let gate = Gate::run(&args, pairs);
    // No command runs any more: the next signal may end this process.
    signals::obey();
    let mut status = gate.status();
    if let Err(error) = gate.tell(&mut io::stdout().lock()) {
        say("error", &error.to_string());
        // It does not hide a verdict.
        status = if status == 0 { 74 } else { status };
    }
    let status = signals::caught().filter(|_| status != 0).map_or(status, |signal| 128 + signal);
    signals::end_by_signal(status);
    status.into()
}

/// Writes a line to standard error in one piece. Errors of writing are ignored.
fn say(who: &str, text: &str) {
    let _ = io::stderr().write_all(format!("{who}: {}\n", terminal(text)).as_bytes());
}
