//! `nqueens run audit`: recomputes units that were counted elsewhere.

mod check;

use std::path::PathBuf;

use clap::ArgGroup;

use super::super::estimate::share;
use super::super::options::{InstructionSet, ThreadsOption};
use crate::exit::Exit;
use crate::terminal::Streams;
use check::Check;

/// Counts some units of a run again, with other code than before, and compares
///
/// Units of a run's folder, or of a result that 'nqueens run merge --json' printed. Where this machine has
/// vector instructions, each unit is counted with others than its record says. The status is 3 if any differs.
#[derive(Debug, clap::Args)]
#[command(group(ArgGroup::new("again").args(["dir", "published"]).multiple(true).required(true)), after_help = "\
Examples:
  nqueens run audit --dir n24 --sample 50          50 units of a run
  nqueens run audit --published n24.json.gz        the same of what 'nqueens run merge --json' printed
  nqueens run audit --dir n24 --machine node17 --share 0.01    a hundredth of what one machine counted")]
pub(crate) struct Args {
    /// The folder of the run
    #[arg(long, value_name = "RUN")]
    dir: Option<PathBuf>,
    /// Other folders of the same run
    #[arg(value_name = "DIR", requires = "dir")]
    others: Vec<PathBuf>,
    /// A result whose units to count again; with --dir, compares all units first
    #[arg(long, value_name = "FILE")]
    published: Option<PathBuf>,
    /// How many units to recompute; at least one of every machine
    #[arg(long, value_name = "K", default_value = "20", value_parser = units, allow_negative_numbers = true)]
    sample: usize,
    /// Recomputes such a share of the units instead, at least one of every machine
    #[arg(long, value_name = "SHARE", value_parser = share, allow_negative_numbers = true, conflicts_with = "sample")]
    share: Option<f64>,
    /// Recomputes only units that this machine counted
    #[arg(long, value_name = "NAME")]
    machine: Option<String>,
    /// Counts them as color-plain does, which shares next to no code with color and is far slower
    #[arg(long, conflicts_with = "isa")]
    plain: bool,
    /// Which random choice of units; another one each time by default
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    #[command(flatten)]
    threads: ThreadsOption,
    #[command(flatten)]
    isa: InstructionSet,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    Check { again: args, threads: args.threads.number()?, isa: args.isa.checked()? }.run(streams)
}

/// A number of units, as typed.
fn units(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("0 units verify nothing: give a number from 1".to_owned()),
        Ok(units) => Ok(units),
        Err(_) => Err(format!("'{text}' is not a number of units: give one from 1, such as 50")),
    }
}
