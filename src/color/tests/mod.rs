//! Tests of the color split. Terms are compared with the sum by definition. The sum by definition is compared with a
//! search that knows only which queens attack each other. Other tests cover known traps.

mod attacks;
mod definition;
mod entries;
mod programs;
mod terms;

use std::collections::HashMap;
use std::sync::Arc;

use definition::placements;

use super::plan::{Class, Family, Term};
use super::split::{Geometry, Sides, Subset, elements};
use super::tuning::{PackTuning, UnitTuning};
use crate::color::family::SharedFamily;
use crate::color::unit::{Task, UnitCounter};
use crate::solver::Isa;
use crate::splitmix::SplitMix64;
use crate::{CancelToken, Error};

fn by_definition(n: usize, rows: u64, color: u32) -> HashMap<u64, u64> {
    let mut found = HashMap::new();
    placements(n, rows, color, &mut |columns| *found.entry(columns).or_default() += 1);
    found
}

/// Joins sets of even and of odd rows, or of columns, of a board of size n.
pub(super) fn join(n: usize, evens: Subset, odds: Subset) -> u64 {
    let first = Geometry::new(n).first;
    let spread = |set: Subset, first: usize| elements(set).fold(0, |all, i| all | 1 << (2 * i + first));
    spread(evens, first) | spread(odds, 1 - first)
}

/// Some row colorings with equal odd rows O, of one class.
#[derive(Clone)]
struct Terms {
    class: Arc<Class>,
    o: Subset,
    terms: Vec<Term>,
}

impl Terms {
    /// The first `most` terms with the odd rows `o`, from the even rows `e` on.
    fn new(class: &Arc<Class>, [e, o]: [Subset; 2], most: usize) -> Self {
        let mut terms: Vec<Term> = family(class, o).terms(o).collect();
        terms.drain(..terms.iter().position(|term| term.e == e).unwrap());
        terms.truncate(most);
        Self { class: Arc::clone(class), o, terms }
    }

    /// Draws terms of a board that count something.
    fn random(n: usize, random: &mut SplitMix64, most: usize) -> Self {
        let classes: Vec<Arc<Class>> = Class::all(n, UnitTuning::new(n)).map(Arc::new).collect();
        let draw = || {
            let class = &classes[random.below(classes.len())];
            let o = class.odd_sets[random.below(class.odd_sets.len())];
            let e = class.even_sets[random.below(class.even_sets.len())];
            (class.row_weight(e, o) > 0).then(|| Self::new(class, [e, o], most))
        };
        std::iter::repeat_with(draw).flatten().find(|terms| terms.by_definition() > 0).expect("it does not end")
    }

    /// The sum over all column colorings, by definition: white placements times black placements times weights.
    fn by_definition(&self) -> u128 {
        let Self { class, o, terms } = self;
        let n = class.geometry.n;
        let term = |term: &Term| {
            let rows = join(n, term.e, *o);
            let all = (1 << n) - 1;
            let black = by_definition(n, all ^ rows, 1);
            let product = |(columns, white): (u64, u64)| {
                let weight = term.weight * class.column_weight(class.geometry.by_parity(columns), [term.e, *o]);
                u128::from(white * black.get(&(all ^ columns)).copied().unwrap_or(0) * weight)
            };
            by_definition(n, rows, 0).into_iter().map(product).sum::<u128>()
        };
        terms.iter().map(term).sum()
    }

    /// The family that counts them, and a counter.
    fn counter(&self, isa: Isa, tuning: PackTuning) -> (SharedFamily, UnitCounter) {
        let family = SharedFamily::new(&family(&self.class, self.o), isa, tuning).unwrap();
        (family, UnitCounter::default())
    }
}

/// The family with all sets E, whose only set O is `o`.
fn family(class: &Arc<Class>, o: Subset) -> Family {
    Family { class: Arc::clone(class), highest: o, range: 0..class.even_sets.len() }
}

/// The task of a family that nothing stops.
fn task<'a>(family: &'a SharedFamily, cancel: &'a CancelToken) -> Task<'a> {
    Task { family, is_last: false, cancel }
}
