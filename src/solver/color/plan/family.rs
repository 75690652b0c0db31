//! Families: units of work that share programs. A family has some sets of odd rows O, neighbours by rank, and some sets
//! of even rows E of one class, neighbours by their first rows.

use std::ops::Range;
use std::sync::Arc;

use super::class::Class;
use super::cost::{Estimates, Factors};
use crate::solver::color::split::Subset;

/// What the units of a family have in common.
#[derive(Debug, Clone)]
pub(crate) struct Family {
    pub(crate) class: Arc<Class>,
    /// The order in which walks take the even rows.
    pub(crate) order: Arc<Vec<usize>>,
    /// The family's set O of the highest rank. A column set that it drops is dropped by all.
    pub(crate) highest: Subset,
    /// The sets E of the class, in the order of their first rows.
    pub(super) even_sets: Arc<Vec<Subset>>,
    /// The family's part of `even_sets`.
    pub(crate) range: Range<usize>,
    /// Predicted cost of writing its programs, in nanoseconds of one core.
    pub(crate) programs_cost: u64,
}

/// One row coloring of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Term {
    /// The number of its E in the family.
    pub(crate) number: usize,
    /// E itself.
    pub(crate) evens: Subset,
    /// How many row colorings it stands for.
    pub(crate) weight: u64,
}

impl Family {
    /// The terms of O `odds` with the family's sets E of numbers `evens`.
    pub(crate) fn terms(&self, odds: Subset, evens: Range<usize>) -> Vec<Term> {
        let sets = &self.evens()[evens.clone()];
        let term = |(number, &evens)| Term { number, evens, weight: self.class.row_weight(evens, odds) };
        evens.zip(sets).map(term).filter(|term| term.weight > 0).collect()
    }

    /// The numbers of all its sets E.
    pub(crate) fn numbers(&self) -> Range<usize> {
        0..self.range.len()
    }

    /// The sets E of the family.
    pub(crate) fn evens(&self) -> &[Subset] {
        &self.even_sets[self.range.clone()]
    }

    /// Predicted cost of O `odds` with all E of the family, in nanoseconds of one core. `None` where there is no term.
    /// `of_e` is the sum over all E of the family.
    pub(super) fn cost(&self, odds: Subset, estimates: &Estimates, of_e: &Factors, of_o: &Factors) -> Option<u64> {
        let cost = if self.class.geometry.n < Self::ESTIMATED_FROM {
            let terms = self.terms(odds, self.numbers());
            let numbers = terms.iter().map(|term| self.range.start + term.number);
            (!terms.is_empty()).then(|| Estimates::cost(&estimates.sum(numbers), of_o))
        } else {
            // Large boards have too many pairs (E, O) to compute the weight of each.
            Some(Estimates::cost(of_e, of_o) * self.class.kept_evens(odds))
        };
        cost.map(|nanoseconds| nanoseconds.round() as u64)
    }

    /// The predicted cost of each term of these odd rows, in nanoseconds of one core: (number of its E, cost).
    pub(super) fn costs(&self, odds: Subset, estimates: &Estimates, of_o: &Factors) -> Vec<(usize, f64)> {
        let cost = |Term { number, .. }| {
            let of_e = estimates.sum(std::iter::once(self.range.start + number));
            (number, Estimates::cost(&of_e, of_o))
        };
        self.terms(odds, self.numbers()).into_iter().map(cost).collect()
    }

    /// The size from which costs are estimated by the share of the E that are counted.
    const ESTIMATED_FROM: usize = 30;
}

#[cfg(test)]
impl Family {
    /// A family of all the class's sets E, for the O up to this one.
    pub(crate) fn of_class(class: &Arc<Class>, highest: Subset) -> Self {
        let (order, even_sets) = (super::order::row_order(class.geometry.evens), class.evens.clone());
        let range = 0..even_sets.len();
        let (class, order, even_sets) = (Arc::clone(class), Arc::new(order), Arc::new(even_sets));
        Self { class, order, highest, even_sets, range, programs_cost: 0 }
    }
}
