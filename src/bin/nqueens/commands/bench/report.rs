//! `nqueens bench report`: a page and pictures made from records.

use std::path::{Path, PathBuf};

use crate::draw::page::Report;
use anyhow::Context;

use super::records::Records;
use crate::exit::Exit;
use crate::terminal::Streams;
use crate::terminal::kept::Kept;
use crate::terminal::signals::Interrupts;

/// Makes a page and pictures from the records of several machines
///
/// The page is one file that needs no network. It ranks the machines by points, compares them workload by workload, and
/// shows for each how it scales over threads and what is known about it. On paper it has the ranking, the heat map and the
/// facts. 'nqueens bench compare --format csv' prints every number.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens bench machine --out here.json                         measures this machine
  nqueens bench report here.json there.json --out page.html     compares it with another
  nqueens bench report *.json --against here.json --out p.html  shows speeds relative to one machine
  nqueens bench report here.json --out pictures                 writes the pictures as files")]
pub(crate) struct Args {
    /// Files of 'nqueens bench machine --out FILE'
    #[arg(value_name = "RECORD", required = true)]
    records: Vec<PathBuf>,
    /// Makes speeds relative to this record: its file or its machine's name. Default: the fastest machine of each workload
    /// is 1, and machines are ranked by points
    #[arg(long, value_name = "RECORD", requires = "records")]
    against: Option<String>,
    /// A name that ends in .html, or -: writes a page. Other names: writes a folder of pictures. May be repeated
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
