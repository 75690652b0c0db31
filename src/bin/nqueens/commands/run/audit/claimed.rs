//! The units to check, from a run's folders or from a published result.

use std::path::Path;

use nqueens::board::Size;
use nqueens::solver::{Isa, Solver, registry};

use super::super::merge::refuse_faults;
use crate::exit::Exit;
use crate::runs::{Audit, Counted, Published, RunFolder, merge};
use crate::terminal::Streams;

/// Units with their counts, and who counted them.
pub(super) struct Claimed {
    /// The folder or the file.
    pub(super) what: String,
    pub(super) size: Size,
    pub(super) solver: &'static dyn Solver,
    pub(super) audit: Audit,
    /// An error that is known before any unit is counted again.
    pub(super) trouble: Option<anyhow::Error>,
}

impl Claimed {
    /// The records of a run, which need not be complete.
    pub(super) fn records(folders: &[RunFolder], streams: &Streams<'_>) -> anyhow::Result<Self> {
        let merged = merge(folders)?;
        let what = folders[0].path().display().to_string();
        let mut trouble = refuse_faults(&merged, "the run has damaged files", streams).err();
        if trouble.is_none() && merged.missing().is_empty() {
            trouble = merged.total().err().map(|error| wrong_total(&what, &error, streams));
        }
        Ok(Self {
            what,
            size: merged.plan.size(),
            solver: registry::find(&merged.plan.cut.solver)?,
            audit: Audit::from(&merged),
            trouble,
        })
    }

    /// The units of a published result.
    pub(super) fn published(file: &Path, streams: &Streams<'_>) -> anyhow::Result<Self> {
        let result = Published::read(file)?;
        let what = file.display().to_string();
        Ok(Self {
            size: Size::new(result.cut.size)?,
            solver: registry::find(&result.cut.solver)?,
            audit: Audit::from(&result),
            trouble: result.check().err().map(|error| wrong_total(&what, &error, streams)),
            what,
        })
    }

    /// Keeps only the units that a machine counted.
    pub(super) fn keep_machine(&mut self, machine: &str) -> anyhow::Result<()> {
        let known = self.audit.machines().join(", ");
        self.audit.keep(machine);
        if self.audit.counts.is_empty() {
            return Err(Exit::Failure.error(format!(
                "'{machine}' counted nothing of {}: give one of the machines that did: {known}",
                self.what
            )));
        }
        Ok(())
    }

    /// Whether a unit was counted with this instruction set.
    pub(super) fn is_by(&self, counted: &Counted, isa: Isa) -> bool {
        self.audit.sources[counted.source].isa.as_deref() == Some(isa.name())
    }
}

/// Reports a wrong total. The audit still counts units again, and ends with this error.
fn wrong_total(what: &str, error: &nqueens::Error, streams: &Streams<'_>) -> anyhow::Error {
    streams.complain(format_args!("the total of {what} is wrong: {error}; counting a sample of its units anyway"));
    Exit::Wrong.error(format!(
        "the units that were counted again agree, but the total of {what} is wrong: count more units, or --machine \
         by --machine"
    ))
}
