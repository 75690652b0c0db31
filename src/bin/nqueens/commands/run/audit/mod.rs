//! `nqueens run audit`: counts units again.

mod check;
mod claimed;
mod code;

use std::path::PathBuf;

use clap::ArgGroup;

use super::super::options::{InstructionSet, ThreadsOption};
use crate::exit::Exit;
use crate::terminal::Streams;
use check::Check;

/// Counts a sample of a run again, with another instruction set, and compares
///
/// The units are from a run's folder, or from a result of 'nqueens run merge --json'. If this machine has vector
/// instructions, it counts with others than the records name. The exit status is 3 if a unit differs.
#[derive(Debug, clap::Args)]
#[command(group(ArgGroup::new("again").args(["dir", "published"]).required(true)), after_help = "\
Examples:
  nqueens run audit --dir n24 --sample 50      counts 50 units of a run again
  nqueens run audit --published n24.json.gz    counts 20 units of a published result again
  nqueens run audit --dir n24 --machine node17 --sample 1000
                                               counts 1000 of one machine's units again")]
pub(crate) struct Args {
    /// Folder of the run
    #[arg(long, value_name = "RUN")]
    dir: Option<PathBuf>,
    /// Other folders of the same run
    #[arg(value_name = "RUN", requires = "dir")]
    others: Vec<PathBuf>,
    /// Published result to check
    #[arg(long, value_name = "FILE")]
    published: Option<PathBuf>,
    /// Number of units to count again, at least one of every machine
    #[arg(long, value_name = "K", default_value = "20", value_parser = units, allow_negative_numbers = true)]
    sample: usize,
    /// Counts again only units that this machine counted
    #[arg(long, value_name = "NAME")]
    machine: Option<String>,
    /// Counts with color-plain, which shares almost no code with color and is far slower
    #[arg(long, conflicts_with = "isa")]
    plain: bool,
    /// Seed of the random choice of units. Default: a new choice each time
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    #[command(flatten)]
    threads: ThreadsOption,
    #[command(flatten)]
    isa: InstructionSet,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    Check { args, threads: args.threads.number()?, isa: args.isa.checked()? }.run(streams)
}

/// A number of units, as typed.
fn units(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("0 units verify nothing: give a number from 1".to_owned()),
        Ok(units) => Ok(units),
        Err(_) => Err(format!("'{text}' is not a number of units: give one from 1, such as 50")),
    }
}
