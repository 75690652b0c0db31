//! The program `abgate`: see the library of this name.

#![forbid(unsafe_code)]

use std::io::{self, Write};
use std::process::ExitCode;

use abgate::Args;
use clap::Parser;
use n_queens_terminal::escape::{terminal, terminal_lines};
use n_queens_terminal::signals;

fn main() -> ExitCode {
    signals::survive_a_size_limit();
    let (args, pairs) = match Args::try_parse().and_then(|args| Ok((args.pairs()?, args))) {
        Ok((pairs, args)) => (args, pairs),
        Err(error) if error.use_stderr() => {
            let _ = write!(io::stderr(), "{}", terminal_lines(&error.to_string()));
            return 2.into();
        }
        Err(help) => {
            // Who reads only the beginning has what he wants.
            let _ = write!(io::stdout(), "{help}");
            return 0.into();
        }
    };
    let status = abgate::run(&args, pairs, &mut io::stdout().lock()).unwrap_or_else(|error| {
        let _ = writeln!(io::stderr(), "error: {}", terminal(&error.to_string()));
        74
    });
    let status = signals::caught().filter(|_| status != 0).map_or(status, |signal| 128 + signal);
    signals::end_by_signal(status);
    status.into()
}
