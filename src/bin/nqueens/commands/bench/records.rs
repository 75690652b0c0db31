//! The records that `bench compare` and `bench report` are given: all that can be read, and what the others lead to.

use std::path::PathBuf;

use crate::bench::compare::find_machine;
use crate::bench::{Record, read};

use crate::exit::Exit;
use crate::terminal::Streams;
use crate::terminal::signals::waiting;

/// Records, each with the name of its file.
pub(crate) struct Records {
    /// As they were given, `None` where a file holds no record that can be used.
    pub(crate) given: Vec<Option<(String, Record)>>,
    /// Those that can be used.
    pub(crate) machines: Vec<(String, Record)>,
    /// Which of the machines speeds are to be relative to.
    pub(crate) against: Option<usize>,
    /// How the command ends because some files cannot be used: [`Exit::Fine`] where all can.
    pub(crate) exit: Exit,
}

impl Records {
    /// Reads the files, and names every one that cannot be used.
    pub(crate) fn read(paths: &[PathBuf], against: Option<&str>, streams: &Streams<'_>) -> anyhow::Result<Self> {
        let mut exit = Exit::Fine;
        let mut given = Vec::with_capacity(paths.len());
        for found in waiting(|| read::read_all(paths)) {
            given.push(match found {
                Ok(record) => Some(record),
                Err(error) => {
                    streams.complain(&error);
                    let status = Exit::of(&error.into());
                    exit = match exit {
                        Exit::Fine => status,
                        _ if exit == status => exit,
                        // A wrong count is the worst.
                        Exit::Wrong => exit,
                        _ if status == Exit::Wrong => status,
                        _ => Exit::Failure,
                    };
                    None
                }
            });
        }
        let machines: Vec<(String, Record)> = given.iter().flatten().cloned().collect();
        if machines.is_empty() && !paths.is_empty() {
            return Err(exit.error("there is no record among these files"));
        }
        let against = against.map(|against| find_machine(&machines, against)).transpose();
        let against =
            against.map_err(|error| if exit == Exit::Fine { Exit::Usage } else { exit }.error(error.to_string()))?;
        Ok(Self { given, machines, against, exit })
    }
}
