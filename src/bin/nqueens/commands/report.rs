//! `nqueens report`: a page and pictures made from records.

use std::path::{Path, PathBuf};

use crate::draw::page::Report;
use anyhow::Context;

use super::records::Records;
use crate::exit::Exit;
use crate::terminal::Streams;
use crate::terminal::kept::Kept;
use crate::terminal::signals::Interrupts;

/// Makes a page and pictures from the records of benchmarks
///
/// The page is one file that needs nothing else: it can be mailed, printed, attached to a pull request or put on a server.
/// It ranks the machines by their points, sets them side by side workload by workload, and shows how each scales over
/// threads and what is known of it. Printed, it is the ranking, the heat map and the facts: for every
/// number there is 'nqueens compare --format csv'.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("output").required(true).multiple(true), after_help = "\
Examples:
  nqueens bench --out here.json                          measures this machine
  nqueens report here.json there.json --html page.html   compares it with another
  nqueens report *.json --against here.json --html p.html  tells how much faster or slower than one of them
  nqueens report here.json --svg pictures                writes the pictures as files")]
pub(crate) struct Args {
    /// Records to show, files that 'nqueens bench --out FILE' wrote
    #[arg(value_name = "RECORD", required = true)]
    records: Vec<PathBuf>,
    /// The record that speeds are relative to, by its file or its machine's name. By default machines are ranked by their
    /// points, and on each workload the fastest is 1
    #[arg(long, value_name = "RECORD", requires = "records")]
    against: Option<String>,
    /// The page to write; a file of this name is replaced
    #[arg(long, value_name = "FILE", group = "output")]
    html: Option<PathBuf>,
    /// The folder to write the pictures to; it is made if it is not there
    #[arg(long, value_name = "FOLDER", group = "output")]
    svg: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    if let Some(page) = &args.html {
        refuse_to_overwrite(page, &args.records)?;
    }
    // A signal leaves no half of a file behind.
    let interrupts = Interrupts::catch()?;
    let go_on = || match interrupts.caught() {
        Some(exit) => Err(exit.error("stopped before everything was written")),
        None => Ok(()),
    };
    let Records { machines, against, exit, .. } = Records::read(&args.records, args.against.as_deref(), streams)?;
    let report = Report::new(&machines, against);
    if let Some(page) = &args.html {
        let html = report.html();
        go_on()?;
        Kept::prepare(page, "the page")?.write(&html)?;
        streams.note(format_args!("wrote {}", page.display()));
    }
    if let Some(folder) = &args.svg {
        let cannot = || format!("cannot write pictures to the folder {}", folder.display());
        if folder.exists() && !folder.is_dir() {
            return Err(Exit::Failure.error(format!("{}: it is a file; give the name of a folder", cannot())));
        }
        std::fs::create_dir_all(folder).with_context(cannot)?;
        for picture in report.pictures() {
            go_on()?;
            let path = folder.join(picture.name).with_extension("svg");
            Kept::prepare(&path, "a picture")?.write(&picture.svg)?;
            streams.note(format_args!("wrote {}", path.display()));
        }
    }
    Ok(exit)
}

/// A record that is overwritten with a page is lost.
fn refuse_to_overwrite(page: &Path, records: &[PathBuf]) -> anyhow::Result<()> {
    let Ok(page) = page.canonicalize() else { return Ok(()) };
    match records.iter().find(|record| record.canonicalize().is_ok_and(|record| record == page)) {
        None => Ok(()),
        Some(record) => Err(Exit::Usage.error(format!(
            "the page would overwrite the record {}: give --html a name of its own, such as {}",
            record.display(),
            record.with_extension("html").display()
        ))),
    }
}
