//! Terms of large boards, counted as users count them: with the default tuning, from the units of the default plan.
//!
//! From n = 23 on a count differs from those of smaller boards: prefixes are longer, programs are larger.

use super::*;
use crate::board::Size;
use crate::color::plan::Unit;
use crate::color::{ColorPlan, Packs};

/// Some terms of a unit, the first with this E and this O. They share lists, and some share packs.
struct Sample {
    n: usize,
    e: Subset,
    o: Subset,
    terms: usize,
}

impl Sample {
    /// Compares the sum by definition with the default tuning of the two best instruction sets. Both also count with
    /// packs in lanes if they choose sparse ones, and the other way round, and in the smallest pieces. `is_sparse` is what
    /// AVX-512 with BITALG chooses.
    fn check(&self, is_sparse: bool) {
        let Self { n, e, o, terms } = *self;
        let size = Size::new(n).unwrap();
        let packs = Packs::new(size, Isa::Portable);
        let plan = ColorPlan::new(size, UnitTuning::new(n), packs, &CancelToken::new()).unwrap();
        let white_evens = e.count_ones() as usize;
        let is_here = |unit: &&Unit| {
            let family = &plan.units.families[unit.family];
            unit.o == o && family.class.white_evens == white_evens && family.sets().contains(&e)
        };
        let unit = plan.units.all.iter().find(is_here).unwrap();
        let family = &plan.units.families[unit.family];
        let all: Vec<_> = family.terms(o).collect();
        let first = all.iter().position(|term| term.e == e).unwrap();
        let terms = &all[first..first + terms];
        let at = format!("n = {n}, E {e:x}, O {o:x}");
        let by_definition = |term: &Term| {
            u128::from(term.weight) * sum_by_definition(&family.class, [term.e, o], &colors(n, term.e, o))
        };
        let expected: u128 = terms.iter().map(by_definition).sum();
        assert!(expected > 0, "{at}: terms without a solution prove little");
        let check = |isa: Isa, tuning: PackTuning| {
            let shared = SharedFamily::new(family, [o].into_iter(), isa, tuning).unwrap();
            let task = Task { family: &shared, is_last: false, cancel: &CancelToken::new() };
            let mut counter = UnitCounter::default();
            let counted = counter.count(task, o, terms).unwrap().solutions;
            assert_eq!(counted, expected, "{at}, {isa}, {tuning:?}");
            shared.is_sparse
        };
        let isas: Vec<Isa> = available().collect();
        for &isa in &isas[isas.len().saturating_sub(2)..] {
            let chosen = check(isa, PackTuning::new(n, isa));
            assert!(chosen == is_sparse || isa != Isa::Avx512Bitalg, "{at}: sparse is {chosen}");
            let other = if chosen { usize::MAX } else { 0 };
            assert_ne!(
                check(isa, PackTuning { sparse: Sparse::from_queens(other), ..PackTuning::new(n, isa) }),
                chosen
            );
            check(isa, PackTuning { piece_bytes: 0, ..PackTuning::new(n, isa) });
        }
    }
}

#[test]
fn terms_of_23_are_those_of_the_plain_sum() {
    Sample { n: 23, e: 0x478, o: 0x1b6, terms: 2 }.check(false);
    Sample { n: 23, e: 0x70, o: 0x189, terms: 2 }.check(true);
}

#[test]
fn terms_of_24_are_those_of_the_plain_sum() {
    Sample { n: 24, e: 0xf80, o: 0x2d2, terms: 2 }.check(false);
    Sample { n: 24, e: 0xd01, o: 0x36, terms: 1 }.check(true);
}

#[test]
#[ignore = "half a minute: cargo test --release -- --ignored"]
fn terms_of_26_and_28_are_those_of_the_plain_sum() {
    Sample { n: 26, e: 0x1f00, o: 0xa38, terms: 1 }.check(false);
    Sample { n: 28, e: 0x2e80, o: 0xab0, terms: 1 }.check(false);
}
