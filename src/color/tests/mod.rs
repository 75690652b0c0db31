//! Tests of the color split. Terms are compared with the sum by definition, which in turn is compared with a search
//! that knows only which queens attack each other. Other tests cover known mistakes.

mod attacks;
mod entries;
mod layouts;
mod pieces;
mod programs;
mod terms;

use std::sync::Arc;

use super::definition;
use super::plan::{Class, Family, Term};
use super::split::{Sides, Subset};
use super::tuning::{PackTuning, UnitTuning};
use crate::color::open::OpenFamily;
use crate::color::unit::{Task, UnitCounter};
use crate::solver::Isa;
use crate::splitmix::SplitMix64;
use crate::{CancelToken, Error};

/// Row colorings of one class with equal odd rows O.
#[derive(Clone)]
struct Terms {
    class: Arc<Class>,
    o: Subset,
    terms: Vec<Term>,
}

impl Terms {
    /// Returns the first `most` terms with the odd rows `o`, starting with the even rows `e`.
    fn new(class: &Arc<Class>, [e, o]: [Subset; 2], most: usize) -> Self {
        let mut terms: Vec<Term> = family(class, o).terms(o).collect();
        terms.drain(..terms.iter().position(|term| term.e == e).unwrap());
        terms.truncate(most);
        Self { class: Arc::clone(class), o, terms }
    }

    /// Draws terms that have a solution.
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

    /// Returns the sum over all column colorings, by definition.
    fn by_definition(&self) -> u128 {
        let sum = |&term| definition::sum(&self.class, self.o, term, &CancelToken::new()).unwrap();
        self.terms.iter().map(sum).sum()
    }

    /// Returns the family of these terms, and a counter for it.
    fn counter(&self, isa: Isa, tuning: PackTuning) -> (OpenFamily, UnitCounter) {
        let family = OpenFamily::new(&family(&self.class, self.o), isa, tuning).unwrap();
        (family, UnitCounter::default())
    }
}

/// Returns the family with all sets E of a class, and with `o` as its only set O.
fn family(class: &Arc<Class>, o: Subset) -> Family {
    Family { class: Arc::clone(class), highest_o: o, e_range: 0..class.even_sets.len() }
}

/// Returns a task of a family that nothing stops.
fn task<'a>(family: &'a OpenFamily, cancel: &'a CancelToken) -> Task<'a> {
    Task { family, cancel }
}
