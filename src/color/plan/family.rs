//! Families: units of work that share programs. A family consists of sets O of neighboring ranks and sets E with equal
//! or similar first rows, all of one class.

use std::ops::Range;
use std::sync::Arc;

use super::class::Class;
use crate::color::split::Subset;

/// A family: the class and the sets that its units share.
#[derive(Debug, Clone)]
pub(crate) struct Family {
    pub(crate) class: Arc<Class>,
    /// The set O of the highest rank. A column set that it drops is dropped by every O of the family.
    pub(crate) highest_o: Subset,
    /// The sets E, as a range of the class's `even_sets`.
    pub(crate) e_range: Range<usize>,
}

/// One row coloring (E, O) of a unit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Term {
    /// The index of E among the sets E of the family.
    pub e_index: usize,
    /// The set E.
    pub e: Subset,
    /// How many row colorings the term represents.
    pub weight: u64,
}

impl Family {
    /// Iterates over the terms of the set `o` with the family's sets E, except terms of weight 0.
    pub(crate) fn terms(&self, o: Subset) -> impl Iterator<Item = Term> + '_ {
        let term = move |(e_index, &e)| Term { e_index, e, weight: self.class.row_weight(e, o) };
        self.sets_e().iter().enumerate().map(term).filter(|term| term.weight > 0)
    }

    /// Returns the sets E of the family.
    pub(crate) fn sets_e(&self) -> &[Subset] {
        &self.class.even_sets[self.e_range.clone()]
    }
}
