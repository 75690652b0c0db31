//! `nqueens bench report`: a page and pictures made from records.

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
/// number there is 'nqueens bench compare --format csv'.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens bench machine --out here.json                          measures this machine
  nqueens bench report here.json there.json --out page.html   compares it with another
  nqueens bench report *.json --against here.json --out p.html  tells how much faster or slower than one of them
  nqueens bench report here.json --out pictures                writes the pictures as files")]
pub(crate) struct Args {
    /// Records to show, files that 'nqueens bench machine --out FILE' wrote
    #[arg(value_name = "RECORD", required = true)]
    records: Vec<PathBuf>,
    /// The record that speeds are relative to, by its file or its machine's name. By default machines are ranked by their
    /// points, and on each workload the fastest is 1
    #[arg(long, value_name = "RECORD", requires = "records")]
    against: Option<String>,
    /// What to write: a page where the name ends in .html or is -, else a folder of pictures; may be repeated
    #[arg(long, value_name = "FILE", required = true)]
    out: Vec<PathBuf>,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    // A signal leaves no half of a file behind.
    let interrupts = Interrupts::catch()?;
    let go_on = || match interrupts.caught() {
        Some(exit) => Err(exit.error("stopped before everything was written")),
        None => Ok(()),
    };
    let Records { machines, against, exit, .. } = Records::read(&args.records, args.against.as_deref(), streams)?;
    let report = Report::new(&machines, against);
    for out in &args.out {
        go_on()?;
        if is_page(out) {
            Kept::prepare(out, "the page")?.write(&report.html())?;
            streams.note(format_args!("wrote {}", out.display()));
        } else {
            write_pictures(&report, out, &go_on, streams)?;
        }
    }
    Ok(exit)
}

/// Whether a page is to be written to this place: its name ends as pages do, or it is a pipe or a device.
fn is_page(out: &Path) -> bool {
    let ends_in_html = out.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("html"));
    let is_stream = std::fs::metadata(out).is_ok_and(|place| !place.is_file() && !place.is_dir());
    out == Path::new("-") || ends_in_html || is_stream
}

/// Writes every picture into a folder, which is made if it is not there.
fn write_pictures(
    report: &Report<'_>,
    folder: &Path,
    go_on: &impl Fn() -> anyhow::Result<()>,
    streams: &Streams<'_>,
) -> anyhow::Result<()> {
    let cannot = || format!("cannot write pictures to the folder {}", folder.display());
    if folder.exists() && !folder.is_dir() {
        return Err(
            Exit::Failure.error(format!("{}: it is a file; give a folder, or a page that ends in .html", cannot()))
        );
    }
    std::fs::create_dir_all(folder).with_context(cannot)?;
    for picture in report.pictures() {
        go_on()?;
        let path = folder.join(picture.name).with_extension("svg");
        Kept::prepare(&path, "a picture")?.write(&picture.svg)?;
        streams.note(format_args!("wrote {}", path.display()));
    }
    Ok(())
}
