//! Cuts the count for a size into families and units. Costs are compared as whole numbers, so the order is the same on
//! every machine. Nothing here depends on the instruction set or the threads.

use std::ops::Range;
use std::sync::Arc;

use super::class::Class;
use super::cost::{Estimates, Factors, WRITTEN, depths};
use super::family::Family;
use super::order::{row_order, sort_by_rows};
use crate::solver::color::split::Subset;
use crate::solver::color::tuning::Tuning;

/// A unit of work: a set of odd rows with some of a family's sets of even rows.
#[derive(Debug, Clone)]
pub(crate) struct Unit {
    /// The number of its family.
    pub(crate) family: usize,
    /// O.
    pub(crate) o: Subset,
    /// The sets of even rows, as a range of their numbers in the family.
    pub(crate) e_numbers: Range<usize>,
    /// Predicted cost, in nanoseconds of one core of the machine of `tuning.rs`.
    pub(crate) cost: u64,
}

/// The families of a size and their units, in the order in which they are counted.
pub(crate) fn cut(n: usize, tuning: Tuning) -> (Vec<Family>, Vec<Unit>) {
    let mut families = Vec::new();
    for class in Class::all(n) {
        cut_class(Arc::new(class), tuning, &mut families);
    }
    mix(&mut families);
    let all = families.iter().map(CutFamily::cost).fold(0, u64::saturating_add);
    let most = tuning.unit_cost(n, all);
    let mut units = Vec::new();
    for (number, family) in families.iter().enumerate() {
        for whole in &family.units {
            family.divide(number, whole, most, tuning, &mut units);
        }
    }
    (families.into_iter().map(|cut| cut.family).collect(), units)
}

/// A family before it is divided into units.
struct CutFamily {
    family: Family,
    estimates: Arc<Estimates>,
    /// Each set O of the family, with its predicted cost for all sets E of the family.
    units: Vec<(Subset, u64)>,
}

impl CutFamily {
    fn cost(&self) -> u64 {
        self.units.iter().map(|&(_, cost)| cost).fold(0, u64::saturating_add)
    }

    /// Divides the terms of one O into units that cost about `most` each. A unit ends where the prefix of the summing
    /// side changes, because terms with equal prefixes share packs. Within a prefix it ends only where it would cost
    /// much more than `most`.
    fn divide(&self, number: usize, &(o, cost): &(Subset, u64), most: u64, tuning: Tuning, units: &mut Vec<Unit>) {
        let Self { family, estimates, .. } = self;
        let parts = cost.div_ceil(most.max(1));
        if parts <= 1 {
            return units.push(Unit { family: number, o, e_numbers: family.numbers(), cost });
        }
        let depth = depths(&family.class, tuning)[1];
        let prefix = |number: usize| family.class.summed_prefix(family.sets()[number], depth, &family.order);
        let costs = family.costs(o, estimates, &Estimates::factors(&family.class, o, tuning));
        let divided_from = tuning.divided_prefix_cost(most);
        let (mut start, mut sum, mut ends) = (0, 0.0, 1.0);
        let mut before = 0.0;
        for (at, &(set, of_set)) in costs.iter().enumerate() {
            sum += of_set;
            let is_last = at + 1 == costs.len();
            let is_due = sum * parts as f64 >= cost as f64 * ends;
            let ends_prefix = || costs.get(at + 1).is_none_or(|&(next, _)| prefix(next) != prefix(set));
            if is_last || is_due && (sum - before >= divided_from as f64 || ends_prefix()) {
                let end = if is_last { family.range.len() } else { set + 1 };
                units.push(Unit { family: number, o, e_numbers: start..end, cost: (sum - before).round() as u64 });
                (start, before, ends) = (end, sum, ends + 1.0);
            }
        }
    }
}

/// Adds the families of a class.
fn cut_class(class: Arc<Class>, tuning: Tuning, families: &mut Vec<CutFamily>) {
    let order = Arc::new(row_order(class.geometry.evens));
    let mut even_sets = class.even_sets.clone();
    sort_by_rows(&mut even_sets, &order);
    let estimates = Arc::new(Estimates::new(&class, &even_sets, &order, tuning));
    let even_sets = Arc::new(even_sets);
    let row_sets: Vec<Subset> = class.row_sets().collect();
    for some in row_sets.chunks(tuning.family(row_sets.len())) {
        let Some(&highest) = some.last() else { continue };
        let factors: Vec<Factors> = some.iter().map(|&o| Estimates::factors(&class, o, tuning)).collect();
        let leaves = estimates.leaves(&class, highest);
        for range in ranges(&leaves, tuning.program_leaves(class.geometry.n)) {
            let of_e = estimates.sum(range.clone());
            let programs_cost = leaves[range.clone()].iter().sum::<u64>() * WRITTEN;
            let (class, order, even_sets) = (Arc::clone(&class), Arc::clone(&order), Arc::clone(&even_sets));
            let family = Family { class, order, highest, even_sets, range, programs_cost };
            let cost = |(&o, of_o): (&Subset, &Factors)| Some((o, family.cost(o, &estimates, &of_e, of_o)?));
            let units: Vec<(Subset, u64)> = some.iter().zip(&factors).filter_map(cost).collect();
            if !units.is_empty() {
                families.push(CutFamily { family, estimates: Arc::clone(&estimates), units });
            }
        }
    }
}

/// Orders families: nine tenths mixed, then the cheapest tenth.
///
/// In the mixed part, cheap and costly families alternate. So progress is a good forecast of the whole count, even if
/// predicted costs are wrong. The cheapest families at the end keep all threads busy. This order numbers the units, and
/// records name units by number, so `tests/it/fingerprints.txt` protects it.
fn mix(families: &mut [CutFamily]) {
    families.sort_by_cached_key(|family| std::cmp::Reverse(family.cost()));
    let mixed = families.len() * 9 / 10;
    let mut order: Vec<usize> = (0..mixed).collect();
    // Multiples of the golden ratio modulo 1 are spread evenly.
    order.sort_by_key(|&at| (at as u32).wrapping_mul(0x9e37_79b9));
    let mut places = vec![0; mixed];
    for (place, at) in order.into_iter().enumerate() {
        places[at] = place;
    }
    let mut place = places.into_iter();
    families[..mixed].sort_by_cached_key(|_| place.next());
}

/// Cuts the sets E into ranges whose programs have about equally many leaves, at most about `most`. A range of one set
/// may have more. `leaves` has the number of leaves of each set.
fn ranges(leaves: &[u64], most: u64) -> Vec<Range<usize>> {
    let all: u128 = leaves.iter().map(|&leaves| u128::from(leaves)).sum();
    let parts = all.div_ceil(u128::from(most.max(1))).max(1);
    let mut ranges = Vec::new();
    let (mut start, mut sum) = (0, 0);
    for (at, &some) in leaves.iter().enumerate() {
        sum += u128::from(some);
        if sum * parts >= all * (ranges.len() as u128 + 1) || at + 1 == leaves.len() {
            ranges.push(start..at + 1);
            start = at + 1;
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_equal_shares_and_leave_nothing_out() {
        assert_eq!(ranges(&[5, 5, 5, 5, 5, 5], 10), [0..2, 2..4, 4..6]);
        assert_eq!(ranges(&[5, 5, 5, 5, 5, 5], 100), std::slice::from_ref(&(0..6)));
        assert_eq!(ranges(&[50, 1, 1, 1], 10), [0..1, 1..2, 2..3, 3..4]);
        assert_eq!(ranges(&[0, 0], 10), [0..1, 1..2]);
        assert!(ranges(&[], 10).is_empty());
    }
}
