//! Cuts the count for a size into families and units. Estimates are compared as integers, so the order is the same on
//! every machine. Nothing here depends on the instruction set or the number of threads.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use super::class::Class;
use super::cost::{self, Amounts, Prices};
use super::family::Family;
use crate::color::split::{Sides, Subset};
use crate::color::tuning::UnitTuning;
use crate::memory::{collect, push, reserve};
use crate::{CancelToken, Result};

/// A unit of work: one set O of odd rows with all sets E of a family.
#[derive(Debug, Clone)]
pub(crate) struct Unit {
    /// The number of its family in the list of families.
    pub(crate) family_number: usize,
    /// The set O.
    pub(crate) o: Subset,
    /// The smallest weight of its terms. Row weights are powers of two, so it divides all the others.
    pub(crate) least_weight: u32,
    /// Its predicted time on an arbitrary scale: its estimate, which decided the order, times the correction of its
    /// class.
    pub(crate) cost: u64,
}

/// Returns the families of a size and their units, in the order in which they are counted.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled), [`Error::Memory`](crate::Error::Memory).
pub(crate) fn cut(n: usize, tuning: UnitTuning, cancel: &CancelToken) -> Result<(Vec<Family>, Vec<Unit>)> {
    let mut cut_families: Vec<CutFamily> = Vec::new();
    for class in Class::all(n, tuning) {
        cut_class(Arc::new(class), tuning, &mut cut_families, cancel)?;
    }
    // The families and units of the largest boards take megabytes, so memory for them may be refused.
    let (mut families, mut units) = (Vec::new(), Vec::new());
    reserve(&mut families, cut_families.len())?;
    reserve(&mut units, cut_families.iter().map(|cut| cut.units.len()).sum())?;
    let order = mixed_order(cut_families.iter().map(|cut| cut.estimate))?;
    for (family_number, index) in order.into_iter().enumerate() {
        let cut = &cut_families[index];
        let correction = cost::correction(&cut.family.class);
        units.extend(cut.units.iter().map(|&CutUnit { o, least_weight, estimate }| {
            let cost = (correction * estimate as f64).round() as u64;
            Unit { family_number, o, least_weight, cost }
        }));
        families.push(cut.family.clone());
    }
    Ok((families, units))
}

/// A family without its number, with its units and the sum of their estimates.
struct CutFamily {
    family: Family,
    units: Vec<CutUnit>,
    estimate: u64,
}

/// A unit of a family that has no number yet.
#[derive(Clone, Copy)]
struct CutUnit {
    o: Subset,
    least_weight: u32,
    estimate: u64,
}

/// Appends the families of a class. Checks the token for each O of each family, and thus at least every few
/// milliseconds.
fn cut_class(class: Arc<Class>, tuning: UnitTuning, families: &mut Vec<CutFamily>, cancel: &CancelToken) -> Result<()> {
    let amounts = cost::amounts(&class);
    let odd_sets: Vec<Subset> = class.counted_odd_sets().collect();
    for sets_o in odd_sets.chunks(sets_o_of_family(odd_sets.len(), tuning)) {
        let Some(&highest_o) = sets_o.last() else { continue };
        cancel.check()?;
        let prices: Vec<_> = sets_o.iter().map(|&o| cost::prices(&class, o)).collect();
        let leaves = cost::leaves(&class, &amounts, highest_o);
        for e_range in ranges(&leaves, tuning.program_leaves) {
            let family = Family { class: Arc::clone(&class), highest_o, e_range };
            let mut units = Vec::new();
            for (&o, prices) in sets_o.iter().zip(&prices) {
                cancel.check()?;
                units.extend(cut_unit(&family, o, &amounts[family.e_range.clone()], prices));
            }
            if !units.is_empty() {
                let estimate = units.iter().fold(0, |sum: u64, unit| sum.saturating_add(unit.estimate));
                push(families, CutFamily { family, units, estimate })?;
            }
        }
    }
    Ok(())
}

/// Returns the unit of a family with this O, or `None` if it has no terms. `amounts` are those of the family's sets E,
/// and `prices` are those of O.
fn cut_unit(family: &Family, o: Subset, amounts: &[Sides<Amounts>], prices: &Sides<Prices>) -> Option<CutUnit> {
    let mut least_weight = u32::MAX;
    let of_terms = family.terms(o).map(|term| {
        least_weight = least_weight.min(term.weight as u32);
        &amounts[term.e_index]
    });
    let estimate = cost::estimate(&family.class, of_terms, prices).round() as u64;
    (least_weight < u32::MAX).then_some(CutUnit { o, least_weight, estimate })
}

/// Returns how many sets O a family has: the square root of `odd_sets`, the number of sets O of its class, rounded up,
/// but at least the minimum of the tuning.
fn sets_o_of_family(odd_sets: usize, tuning: UnitTuning) -> usize {
    let root = odd_sets.isqrt();
    (root + usize::from(root * root < odd_sets)).max(tuning.min_sets_of_family).max(1)
}

/// Returns the order in which families with these estimates are counted, as their indices: the costlier nine tenths are
/// mixed, and the cheapest tenth follows. Of families with equal estimates, the first one counts as the costliest.
///
/// In the mixed part, cheap and costly families alternate, so that progress forecasts the whole count well even if
/// estimates are wrong. The cheapest families come last, so that all threads stay busy to the end. This order
/// numbers the units, and saved lines name units by number, so `tests/it/fingerprints.txt` protects it.
fn mixed_order(estimates: impl Iterator<Item = u64>) -> Result<Vec<usize>> {
    let mut costliest_first = collect(estimates.map(Reverse).zip(0..))?;
    costliest_first.sort_unstable();
    let (mixed, cheapest) = costliest_first.split_at(costliest_first.len() * 9 / 10);
    // Multiples of the golden ratio, modulo 1, are spread evenly.
    let keys = (0u32..).map(|at| at.wrapping_mul(0x9e37_79b9));
    let mut mixed = collect(keys.zip(mixed))?;
    mixed.sort_unstable();
    collect(mixed.into_iter().map(|(_, family)| family).chain(cheapest).map(|&(_, index)| index))
}

/// Divides the sets E into ranges whose programs have about equally many leaves. Unless a range consists of a single
/// set, this number is not much larger than `most`. `leaves` holds the number of leaves of each set.
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
    use crate::Error;
    use crate::color::LARGEST;

    /// A recount of a unit, or its image, has the same plan and thus cannot notice a row coloring that no unit
    /// contains.
    #[test]
    fn the_weights_of_all_terms_add_up_to_the_number_of_row_colorings() {
        for n in 0..=LARGEST {
            let (families, units) = cut(n, UnitTuning::new(n), &CancelToken::new()).unwrap();
            let terms = units.iter().flat_map(|unit| families[unit.family_number].terms(unit.o));
            let weights: u64 = terms.map(|term| term.weight).sum();
            let row_colorings = (1..=n as u64 / 2).fold(1, |chosen, k| chosen * (n as u64 + 1 - k) / k);
            assert_eq!(weights, row_colorings, "n = {n}");
            // Otherwise, a row coloring in two units might make up for one in none.
            let part = |unit: &Unit| {
                let Family { class, e_range, .. } = &families[unit.family_number];
                (class.white_evens, unit.o, e_range.start, e_range.end)
            };
            let mut parts: Vec<_> = units.iter().map(part).collect();
            parts.sort_unstable();
            let overlap = parts
                .iter()
                .zip(parts.iter().skip(1))
                .find(|(one, next)| (one.0, one.1) == (next.0, next.1) && one.3 > next.2);
            assert_eq!(overlap, None, "n = {n}");
        }
    }

    #[test]
    fn the_least_weight_of_a_unit_divides_the_weight_of_each_term() {
        for n in [1, 2, 5, 8, 11, 14, 17] {
            let (families, units) = cut(n, UnitTuning::new(n), &CancelToken::new()).unwrap();
            for unit in units {
                let weights: Vec<u64> = families[unit.family_number].terms(unit.o).map(|term| term.weight).collect();
                let least = u64::from(unit.least_weight);
                assert!(weights.iter().min() == Some(&least) && weights.iter().all(|weight| weight % least == 0));
            }
        }
    }

    /// The token is checked for each O of a family before O is estimated.
    #[test]
    fn a_plan_asks_its_token_for_each_unit_and_stops() {
        let tuning = UnitTuning::new(22);
        let (_, units) = cut(22, tuning, &CancelToken::new()).unwrap();
        for asks in [0, units.len() / 2, units.len() - 1] {
            let stopped = cut(22, tuning, &CancelToken::after(asks));
            assert_eq!(stopped.err(), Some(Error::Cancelled { units_done: 0, units: 0 }), "{asks} asks");
        }
    }
}
