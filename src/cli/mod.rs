//! The command line: what may be typed, one file per subcommand. The only code that prints.
//!
//! A subcommand is an `Args` (what clap reads) and a `run`, which writes its data to `out`, everything else to
//! [`Streams::note`], and returns how the program ends. Errors bring their exit status with them ([`Exit::of`]).

mod args;
mod count;
mod duration;
mod exit;
mod interrupt;
mod watch;

use std::ffi::OsString;
use std::io::{BufWriter, Write};

use clap::Parser;

use exit::Exit;

/// Counts the ways to place n queens on an n x n board so that none attacks another.
#[derive(Debug, Parser)]
#[command(name = "nqueens", version, max_term_width = 100)]
struct Cli {
    /// Prints nothing but results and errors
    #[arg(long, short, global = true)]
    quiet: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Count(count::Args),
}

/// Where a subcommand writes.
pub(crate) struct Streams<'a> {
    /// Standard output: data only. Buffered; flush it where somebody waits.
    pub(crate) out: &'a mut dyn Write,
    quiet: bool,
}

impl Streams<'_> {
    /// Says something about the work, on standard error, unless it was told to be quiet. Nobody may be listening there,
    /// and that is no reason to stop.
    pub(crate) fn note(&self, text: impl std::fmt::Display) {
        if !self.quiet {
            let _ = writeln!(std::io::stderr(), "nqueens: {text}");
        }
    }
}

/// Runs the program on these arguments, the program's name first.
pub(crate) fn main(arguments: impl Iterator<Item = OsString>) -> Exit {
    match run(arguments) {
        Ok(exit) => exit,
        Err(error) => {
            if !Exit::is_closed_pipe(&error) {
                let _ = writeln!(std::io::stderr(), "error: {error:#}");
            }
            Exit::of(&error)
        }
    }
}

fn run(arguments: impl Iterator<Item = OsString>) -> anyhow::Result<Exit> {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            error.print()?;
            return Ok(if error.use_stderr() { Exit::Usage } else { Exit::Fine });
        }
    };
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut streams = Streams { out: &mut out, quiet: cli.quiet };
    let exit = match cli.command {
        Command::Count(args) => count::run(&args, &mut streams),
    };
    // What was done before an error is not lost, and an error in writing it is an error too.
    let written = out.flush().map_err(|error| anyhow::Error::from(error).context("cannot write to standard output"));
    let exit = exit?;
    written.map(|()| exit)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_well_formed() {
        <super::Cli as clap::CommandFactory>::command().debug_assert();
    }
}
