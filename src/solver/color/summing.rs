//! How the summing side of a family works: the layout of packs, the form of programs, the kind of tables, the sink.
//! [`Summing::new`] decides it once for each family. README.md in this folder has the table.

use std::ops::Range;

use super::meet::{Alive, Batch, Dot, LookUp, Replay, Turned, TurnedMemory, Turning};
use super::programs::Programs;
use super::side::{Draft, Groups, Layout, Parents, Rows, Walks};
use super::tuning::Tuning;
use crate::count::Work;
use crate::solver::Isa;
use crate::solver::simd::dispatch;
use crate::{CancelToken, Result};

/// How the summing side of a family works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Summing {
    /// Packs in lanes, programs by parents, counts multiplied.
    Parents,
    /// Packs in lanes, programs by groups, counts multiplied.
    Groups,
    /// Flat packs, programs by parents, entries looked up.
    Flat {
        /// Whether parents without a key alive are skipped.
        skips: bool,
    },
}

/// A term that is summed.
pub(super) struct Summand<'a> {
    /// The rows of its walk.
    pub(super) rows: Rows,
    pub(super) programs: Programs,
    pub(super) table: Turned<'a>,
    /// The sum so far.
    pub(super) sum: u128,
}

impl Summing {
    /// Chooses for a family. Its summing side's walks have `queens` queens, and it keeps the share `kept` of the column
    /// sets.
    pub(super) fn new(tuning: &Tuning, n: usize, queens: usize, kept: f64, isa: Isa) -> Self {
        if tuning.is_sparse(n, queens, kept, isa) {
            Self::Flat { skips: tuning.skips(n, queens) }
        } else if tuning.is_grouped(n, isa) {
            Self::Groups
        } else {
            Self::Parents
        }
    }

    /// The layout of packs.
    pub(super) fn layout(self) -> Layout {
        match self {
            Self::Parents | Self::Groups => Layout::Shared,
            Self::Flat { .. } => Layout::Flat,
        }
    }

    /// Adds a program to a draft. `None` if a part of a walk is too long: see
    /// [`Form::encode`](super::side::Form::encode).
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(super) fn write(
        self,
        draft: &mut Draft,
        walks: &Walks<'_>,
        cancel: &CancelToken,
    ) -> Result<Option<Range<usize>>> {
        match self {
            Self::Parents | Self::Flat { .. } => draft.add_by_parents(walks, cancel),
            Self::Groups => draft.add_by_groups(walks, cancel),
        }
    }

    /// Turns a filled table.
    ///
    /// # Errors
    /// [`Error::Overflow`](crate::Error::Overflow), [`Error::Memory`](crate::Error::Memory).
    pub(super) fn turn<'a>(self, isa: Isa, turning: &Turning<'_>, memory: &'a mut TurnedMemory) -> Result<Turned<'a>> {
        match self {
            Self::Parents | Self::Groups => Turned::multiplied(isa, turning, memory),
            Self::Flat { .. } => Turned::looked_up(isa, turning, memory),
        }
    }

    /// Adds the sum of a term over some packs to `summand`. Returns the work.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(super) fn sum(self, isa: Isa, batch: Batch<'_>, summand: &mut Summand<'_>, alive: &mut Alive) -> Result<Work> {
        let programs = &summand.programs;
        let (sum, work) = match (self, summand.table) {
            (Self::Parents, Turned::Bytes(table)) => {
                dispatch(isa, Dot { replay: Replay { batch, program: programs.sum::<Parents>() }, table })
            }
            (Self::Parents, Turned::Halves(table)) => {
                dispatch(isa, Dot { replay: Replay { batch, program: programs.sum::<Parents>() }, table })
            }
            (Self::Groups, Turned::Bytes(table)) => {
                dispatch(isa, Dot { replay: Replay { batch, program: programs.sum::<Groups>() }, table })
            }
            (Self::Groups, Turned::Halves(table)) => {
                dispatch(isa, Dot { replay: Replay { batch, program: programs.sum::<Groups>() }, table })
            }
            (Self::Flat { skips }, Turned::Capped(table)) => {
                dispatch(isa, LookUp { replay: Replay { batch, program: programs.sum() }, table, skips, alive })
            }
            _ => unreachable!("a family's tables are turned for the way it sums"),
        }?;
        summand.sum += sum;
        Ok(work)
    }
}
