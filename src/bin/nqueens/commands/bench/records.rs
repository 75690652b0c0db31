//! The records for `bench compare` and `bench report`, and the exit status for files that hold none.

use std::path::PathBuf;

use crate::bench::compare::find_machine;
use crate::bench::{Record, read};

use crate::exit::Exit;
use crate::terminal::Streams;
use crate::terminal::escape::terminal;

/// Records, each with the name of its file.
pub(crate) struct Records {
    pub(crate) machines: Vec<(String, Record)>,
    /// The machine that speeds are relative to.
    pub(crate) against: Option<usize>,
    /// The exit status of the command: [`Exit::Fine`] if every file holds a record.
    pub(crate) exit: Exit,
}

impl Records {
    /// Reads the files, and reports each one that holds no record.
    pub(crate) fn read(paths: &[PathBuf], against: Option<&str>, streams: &Streams<'_>) -> anyhow::Result<Self> {
        let mut exit = Exit::Fine;
        let mut machines = Vec::with_capacity(paths.len());
        for path in paths {
            match read::read(path) {
                Ok(record) => machines.push((terminal(&path.display().to_string()).into_owned(), record)),
                Err(error) => {
                    streams.complain(&error);
                    let status = Exit::of(&error.into());
                    exit = match exit {
                        Exit::Fine => status,
                        _ if exit == status => exit,
                        // A wrong count is the worst.
                        _ if exit == Exit::Wrong || status == Exit::Wrong => Exit::Wrong,
                        _ => Exit::Failure,
                    };
                }
            }
        }
        if machines.is_empty() && !paths.is_empty() {
            return Err(exit.error("there is no record among these files"));
        }
        let against = against.map(|against| find_machine(&machines, against)).transpose();
        let against =
            against.map_err(|error| if exit == Exit::Fine { Exit::Usage } else { exit }.error(error.to_string()))?;
        Ok(Self { machines, against, exit })
    }
}
