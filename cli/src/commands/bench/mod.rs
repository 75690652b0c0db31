//! `nqueens bench`: measures machines and builds.

mod compare;
mod machine;
mod tables;

use crate::exit::Exit;
use crate::terminal::Streams;

/// Measures this machine, compares machines, and finds slower programs
///
/// Without a command it is 'nqueens bench machine'.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  nqueens bench --out here.json                                   measures this machine
  nqueens bench compare here.json there.json                      compares it with another
  nqueens bench compare here.json there.json --format html >page  makes a page of the comparison
  nqueens bench gate --base ./old --head ./new                    asks whether new is slower"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: Option<BenchCommand>,
    #[command(flatten)]
    machine: machine::Args,
}

#[derive(Debug, clap::Subcommand)]
enum BenchCommand {
    Machine(machine::Args),
    Compare(compare::Args),
    #[command(after_help = abgate::after_help("nqueens bench gate"))]
    Gate(Box<abgate::Args>),
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    match &args.what {
        None => machine::run(&args.machine, streams),
        Some(BenchCommand::Machine(args)) => machine::run(args, streams),
        Some(BenchCommand::Compare(args)) => compare::run(args, streams),
        Some(BenchCommand::Gate(args)) => gate(args, streams),
    }
}

/// The gate that the program `abgate` runs, too.
fn gate(args: &abgate::Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    Ok(match abgate::run(args, "nqueens", streams.quiet, streams.out)? {
        0 => Exit::Fine,
        status => Exit::Gate(status),
    })
}
