//! The records for `bench compare` and `bench report`.

use crate::terminal::units::plural;
use std::path::{Path, PathBuf};

use crate::bench::{Record, read};
use crate::exit::Fault;
use crate::terminal::Streams;

/// Records, each with the name of its file.
type Named = Vec<(String, Record)>;

/// Reads the records, and names every file that holds none. The second value is the index of the record `against`.
pub(crate) fn records(
    files: &[PathBuf],
    against: Option<&Path>,
    streams: &Streams<'_>,
) -> anyhow::Result<(Named, Option<usize>)> {
    let (mut records, mut wrong) = (Vec::with_capacity(files.len()), Vec::new());
    for file in files {
        match read::read(file) {
            Ok(record) => records.push((file.display().to_string(), record)),
            Err(error) => wrong.push(error),
        }
    }
    wrong.iter().for_each(|error| streams.complain(format_args!("{error:#}")));
    if !wrong.is_empty() {
        // A wrong count is the worst.
        let faults: Vec<Fault> = wrong.iter().map(Fault::of).collect();
        let fault = if faults.contains(&Fault::Wrong) { Fault::Wrong } else { faults[0] };
        let (wrong, all) = (wrong.len(), files.len());
        return Err(fault.error(format!("{wrong} of {} cannot be compared: leave them out", plural(all, "file"))));
    }
    let Some(against) = against else { return Ok((records, None)) };
    match files.iter().position(|file| file == against) {
        Some(index) => Ok((records, Some(index))),
        None => Err(Fault::Usage.error(format!("--against {} is not among the records", against.display()))),
    }
}
