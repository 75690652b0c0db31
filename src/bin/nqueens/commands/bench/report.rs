//! `nqueens bench report`: a page made from records.

use std::path::PathBuf;

use super::records::records;
use crate::bench::compare::Comparison;
use crate::draw::page;
use crate::exit::{Exit, Fault};
use crate::terminal::kept::Kept;
use crate::terminal::{Streams, signals};

/// Makes a page from the records of several machines
///
/// The page is one HTML file that needs no network. It ranks the machines by points, compares them workload by
/// workload, and shows for each how it scales over threads and what is known about it. You can print it. 'nqueens bench
/// compare --format csv' prints every number.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens bench machine --out here.json                         measures this machine
  nqueens bench report here.json there.json --out page.html     compares it with another
  nqueens bench report *.json --against here.json --out p.html  shows speeds relative to one machine")]
pub(crate) struct Args {
    /// Files of 'nqueens bench machine'
    #[arg(value_name = "RECORD", required = true)]
    records: Vec<PathBuf>,
    /// Makes the speeds of workloads relative to this one of the records. Default: the fastest machine of each is 1
    #[arg(long, value_name = "RECORD")]
    against: Option<PathBuf>,
    /// Writes the page here, or to standard output for -
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    if args.out.extension().is_some_and(|ending| ending == "json") {
        let name = args.out.display();
        return Err(Fault::Usage.error(format!("--out {name} is the name of a record: give one that ends in .html")));
    }
    // A signal leaves no half of a file behind.
    signals::catch()?;
    let (records, against) = records(&args.records, args.against.as_deref(), streams)?;
    let page = page::html(&Comparison::of(records, against));
    if signals::caught().is_some() {
        return Err(Fault::Failure.error("stopped before the page was written"));
    }
    Kept::prepare(&args.out, "the page")?.write(&page)?;
    streams.note(format_args!("wrote {}", args.out.display()));
    Ok(Exit::Fine)
}
