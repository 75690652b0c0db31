//! Families: units of work that share programs. A family has some sets O of neighboring ranks, and some sets E with
//! equal or similar first rows. All belong to one class.

use std::ops::Range;
use std::sync::Arc;

use super::class::Class;
use super::cost::{self, Factors};
use crate::solver::color::split::Subset;

/// A family. Its units share all of this.
#[derive(Debug, Clone)]
pub(crate) struct Family {
    pub(crate) class: Arc<Class>,
    /// The order in which walks take the even rows.
    pub(crate) order: Arc<Vec<usize>>,
    /// The family's set O of the highest rank. If it drops a column set, so do all sets O of the family.
    pub(crate) highest: Subset,
    /// All sets E of the class, sorted by their first rows.
    pub(super) even_sets: Arc<Vec<Subset>>,
    /// The family's range of `even_sets`.
    pub(crate) range: Range<usize>,
    /// Predicted cost of writing its programs, in nanoseconds of one core.
    pub(crate) programs_cost: u64,
}

/// One row coloring of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Term {
    /// The number of its E in the family.
    pub(crate) number: usize,
    /// E.
    pub(crate) e: Subset,
    /// How many row colorings it stands for.
    pub(crate) weight: u64,
}

impl Family {
    /// The terms of the set `o` with the family's sets E. Terms of weight 0 are left out.
    pub(crate) fn terms(&self, o: Subset) -> impl Iterator<Item = Term> + '_ {
        let term = move |(number, &e)| Term { number, e, weight: self.class.row_weight(e, o) };
        self.sets().iter().enumerate().map(term).filter(|term| term.weight > 0)
    }

    /// The sets E of the family.
    pub(crate) fn sets(&self) -> &[Subset] {
        &self.even_sets[self.range.clone()]
    }

    /// Predicted cost of the set `o` with all sets E of the family, in nanoseconds of one core. `None` if there is
    /// no term. `of_even_sets` has the factors of all sets E of the class.
    pub(super) fn cost(&self, o: Subset, of_even_sets: &[Factors], of_o: &Factors) -> Option<u64> {
        let of_even_sets = &of_even_sets[self.range.clone()];
        let cost = if self.class.geometry.n < Self::ESTIMATED_FROM {
            self.terms(o).next()?;
            cost::cost(self.terms(o).map(|term| &of_even_sets[term.number]), of_o)
        } else {
            // Large boards have too many pairs (E, O) to compute the weight of each.
            cost::cost(of_even_sets.iter(), of_o) * self.class.kept_evens(o)
        };
        Some(cost.round() as u64)
    }

    /// The size from which a cost is estimated by the share of sets E that are counted.
    const ESTIMATED_FROM: usize = 30;
}

#[cfg(test)]
impl Family {
    /// A family of all sets E of a class, for sets O up to the rank of `highest`.
    pub(crate) fn of_class(class: &Arc<Class>, highest: Subset) -> Self {
        let (order, even_sets) = (super::order::row_order(class.geometry.evens), class.even_sets.clone());
        let range = 0..even_sets.len();
        let (class, order, even_sets) = (Arc::clone(class), Arc::new(order), Arc::new(even_sets));
        Self { class, order, highest, even_sets, range, programs_cost: 0 }
    }
}
