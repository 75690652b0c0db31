//! `nqueens bench sample`: what a regression gate asks a build to run.

use crate::bench::WorkloadId;
use crate::bench::gate::protocol::answer;

use super::super::options::InstructionSet;
use crate::exit::Exit;
use crate::terminal::Streams;
use crate::terminal::measured::watched;

/// Runs one workload and prints one line of JSON, for 'nqueens bench gate'
///
/// 'bench gate' can compare every program that has this command. docs/measuring.md has the protocol.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens bench sample --workload count/bitmask/n=12/t=1 --repetitions 3    takes three samples")]
pub(crate) struct Args {
    /// Workload to run
    #[arg(long, value_name = "ID")]
    workload: WorkloadId,
    /// Number of samples
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repetitions: u32,
    /// Runs in each sample. Default: enough for a reliable time
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    runs: Option<u64>,
    #[command(flatten)]
    isa: InstructionSet,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let isa = args.isa.checked()?;
    let answer =
        watched(streams, |cancel, _| answer(&args.workload, isa, args.repetitions as usize, args.runs, cancel))?;
    streams.json(&answer)?;
    Ok(Exit::Fine)
}
