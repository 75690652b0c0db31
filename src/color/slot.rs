//! A term while it is summed.

use super::plan::Term;
use super::program::Programs;
use super::table::TurnedTable;

/// A term while it is summed, with the data that belongs to it alone.
#[derive(Debug, Default)]
pub(super) struct TermSlot {
    pub(super) term: Term,
    /// `None` between terms, because only the family keeps programs.
    pub(super) programs: Option<Programs>,
    pub(super) turned: TurnedTable,
    /// The sum over all column colorings, without the term's weight.
    pub(super) sum: u128,
}

impl TermSlot {
    /// Returns the programs of the term.
    ///
    /// # Panics
    /// Panics if no programs were written.
    pub(super) fn programs(&self) -> &Programs {
        self.programs.as_ref().expect("a term has programs while it is summed")
    }
}
