//! The units of the color split, counted by merged packs in plain Rust. They check the fast code, also on boards that are
//! too large for the reference.

use std::ops::Range;

use super::ColorPlan;
use super::gpu;
use super::plan::Unit;
use crate::count::Tally;
use crate::room::collect;
use crate::solver::{Plan, Worker};
use crate::{CancelToken, Result};

/// The units of [`ColorPlan`](super::ColorPlan), counted by merged packs.
pub(super) struct MergedUnits(pub(super) ColorPlan);

impl Plan for MergedUnits {
    fn units(&self) -> usize {
        self.0.units()
    }

    fn name(&self, unit: usize) -> String {
        self.0.name(unit)
    }

    fn families(&self) -> Vec<Range<usize>> {
        self.0.families()
    }

    /// Seconds.
    fn cost(&self, unit: usize) -> f64 {
        1e-9 * TIMES_SLOWER * self.0.cost(unit)
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(self)
    }
}

/// How many times slower merged packs are than AVX-512, whose nanoseconds a unit's cost predicts: 10 for n = 16, 7 for 20
/// (a busy Xeon).
const TIMES_SLOWER: f64 = 8.0;

impl Worker for &MergedUnits {
    fn count(&mut self, unit: usize, cancel: &CancelToken) -> Result<Tally> {
        let Unit { family, o, .. } = self.0.units[unit];
        let family = &self.0.families[family];
        gpu::count(&family.class, o, &collect(family.terms(o))?, cancel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Size, known};
    use crate::solver::Isa;
    use crate::solver::color::Tuning;

    fn plan(n: usize, isa: Isa) -> ColorPlan {
        ColorPlan::new(Size::new(n).unwrap(), isa, Tuning::new(n, isa), &CancelToken::new()).unwrap()
    }

    #[test]
    fn merged_packs_count_every_unit_as_the_fast_code_does() {
        let cancel = CancelToken::new();
        for n in 0..=14 {
            let (fast, merged) = (plan(n, Isa::Portable), MergedUnits(plan(n, Isa::Portable)));
            assert_eq!((&merged as &dyn Plan).fingerprint(), (&fast as &dyn Plan).fingerprint());
            let (mut by_fast, mut by_merged) = (fast.worker(), merged.worker());
            let mut sum = 0;
            for unit in 0..fast.units() {
                let [fast, merged] =
                    [&mut by_fast, &mut by_merged].map(|by| by.count(unit, &cancel).unwrap().solutions);
                assert_eq!(merged, fast, "n = {n}, unit {unit}");
                sum += merged;
            }
            assert_eq!(Some(sum), known::solutions(Size::new(n).unwrap()), "n = {n}");
        }
    }
}
