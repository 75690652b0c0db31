//! The plan of a run: which units of work each shard is made of, the same wherever it is made.

use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::shards::Units;
use super::{Error, Result};
use nqueens::board::Size;
use nqueens::solver::{Isa, Plan, Solver, registry};

/// The version of how counts are cut into units. It is raised when a fingerprint of a plan changes
/// (`tests/it/fingerprints.txt` has them). Version 2 cuts boards up to 21 more finely. Files of an older version are
/// accepted where the fingerprint is the same: then the units are.
pub(crate) const PLAN_VERSION: u32 = 2;

/// What `schema` says.
pub(crate) const SCHEMA: u32 = 1;

/// What `kind` says.
const KIND: &str = "nqueens-plan";

/// The most that a shard is to take, in seconds of one core with portable code, the slowest.
const LONGEST_SHARD_SECONDS: f64 = 600.0;

/// The least, where a run is short: files take time too.
const SHORTEST_SHARD_SECONDS: f64 = 2.0;

/// Shards that a run is cut into where they are neither longer nor shorter than that.
const SHARDS: f64 = 1000.0;

/// How a run is cut. Its file, `plan.json`, has no date, no machine, nothing that differs where it is made again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunPlan {
    schema: u32,
    kind: String,
    size: usize,
    solver: String,
    plan_version: u32,
    /// [`fingerprint`](dyn Plan::fingerprint), in hexadecimal.
    fingerprint: String,
    units: usize,
    /// What the sum over all units is divided by.
    divisor: u64,
    /// Where each shard ends: its last unit's number and one.
    shard_ends: Vec<usize>,
    /// How long each takes by prediction, one core with portable code.
    shard_milliseconds: Vec<u64>,
}

impl RunPlan {
    /// The solver that counts a size where none is asked for: the same on every machine.
    pub(crate) fn default_solver(size: Size) -> &'static dyn Solver {
        registry::choose(size, Isa::Portable).solver
    }

    /// Cuts the count of a size into so many shards, or into ones of at most about ten minutes.
    ///
    /// # Errors
    /// [`Error::Shards`] where there are fewer units, or none are asked for.
    pub(crate) fn new(size: Size, solver: &dyn Solver, shards: Option<usize>) -> Result<Self> {
        let plan = solver.plan(size, Isa::Portable);
        let costs: Vec<f64> = (0..plan.units()).map(|unit| plan.cost(unit)).collect();
        let units = Units { costs: &costs, families: &plan.families() };
        if let Some(given) = shards.filter(|shards| !(1..=costs.len()).contains(shards)) {
            return Err(Error::Shards { given, units: costs.len() });
        }
        let whole = units.cost(0..costs.len());
        let seconds = rounded(solver.predicted_seconds(size, Isa::Portable));
        let per_cost = if whole > 0.0 { seconds / whole } else { 0.0 };
        let shard_ends = match shards {
            Some(shards) => units.cut_into(shards),
            None => {
                let longest = (seconds / SHARDS).clamp(SHORTEST_SHARD_SECONDS, LONGEST_SHARD_SECONDS);
                units.cut(if seconds > longest { longest / per_cost } else { f64::INFINITY })
            }
        };
        let starts = std::iter::once(0).chain(shard_ends.iter().copied());
        let milliseconds = |(start, &end): (usize, &usize)| (units.cost(start..end) * per_cost * 1000.0).round() as u64;
        Ok(Self {
            schema: SCHEMA,
            kind: KIND.to_owned(),
            size: size.get(),
            solver: solver.name().to_owned(),
            plan_version: PLAN_VERSION,
            fingerprint: hexadecimal(plan.fingerprint()),
            units: costs.len(),
            divisor: plan.divisor(),
            shard_milliseconds: starts.zip(&shard_ends).map(milliseconds).collect(),
            shard_ends,
        })
    }

    /// Whether it can be one; what is wrong with it where not.
    pub(crate) fn check(&self) -> std::result::Result<(), String> {
        if (self.schema, self.kind.as_str()) != (SCHEMA, KIND) {
            return Err(format!("it is of kind '{}', schema {}, and not '{KIND}', {SCHEMA}", self.kind, self.schema));
        }
        registry::find(&self.solver).map_err(|error| error.to_string())?;
        let ends = &self.shard_ends;
        let are_in_order = ends.windows(2).all(|pair| pair[0] < pair[1]) && ends.first().is_some_and(|&end| end > 0);
        if Size::new(self.size).is_err()
            || !are_in_order
            || ends.last() != Some(&self.units)
            || self.shard_milliseconds.len() != ends.len()
            || self.divisor == 0
        {
            return Err("its shards are not all the units, in order".to_owned());
        }
        Ok(())
    }

    /// The size counted.
    ///
    /// # Panics
    /// Never: a plan with another size is not read.
    pub(crate) fn size(&self) -> Size {
        Size::new(self.size).expect("checked when it was read")
    }

    /// The solver's name.
    pub(crate) fn solver(&self) -> &str {
        &self.solver
    }

    /// The version of how the units are cut.
    pub(crate) fn version(&self) -> u32 {
        self.plan_version
    }

    /// The fingerprint of the units, in hexadecimal.
    pub(crate) fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// How many units of work there are.
    pub(crate) fn units(&self) -> usize {
        self.units
    }

    /// What the sum over all units is divided by.
    pub(crate) fn divisor(&self) -> u64 {
        self.divisor
    }

    /// How many shards there are.
    pub(crate) fn shards(&self) -> usize {
        self.shard_ends.len()
    }

    /// The units of a shard.
    ///
    /// # Errors
    /// [`Error::Shard`] where there is no such shard.
    pub(crate) fn shard(&self, shard: usize) -> Result<Range<usize>> {
        let no_such = Error::Shard { shard, shards: self.shards() };
        let &end = self.shard_ends.get(shard).ok_or(no_such)?;
        Ok(shard.checked_sub(1).map_or(0, |before| self.shard_ends[before])..end)
    }

    /// The shard that a unit is in.
    pub(crate) fn shard_of(&self, unit: usize) -> usize {
        self.shard_ends.partition_point(|&end| end <= unit)
    }

    /// How long a shard takes by prediction, in seconds of one core with portable code; 0 where there is no such shard.
    pub(crate) fn predicted_seconds(&self, shard: usize) -> f64 {
        self.shard_milliseconds.get(shard).map_or(0.0, |&milliseconds| milliseconds as f64 / 1000.0)
    }

    /// The same for all shards.
    pub(crate) fn whole_seconds(&self) -> f64 {
        self.shard_milliseconds.iter().map(|&milliseconds| milliseconds as f64 / 1000.0).sum()
    }

    /// What it counts, in words.
    pub(crate) fn in_words(&self) -> String {
        format!(
            "n = {} with {} in {} {} (plan version {}, fingerprint {})",
            self.size,
            self.solver,
            self.shards(),
            if self.shards() == 1 { "shard" } else { "shards" },
            self.plan_version,
            self.fingerprint
        )
    }

    /// Whether both are of the same units, however these are put into shards.
    pub(crate) fn has_units_of(&self, other: &Self) -> bool {
        let units = |plan: &Self| {
            (plan.size, plan.solver.clone(), plan.plan_version, plan.fingerprint.clone(), plan.units, plan.divisor)
        };
        units(self) == units(other)
    }

    /// The solver's plan for these units, with the code for an instruction set; `of` is what errors name: the folder.
    ///
    /// # Errors
    /// [`Error::Cut`] where this program cuts the count in another way; [`Error::Forged`] where no program cuts it so;
    /// [`Error::Count`] where this program has no such solver.
    pub(crate) fn units_with(&self, isa: Isa, of: &Path) -> Result<(&'static dyn Solver, Box<dyn Plan>)> {
        let cut = Cut {
            size: self.size(),
            solver: &self.solver,
            version: self.plan_version,
            fingerprint: &self.fingerprint,
            units: self.units,
            divisor: self.divisor,
        };
        cut.checked(isa, of)
    }
}

/// What a file says of how a count is cut into units.
pub(crate) struct Cut<'a> {
    pub(crate) size: Size,
    pub(crate) solver: &'a str,
    pub(crate) version: u32,
    pub(crate) fingerprint: &'a str,
    pub(crate) units: usize,
    pub(crate) divisor: u64,
}

impl Cut<'_> {
    /// This program's own plan, if that is what the file `of` says.
    pub(crate) fn checked(&self, isa: Isa, of: &Path) -> Result<(&'static dyn Solver, Box<dyn Plan>)> {
        let solver = registry::find(self.solver)?;
        let plan = solver.plan(self.size, isa);
        let here = hexadecimal(plan.fingerprint());
        let (of, size) = (of.to_owned(), self.size.get());
        if self.version > PLAN_VERSION || self.fingerprint != here {
            let (version, planned) = (self.version, self.fingerprint.to_owned());
            return Err(Error::Cut { of, size, solver: self.solver.to_owned(), version, planned, here });
        }
        let (here, units, divisor) = ((plan.units(), plan.divisor()), self.units, self.divisor);
        if (units, divisor) != here {
            return Err(Error::Forged { of, size, solver: self.solver.to_owned(), units, divisor, here });
        }
        Ok((solver, plan))
    }
}

/// A fingerprint as it is written.
pub(crate) fn hexadecimal(fingerprint: u64) -> String {
    format!("{fingerprint:016x}")
}

/// To three digits: predictions are made with logarithms, whose last digits differ among systems.
fn rounded(seconds: f64) -> f64 {
    format!("{seconds:.2e}").parse().unwrap_or(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_shard_is_long_and_every_unit_is_in_one() {
        for n in [0, 1, 8, 14, 18, 22, 24, 26, 28] {
            let size = Size::new(n).unwrap();
            let plan = RunPlan::new(size, RunPlan::default_solver(size), None).unwrap();
            plan.check().unwrap();
            assert_eq!(plan.shards() == 1, n <= 18, "n = {n}: {} shards", plan.shards());
            let longest = (0..plan.shards()).map(|shard| plan.predicted_seconds(shard)).fold(0.0, f64::max);
            assert!(longest <= 1.01 * LONGEST_SHARD_SECONDS, "n = {n}: {longest} s");
            for unit in (0..plan.units()).step_by(1 + plan.units() / 1000) {
                assert!(plan.shard(plan.shard_of(unit)).unwrap().contains(&unit));
            }
            assert_eq!(plan, RunPlan::new(size, RunPlan::default_solver(size), None).unwrap());
            assert!(plan.shard(plan.shards()).is_err());
        }
    }

    #[test]
    fn as_many_shards_as_asked_for_or_an_error() {
        let size = Size::new(12).unwrap();
        let solver = RunPlan::default_solver(size);
        let units = RunPlan::new(size, solver, None).unwrap().units();
        for shards in [1, 5, units] {
            assert_eq!(RunPlan::new(size, solver, Some(shards)).unwrap().shards(), shards);
        }
        for shards in [0, units + 1] {
            assert!(matches!(RunPlan::new(size, solver, Some(shards)), Err(Error::Shards { .. })));
        }
    }
}
