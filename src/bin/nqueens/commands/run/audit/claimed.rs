//! What `nqueens run audit` checks.

use std::path::Path;

use nqueens::board::Size;
use nqueens::solver::Solver;

use super::super::merge::refuse_faults;
use crate::runs::{Ledger, Published, RunFolder, merge};
use crate::terminal::Streams;

/// What is checked: a run's folders, or a published result.
pub(super) struct Claimed {
    /// The folder or the file.
    pub(super) what: String,
    pub(super) size: Size,
    pub(super) solver: &'static dyn Solver,
    pub(super) ledger: Ledger,
    /// An error that is known before any unit is counted again. Units are counted all the same: they tell which machine
    /// counts wrong.
    pub(super) trouble: Option<anyhow::Error>,
}

impl Claimed {
    /// The records of a run, which need not be complete.
    pub(super) fn records(folders: &[RunFolder], streams: &Streams<'_>) -> anyhow::Result<Self> {
        let merged = merge(folders)?;
        let mut trouble = refuse_faults(&merged, "not every unit could be drawn", streams).err();
        if trouble.is_none() {
            trouble = if merged.missing().is_empty() { merged.total().err() } else { merged.sum_so_far().err() };
        }
        Ok(Self {
            what: folders[0].path.display().to_string(),
            size: merged.plan.size(),
            solver: merged.plan.cut.solver()?,
            ledger: Ledger::from(&merged),
            trouble,
        })
    }

    /// The units of a published result.
    pub(super) fn published(file: &Path) -> anyhow::Result<Self> {
        let result = Published::read(file)?;
        Ok(Self {
            what: file.display().to_string(),
            size: Size::new(result.cut.size)?,
            solver: result.cut.solver()?,
            trouble: result.check().err(),
            ledger: result.ledger,
        })
    }
}
