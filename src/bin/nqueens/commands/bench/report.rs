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
    let Records { machines, against, exit } = Records::read(&args.records, args.against.as_deref(), streams)?;
    let report = Report::new(&machines, against);
    let write = |path: &Path, what: &'static str, text: &str| {
        if let Some(exit) = interrupts.caught() {
            return Err(exit.error("stopped before everything was written"));
        }
        Kept::prepare(path, what)?.write(text)?;
        streams.note(format_args!("wrote {}", path.display()));
        Ok(())
    };
    for out in &args.out {
        if is_page(out) {
            write(out, "the page", &report.html())?;
            continue;
        }
        let cannot = || format!("cannot write pictures to the folder {}", out.display());
        if out.exists() && !out.is_dir() {
            let way_out = "it is a file; give a folder, or a page that ends in .html";
            return Err(Exit::Failure.error(format!("{}: {way_out}", cannot())));
        }
        std::fs::create_dir_all(out).with_context(cannot)?;
        for picture in report.pictures() {
            write(&out.join(picture.name).with_extension("svg"), "a picture", &picture.svg)?;
        }
    }
    Ok(exit)
}

/// Whether to write a page here: the name ends in .html, or it is a pipe or a device.
fn is_page(out: &Path) -> bool {
    let ends_in_html = out.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("html"));
    let is_stream = std::fs::metadata(out).is_ok_and(|place| !place.is_file() && !place.is_dir());
    out == Path::new("-") || ends_in_html || is_stream
}
