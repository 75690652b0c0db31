//! Families: units of work that share programs. A family has some sets O of neighboring ranks, and some sets E with
//! equal or similar first rows. All belong to one class.

use std::ops::Range;
use std::sync::Arc;

use super::class::Class;
use crate::color::split::Subset;

/// A family. Its units share all of this.
#[derive(Debug, Clone)]
pub(crate) struct Family {
    pub(crate) class: Arc<Class>,
    /// The family's set O of the highest rank. A column set that it drops is dropped by every set O of the family.
    pub(crate) highest: Subset,
    /// The family's sets E, as a range of the class's.
    pub(crate) range: Range<usize>,
}

/// One row coloring of a unit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Term {
    /// The number of its E in the family.
    pub number: usize,
    /// E.
    pub e: Subset,
    /// How many row colorings it stands for.
    pub weight: u64,
}

impl Family {
    /// The terms of the set `o` with the family's sets E. Terms of weight 0 are left out.
    pub(crate) fn terms(&self, o: Subset) -> impl Iterator<Item = Term> + '_ {
        let term = move |(number, &e)| Term { number, e, weight: self.class.row_weight(e, o) };
        self.sets().iter().enumerate().map(term).filter(|term| term.weight > 0)
    }

    /// The sets E of the family.
    pub(crate) fn sets(&self) -> &[Subset] {
        &self.class.even_sets[self.range.clone()]
    }
}
