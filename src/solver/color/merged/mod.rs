//! The units of the color split, counted by merged packs in plain Rust. They check the fast code, also on boards that are
//! too large for the reference.

pub(crate) mod host;
pub(crate) mod shape;

use super::ColorPlan;
use super::plan::Unit;
use crate::count::Tally;
use crate::room::collect;
use crate::solver::Worker;
use crate::{CancelToken, Result};

/// How many times slower merged packs are than AVX-512, whose nanoseconds a unit's cost predicts: 10 for n = 16, 7 for 20
/// (a busy Xeon).
pub(super) const TIMES_SLOWER: f64 = 8.0;

/// Counts units of a plan by merged packs.
pub(super) struct MergedWorker<'a>(pub(super) &'a ColorPlan);

impl Worker for MergedWorker<'_> {
    fn count(&mut self, unit: usize, cancel: &CancelToken) -> Result<Tally> {
        let Unit { family, o, .. } = self.0.units[unit];
        let family = &self.0.families[family];
        host::count(&family.class, o, &collect(family.terms(o))?, cancel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Size, known};
    use crate::solver::color::COLOR;
    use crate::solver::{Isa, Solver};

    #[test]
    fn merged_packs_count_every_unit_as_the_fast_code_does() {
        let cancel = CancelToken::new();
        for n in 0..=14 {
            let size = Size::new(n).unwrap();
            let fast = COLOR.plan(size, Isa::Portable, &cancel).unwrap();
            let merged = COLOR.oracle(size, &cancel).unwrap().unwrap();
            assert_eq!(merged.fingerprint(), fast.fingerprint());
            let (mut by_fast, mut by_merged) = (fast.worker(), merged.worker());
            let mut sum = 0;
            for unit in 0..fast.units() {
                let [fast, merged] =
                    [&mut by_fast, &mut by_merged].map(|by| by.count(unit, &cancel).unwrap().solutions);
                assert_eq!(merged, fast, "n = {n}, unit {unit}");
                sum += merged;
            }
            assert_eq!(Some(sum), known::solutions(size), "n = {n}");
        }
    }
}
