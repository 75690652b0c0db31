//! The plan of a run: the units of work of each shard, the same on every machine.

use std::ops::{Range, RangeInclusive};
use std::path::Path;

use anyhow::bail;
use serde::{Deserialize, Serialize};

use crate::exit;
use crate::forecast::predicted_seconds;
use crate::terminal::units::plural;
use nqueens::CancelToken;
use nqueens::board::Size;
use nqueens::registry;
use nqueens::solver::{Isa, Plan, Solver, fingerprint};

/// The version of the plans. Raise it when a line of `tests/it/fingerprints.txt` of the library changes. If only lines
/// of `terms` change, change the names of these units too, because a run of an older version is accepted if its
/// fingerprint equals the fingerprint of today's plan.
pub(crate) const PLAN_VERSION: u32 = 5;

/// The value of `schema` in a plan.
pub(crate) const SCHEMA: u32 = 1;

/// The value of `kind` in a plan.
const KIND: &str = "nqueens-plan";

/// The number of shards of a run, unless their mean time would be outside [`MEAN_SECONDS`].
const USUAL_SHARDS: f64 = 2000.0;

/// The mean time of a shard, in predicted seconds of one core with portable code, the slowest. Shorter shards would
/// spend too much of their time on files, and longer ones would lose too much work when a process dies. For some shards
/// of n = 28, the prediction is ten minutes, because its units are so large.
const MEAN_SECONDS: RangeInclusive<f64> = 1.0..=375.0;

/// More units than any plan has: that of n = 30 has two million. A count for each unit is kept in memory.
const MOST_UNITS: usize = 1 << 24;

/// How a count is cut into units of work, and the units into shards: the contents of `plan.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunPlan {
    schema: u32,
    kind: String,
    /// The size that is counted.
    pub(crate) size: Size,
    /// The name of the solver.
    pub(crate) solver: String,
    /// The [`PLAN_VERSION`] of the program that wrote the plan.
    pub(super) plan_version: u32,
    /// The [`fingerprint`](fn@fingerprint) of the units, in hexadecimal.
    pub(crate) fingerprint: String,
    /// The number of units.
    pub(crate) units: usize,
    /// The end of each shard: the number after its last unit.
    shard_ends: Vec<usize>,
    /// The predicted time of each shard, on one core with portable code.
    shard_milliseconds: Vec<u64>,
}

/// This program's plan of the units of a run, after a check that the run consists of these units.
#[derive(Clone, Copy)]
pub(crate) struct CheckedPlan<'a> {
    pub(super) plan: &'a dyn Plan,
    /// The run.
    pub(super) run_plan: &'a RunPlan,
}

impl RunPlan {
    /// Returns the default solver for a size, which is the same on every machine.
    pub(crate) fn default_solver(size: Size) -> &'static dyn Solver {
        registry::choose(size, None).solver
    }

    /// Returns whether the lines of another run also fit this one, because its shards consist of the same units.
    /// Predictions and versions may differ.
    pub(super) fn has_shards_of(&self, other: &Self) -> bool {
        self.size == other.size
            && self.solver == other.solver
            && self.fingerprint == other.fingerprint
            && self.shard_ends == other.shard_ends
    }

    /// Returns the number of shards into which this number of units is cut unless another one is typed.
    pub(crate) fn usual_shards(size: Size, solver: &dyn Solver, units: usize) -> usize {
        let seconds = rounded(predicted_seconds(solver, size, Isa::Portable));
        let usual = seconds / (seconds / USUAL_SHARDS).clamp(*MEAN_SECONDS.start(), *MEAN_SECONDS.end());
        (usual as usize).clamp(1, units)
    }

    /// Cuts the units of a solver for a size into this number of shards, or into shards for which about six minutes or
    /// less are predicted.
    ///
    /// # Errors
    /// There are fewer units than shards.
    pub(crate) fn of(size: Size, solver: &dyn Solver, plan: &dyn Plan, shards: Option<usize>) -> anyhow::Result<Self> {
        let units = plan.units();
        if let Some(given) = shards.filter(|shards| !(1..=units).contains(shards)) {
            return Err(exit::Kind::Usage.error(format!(
                "cannot cut {} of work into {}: give a number from 1 to {units}",
                plural(units, "unit"),
                plural(given, "shard")
            )));
        }
        let seconds = rounded(predicted_seconds(solver, size, Isa::Portable));
        let shards = shards.unwrap_or_else(|| Self::usual_shards(size, solver, units));
        let costs_before = costs_before(plan);
        let shard_ends = cut(&costs_before, &plan.families(), shards);
        let milliseconds_per_cost = 1000.0 * seconds / costs_before[units].max(f64::MIN_POSITIVE);
        let starts = std::iter::once(&0).chain(&shard_ends);
        let costs = starts.zip(&shard_ends).map(|(&start, &end)| costs_before[end] - costs_before[start]);
        Ok(Self {
            schema: SCHEMA,
            kind: KIND.to_owned(),
            size,
            solver: solver.name().to_owned(),
            plan_version: PLAN_VERSION,
            fingerprint: hexadecimal(fingerprint(plan)),
            units,
            shard_milliseconds: costs.map(|cost| (cost * milliseconds_per_cost).round() as u64).collect(),
            shard_ends,
        })
    }

    /// Checks that the fields agree with one another. The error is a clause about the plan.
    pub(crate) fn check(&self) -> Result<(), String> {
        if (self.schema, self.kind.as_str()) != (SCHEMA, KIND) {
            return Err(format!("it is of kind '{}', schema {}, and not '{KIND}', {SCHEMA}", self.kind, self.schema));
        }
        self.solver().map_err(|error| error.to_string())?;
        let ends = &self.shard_ends;
        let are_in_order = ends.windows(2).all(|pair| pair[0] < pair[1]) && ends.first().is_some_and(|&end| end > 0);
        if !are_in_order || ends.last() != Some(&self.units) || self.shard_milliseconds.len() != ends.len() {
            return Err("its shards do not list all units in order".to_owned());
        }
        if self.units > MOST_UNITS {
            return Err(format!("it has {} units, more than any count", self.units));
        }
        Ok(())
    }

    /// Returns the solver, by its name.
    pub(crate) fn solver(&self) -> nqueens::Result<&'static dyn Solver> {
        registry::find(&self.solver)
    }

    /// Returns the solver's plan of the units, with portable code, which every machine has.
    pub(crate) fn portable_plan(&self) -> nqueens::Result<Box<dyn Plan>> {
        self.solver()?.plan(self.size, Isa::Portable, &CancelToken::new())
    }

    /// Returns the number of shards.
    pub(crate) fn shards(&self) -> usize {
        self.shard_ends.len()
    }

    /// Returns the units of a shard.
    ///
    /// # Panics
    /// Panics if there is no such shard.
    pub(crate) fn units_of(&self, shard: usize) -> Range<usize> {
        shard.checked_sub(1).map_or(0, |before| self.shard_ends[before])..self.shard_ends[shard]
    }

    /// Returns the shard that contains a unit.
    pub(crate) fn shard_of(&self, unit: usize) -> usize {
        self.shard_ends.partition_point(|&end| end <= unit)
    }

    /// Returns the predicted seconds of a shard, on one core with portable code. They are at least a millisecond,
    /// because paces are divided by them.
    pub(crate) fn predicted_seconds(&self, shard: usize) -> f64 {
        self.shard_milliseconds[shard].max(1) as f64 / 1000.0
    }

    /// Returns the predicted seconds of these shards, on one core with portable code.
    pub(crate) fn predicted_seconds_of(&self, shards: impl IntoIterator<Item = usize>) -> f64 {
        // An empty `sum` would be -0.0.
        shards.into_iter().fold(0.0, |sum, shard| sum + self.predicted_seconds(shard))
    }

    /// Describes the plan in words: size, solver, shards, version and fingerprint.
    pub(crate) fn in_words(&self) -> String {
        format!(
            "n = {} with {} in {} (plan version {}, fingerprint {})",
            self.size,
            self.solver,
            plural(self.shards(), "shard"),
            self.plan_version,
            self.fingerprint
        )
    }

    /// Checks that the run consists of the units of this plan, which is this program's. Errors name the folder of the
    /// run.
    pub(super) fn check_plan<'a>(&'a self, plan: &'a dyn Plan, folder: &Path) -> anyhow::Result<CheckedPlan<'a>> {
        let here = hexadecimal(fingerprint(plan));
        if self.plan_version > PLAN_VERSION || self.fingerprint != here {
            bail!(
                "{} is of another version of nqueens, which cuts n = {} with {} into other units (plan version {}, \
                 fingerprint {}; here {PLAN_VERSION}, {here}): use that version, or start another run",
                folder.display(),
                self.size,
                self.solver,
                self.plan_version,
                self.fingerprint
            );
        }
        if self.units != plan.units() {
            return Err(exit::Kind::Wrong.error(format!(
                "the plan in {} was changed or damaged: it has {} units instead of {}",
                folder.display(),
                self.units,
                plan.units()
            )));
        }
        Ok(CheckedPlan { plan, run_plan: self })
    }
}

/// Returns, for each unit, the predicted cost of all units before it, and then the cost of all units.
fn costs_before(plan: &dyn Plan) -> Vec<f64> {
    let after = (0..plan.units()).scan(0.0, |sum, unit| {
        *sum += plan.cost(unit);
        Some(*sum)
    });
    std::iter::once(0.0).chain(after).collect()
}

/// Cuts all units into `shards` ranges of similar cost, in one pass, and returns the end of each range.
///
/// Each range should get an equal share of the remaining cost. If a family ends within a quarter of a share of that
/// goal, the range ends with the family, and otherwise with the unit whose end is nearest to the goal. Families that
/// cost less than half a share are therefore never cut.
fn cut(costs_before: &[f64], families: &[Range<usize>], shards: usize) -> Vec<usize> {
    let units = costs_before.len() - 1;
    let (mut ends, mut start) = (Vec::with_capacity(shards), 0);
    for left in (2..=shards).rev() {
        let share = (costs_before[units] - costs_before[start]) / left as f64;
        let goal = costs_before[start] + share;
        let distance = |end: usize| (costs_before[end] - goal).abs();
        let nearest = |one: usize, other: usize| if distance(one) < distance(other) { one } else { other };
        let after = families.partition_point(|family| costs_before[family.end] < goal).min(families.len() - 1);
        let family = nearest(families[after.saturating_sub(1)].end, families[after].end);
        let after = costs_before.partition_point(|&cost| cost < goal).clamp(1, units);
        let end = if distance(family) < share / 4.0 { family } else { nearest(after - 1, after) };
        // No range is empty.
        start = end.clamp(start + 1, units + 1 - left);
        ends.push(start);
    }
    ends.push(units);
    ends
}

/// Returns a fingerprint as hexadecimal digits.
fn hexadecimal(fingerprint: u64) -> String {
    format!("{fingerprint:016x}")
}

/// Returns a prediction rounded to three digits, because logarithms differ in their last digits between systems.
fn rounded(seconds: f64) -> f64 {
    format!("{seconds:.2e}").parse().unwrap_or(seconds)
}

#[cfg(test)]
mod tests {
    use super::super::checksum;
    use super::*;
    use crate::run::tests::run_plan;

    #[test]
    fn no_shard_is_long_and_every_unit_is_in_one() {
        for n in [0, 1, 8, 14, 18, 22, 24, 26, 27, 28] {
            let [run_plan, again] = [(); 2].map(|()| run_plan(n, None, None));
            run_plan.check().unwrap();
            assert_eq!(run_plan.shards() == 1, n <= 18, "n = {n}: {} shards", run_plan.shards());
            let longest = (0..run_plan.shards()).map(|shard| run_plan.predicted_seconds(shard)).fold(0.0, f64::max);
            assert!(
                longest <= 600.0,
                "n = {n}: {longest} s, but docs/cli.md and docs/long-runs.md promise a prediction of ten minutes"
            );
            for unit in (0..run_plan.units).step_by(1 + run_plan.units / 1000) {
                assert!(run_plan.units_of(run_plan.shard_of(unit)).contains(&unit));
            }
            assert_eq!(run_plan, again);
        }
    }

    #[test]
    fn lines_fit_a_run_with_other_predictions_and_no_run_with_other_shards() {
        let [one, mut other] = [(); 2].map(|()| run_plan(10, Some("bitmask"), Some(3)));
        other.shard_milliseconds[0] += 1;
        other.plan_version += 1;
        assert!(one.has_shards_of(&other));
        other.shard_ends[0] += 1;
        assert!(!one.has_shards_of(&other));
    }

    proptest::proptest! {
        /// Checking a forged plan never panics.
        #[test]
        fn a_forged_plan_is_refused(numbers: Vec<u64>, shard_ends: [usize; 3]) {
            let run_plan = run_plan(8, None, Some(3));
            let forged = RunPlan { shard_milliseconds: numbers, ..run_plan.clone() };
            assert_eq!(forged.check().is_ok(), forged.shard_milliseconds.len() == 3);
            let forged = RunPlan { shard_ends: shard_ends.into(), ..run_plan };
            assert!(forged.check().is_err() || forged.units_of(2).end == forged.units);
        }
    }

    #[test]
    fn the_largest_plan_can_be_read_and_a_larger_one_is_refused() {
        let run_plan = run_plan(30, None, None);
        run_plan.check().unwrap();
        assert!((checksum::line(&run_plan).len() as u64) < crate::terminal::files::MAX_BYTES);
        // Trap: a forged plan may have so many units that their counts do not fit in memory.
        let (units, shard_ends, shard_milliseconds) = (1 << 50, vec![1 << 50], vec![1]);
        let forged = RunPlan { units, shard_ends, shard_milliseconds, ..run_plan };
        assert!(forged.check().unwrap_err().contains("more than any count"));
    }

    #[test]
    fn shards_have_similar_costs_and_whole_families_where_that_is_possible() {
        for (solver, n) in [("color", 18), ("color", 22), ("bitmask", 14), ("arrays", 9), ("color", 5), ("bitmask", 0)]
        {
            let solver = registry::find(solver).unwrap();
            let plan = solver.plan(Size::new(n).unwrap(), Isa::Portable, &CancelToken::new()).unwrap();
            let (before, families, units) = (costs_before(&*plan), plan.families(), plan.units());
            let dearest = before.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
            for shards in [1, 2, 3, 7, 200, units / 2, units - 1, units].map(|shards| shards.clamp(1, units)) {
                let ends = cut(&before, &families, shards);
                let share = before[units] / shards as f64;
                assert_eq!((ends.len(), ends.last()), (shards, Some(&units)), "{} n = {n}", solver.name());
                let mut start = 0;
                for end in ends {
                    let cost = before[end] - before[start];
                    assert!(end > start && (end - start == 1 || cost <= 1.5 * share + dearest), "{start}..{end}");
                    let is_whole = |family: &Range<usize>| !(family.start < end && end < family.end);
                    let is_large =
                        |family: &Range<usize>| before[family.end] - before[family.start] > share / 2.0 - 2.0 * dearest;
                    assert!(families.iter().all(|family| is_whole(family) || is_large(family)), "{start}..{end}");
                    start = end;
                }
            }
        }
    }
}
