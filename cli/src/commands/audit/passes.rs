//! What an audit counts again: the chosen units, and the passes over them.

use std::collections::{BTreeSet, HashSet};

use anyhow::bail;
use nqueens::solver::Plan;

use super::Args;
use super::sample::sample;
use crate::commands::counting::Code;
use crate::exit;
use crate::forecast::Forecast;
use crate::machine::random;
use crate::run::{CountedUnit, Results};
use crate::terminal::escape::shortened;

/// How many times as long it takes to count a unit by definition. The factor varies from 4 to 300 with kind and size.
const SLOWER_BY_DEFINITION: f64 = 100.0;

/// The units to count again.
pub(super) struct Chosen<'a> {
    /// The units in ascending order. They are counted in this order, because neighbors share memory.
    pub(super) units: Vec<CountedUnit<'a>>,
    /// The number of counted units that they were chosen from.
    pub(super) from: usize,
    /// It is small, so that JSON readers keep all its digits and people can type it.
    pub(super) seed: u32,
}

impl<'a> Chosen<'a> {
    /// Chooses a sample of the units that `--by` allows. Fails if there is none.
    pub(super) fn of(results: &'a Results<'a>, args: &Args) -> anyhow::Result<Self> {
        let all: Vec<CountedUnit<'_>> = results.counted_units().filter(|unit| args.allows(unit.by)).collect();
        if all.is_empty() {
            let others: BTreeSet<String> = results.contributions().into_iter().map(|one| one.by.machine).collect();
            let run = results.folders_in_shell();
            let problem = match &args.by {
                Some(name) if !others.is_empty() => {
                    let others = shortened(&Vec::from_iter(others).join(", "), 200);
                    format!("'{name}' counted no unit of {run}: its machines are {others}")
                }
                _ => format!("no unit of {run} has been counted: there is nothing to audit"),
            };
            bail!(problem);
        }
        let seed = args.seed.unwrap_or_else(|| random() as u32);
        let from = all.len();
        let mut units = sample(all, args.sample, seed.into());
        units.sort_by_key(|counted| counted.unit);
        Ok(Self { units, from, seed })
    }

    /// Returns the numbers of the units.
    fn numbers(&self) -> Vec<usize> {
        self.units.iter().map(|counted| counted.unit).collect()
    }

    /// Returns a chosen unit by its number.
    pub(super) fn unit(&self, number: usize) -> CountedUnit<'a> {
        let at = self.units.binary_search_by_key(&number, |counted| counted.unit);
        self.units[at.expect("only chosen units are counted")]
    }

    /// Returns the number of machines and instruction sets that counted the chosen units.
    pub(super) fn contributors(&self) -> usize {
        self.units.iter().map(|counted| counted.by.key()).collect::<HashSet<_>>().len()
    }
}

/// One way to count units again.
pub(super) struct Pass {
    /// The code that counts, such as `color (avx2, images)`.
    pub(super) code: String,
    /// Predicted seconds for all units of the plan on all threads. `None` if cards count.
    pub(super) seconds: Option<f64>,
    /// The units of the run, which this code counts.
    pub(super) plan: Box<dyn Plan>,
    /// The chosen units that this pass counts.
    pub(super) units: Vec<usize>,
}

/// Returns the ways to count the chosen units again, as the options ask. `forecast` is of all units of `plan` with
/// `code`.
pub(super) fn passes(
    args: &Args,
    code: Code<'_>,
    plan: Box<dyn Plan>,
    forecast: Forecast,
    chosen: &Chosen<'_>,
) -> anyhow::Result<Vec<Pass>> {
    let solver = code.solver.name();
    let needs_color = || {
        exit::Kind::Usage.error(format!(
            "--image and --thorough count images of units of color, but these are units of {solver}: leave both \
             out, or check that solver with 'nqueens verify'"
        ))
    };
    let seconds = forecast.known_seconds();
    let mut others = Vec::new();
    if args.image || args.thorough {
        let image = plan.audit().image().ok_or_else(needs_color)?;
        let code = format!("{solver} ({}, images)", code.name());
        others.push(Pass { code, seconds, plan: image, units: chosen.numbers() });
    }
    if args.thorough {
        let by_definition = plan.audit().by_definition().ok_or_else(needs_color)?;
        let units = cheapest_of_each_kind(&*plan, chosen.numbers());
        let code = format!("{solver} (by definition)");
        let seconds = seconds.map(|seconds| SLOWER_BY_DEFINITION * seconds);
        others.push(Pass { code, seconds, plan: by_definition, units });
    }
    let same = Pass { code: code.to_string(), seconds, plan, units: chosen.numbers() };
    Ok(if args.image { others } else { [same].into_iter().chain(others).collect() })
}

/// Returns the cheapest unit of each kind.
fn cheapest_of_each_kind(plan: &dyn Plan, mut units: Vec<usize>) -> Vec<usize> {
    units.sort_by(|&one, &other| plan.cost(one).total_cmp(&plan.cost(other)));
    let mut kinds = HashSet::new();
    units.retain(|&unit| kinds.insert(plan.audit().kind(unit)));
    units
}
