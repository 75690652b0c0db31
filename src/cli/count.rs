//! `nqueens count`: how many solutions there are.

use super::Streams;
use super::args::{How, Sizes};
use super::exit::Exit;
use super::interrupt::Interrupts;
use super::watch;

/// Counts the solutions for one or more sizes
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Sizes and ranges of sizes, from 0 to 32
    #[arg(value_name = "N", required = true, allow_negative_numbers = true)]
    sizes: Vec<Sizes>,
    #[command(flatten)]
    how: How,
}

pub(super) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let interrupts = Interrupts::catch()?;
    for size in args.sizes.iter().flat_map(|sizes| &sizes.0) {
        let counter = args.how.counter(*size)?;
        streams.note(format_args!("threads: {}", counter.threads_used()));
        let outcome = watch::count(&counter, &interrupts, streams)?;
        writeln!(streams.out, "{}", outcome.solutions)?;
        streams.out.flush()?;
    }
    Ok(Exit::Fine)
}
