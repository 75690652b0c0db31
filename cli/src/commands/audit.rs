//! `nqueens audit`: counts units again.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use nqueens::board::Size;
use nqueens::registry;
use nqueens::solver::{Isa, Plan, Solver};
use serde_json::{Value, json};

use super::folders::{Folders, read_all, units_of};
use super::options::{ResourceOptions, number};
use super::resources::Resources;
use crate::exit;
use crate::forecast::CountForecast;
use crate::run::{Contributor, CountedUnit, Proof, Results, sample};
use crate::terminal::escape::shortened;
use crate::terminal::task::Task;
use crate::terminal::time_left::Forecast;
use crate::terminal::units::plural;
use crate::terminal::{Streams, complain, settle, signals};

/// A unit takes about so many times as long by definition: 4 to 300, by class and size.
const DEFINITION_TAKES: f64 = 100.0;

/// Counts a sample of a run again, with another instruction set, and compares
///
/// The run need not be complete. If this machine has vector instructions, it counts with others than the lines name. The
/// exit status is 3 if a unit differs.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens audit n24 --sample 50                counts 50 units of a run again
  nqueens audit n24 --image                    counts mirror images of 20 units
  nqueens audit n28 --thorough --sample 200    counts 200 units in more than one way
  nqueens audit n24 --by node17 --sample 1000  counts 1000 of one machine's units again")]
pub(crate) struct Args {
    #[command(flatten)]
    run: Folders,
    /// Number of units to count again, at least one of every machine and instruction set
    #[arg(long, value_name = "K", default_value = "20", value_parser = number(1..=usize::MAX), allow_negative_numbers = true)]
    sample: usize,
    /// Counts again only units that this machine counted
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// Counts the mirror image of each unit: other queens, whose count is equal. As fast as the unit
    #[arg(long, conflicts_with = "device")]
    image: bool,
    /// Counts each unit and its mirror image, and the cheapest of each class also by definition: placement by placement
    #[arg(long, conflicts_with_all = ["image", "device"])]
    thorough: bool,
    /// Seed of the random choice of units. Default: a new choice each time
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    #[command(flatten)]
    resources: ResourceOptions,
}

/// A way to count units again: what it is called, the units with its code, and which of them are counted.
struct Pass {
    code: String,
    /// How long all units of the plan take on all threads.
    seconds: f64,
    plan: Box<dyn Plan>,
    units: Vec<usize>,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let resources = args.resources.open()?;
    let threads = resources.number_of_threads();
    let mut results = read_all(&args.run.paths)?;
    let (what, size, solver) = (results.folders(), results.plan.size, results.plan.solver()?);
    signals::catch()?;
    let is_wanted = |by: &Contributor| args.by.as_ref().is_none_or(|name| *name == by.machine);
    let isas: Vec<String> =
        results.machines().into_iter().map(|one| one.by).filter(is_wanted).map(|by| by.isa).collect();
    let isa = choose(&resources, solver, &isas);
    let units = units_of(&mut results, resources.counts_with(solver)?, isa, &args.run.paths[0])?;
    if isas.is_empty() {
        let by = args.by.as_ref().map_or(String::new(), |machine| format!(" by '{machine}'"));
        return Err(exit::Kind::Failure.error(format!("{what} has no counted unit{by}: there is nothing to audit")));
    }
    // After an error units are counted all the same: they tell which machine counts wrong.
    let sound = results.refuse_problems("this run is not sound").and_then(|()| results.check_sum());
    let counted: Vec<CountedUnit<'_>> = results.units().filter(|unit| is_wanted(unit.by)).collect();
    let (all, seed) = (counted.len(), args.seed.unwrap_or_else(crate::machine::random));
    // In order: neighboring units share memory.
    let chosen: BTreeMap<usize, CountedUnit<'_>> =
        sample(counted, args.sample, seed).into_iter().map(|counted| (counted.unit, counted)).collect();
    let number = plural(chosen.len(), "unit");
    let passes = passes(args, &resources, (solver, size, isa), units, chosen.keys().copied().collect())?;
    streams.note(claim(&results));
    let codes = Vec::from_iter(passes.iter().map(|pass| &*pass.code)).join(" and ");
    streams.note(format_args!("counting {number} again with {codes}; --seed {seed} chooses the same units again"));
    let mut again = Again::default();
    // After an interruption the verdict covers the units that were counted before.
    let ended = passes.iter().try_for_each(|pass| again.count(pass, &chosen, threads, streams));
    resources.note(streams);
    let (agree, wrong) = (again.seen.len() - again.wrong.len(), again.wrong.len());
    let machines: HashSet<_> = chosen.values().map(|counted| (&counted.by.machine, &counted.by.isa)).collect();
    let proof = (ended.is_ok() && wrong == 0).then(|| Proof::new(all, agree, machines.len()));
    let one_in_100 = all.div_ceil(100);
    let written = if args.run.json {
        streams.json(&json!({
            "schema": crate::version::JSON_SCHEMA,
            "size": size,
            "solver": solver.name(),
            "fingerprint": results.plan.fingerprint,
            "solutions": results.logged().map(|solutions| solutions.to_string()),
            "units": results.plan.units,
            "units_counted": results.units().count(),
            "machines": results.machines(),
            "seed": seed,
            "sample": again.sample,
            "agree": agree,
            "fewer_wrong": proof.map(Proof::fewer_wrong),
            "notices_one_in_100": proof.map(|proof| proof.notices(one_in_100)),
        }))
    } else if wrong > 0 {
        Ok(())
    } else {
        let (of, unit, so_far) = match proof {
            Some(_) => (all, "unit", ""),
            None => (chosen.len(), "chosen unit", " so far"),
        };
        let proof = proof.filter(|_| agree < all).map_or(String::new(), |proof| {
            let (fewer, percent) = (proof.fewer_wrong(), 100.0 * proof.notices(one_in_100));
            let notices = if args.thorough {
                format!("; if {one_in_100} were, this audit would have noticed with a probability of {percent:.0} %")
            } else {
                String::new()
            };
            format!("; with 95 % confidence, fewer than {fewer} of the {all} are wrong{notices}")
        });
        let agrees = if agree == 1 { "agrees" } else { "agree" };
        writeln!(streams.out, "{agree} of {} {agrees}{so_far}{proof}", plural(of, unit))
    };
    let done = if wrong > 0 {
        let have = if wrong == 1 { "has" } else { "have" };
        Err(exit::Kind::Wrong.error(format!(
            "{wrong} of {number} of {what} {have} another count here: run 'nqueens verify' on each machine"
        )))
    } else {
        ended.and(sound).map(drop)
    };
    settle(done, written.map_err(anyhow::Error::from))
}

/// What the units are that were counted again.
#[derive(Default)]
struct Again {
    /// Each count of a unit, for JSON.
    sample: Vec<Value>,
    seen: BTreeSet<usize>,
    wrong: BTreeSet<usize>,
}

impl Again {
    /// Counts the units of a pass, and tells of each that differs.
    fn count(
        &mut self,
        Pass { code, seconds, plan, units }: &Pass,
        chosen: &BTreeMap<usize, CountedUnit<'_>>,
        threads: usize,
        streams: &Streams<'_>,
    ) -> anyhow::Result<()> {
        let forecast = Forecast::of_units(&**plan, units, *seconds, threads);
        let (task, before) = (Task::new(code, streams)?, self.sample.len());
        let counted = task.run(forecast, |cancel, progress| {
            let count = plan.count().units(units.iter().copied()).threads(threads);
            count.cancelled_by(cancel).progress(progress).for_each(|unit, tally| {
                let (CountedUnit { count: claimed, by, .. }, count) = (chosen[&unit], tally.solutions);
                let (name, machine, isa) = (plan.name(unit), &by.machine, &by.isa);
                self.seen.insert(unit);
                if count != claimed {
                    self.wrong.insert(unit);
                    complain(format_args!(
                        "unit {unit} ({name}) is {count} with {code}, and not {claimed}, as {machine} counted with {isa}"
                    ));
                }
                let [claimed, count] = [claimed, count].map(|count| count.to_string());
                self.sample.push(json!({
                    "unit": unit,
                    "name": name,
                    "claimed": claimed,
                    "count": count,
                    "code": code,
                    "machine": machine,
                    "isa": isa,
                }));
                Ok(())
            })
        });
        // Threads end units in any order.
        self.sample[before..].sort_by_key(|one| one["unit"].as_u64());
        counted
    }
}

/// The ways to count these units again, whose plan is for the instruction set.
fn passes(
    args: &Args,
    resources: &Resources,
    (solver, size, isa): (&dyn Solver, Size, Isa),
    plan: Box<dyn Plan>,
    units: Vec<usize>,
) -> anyhow::Result<Vec<Pass>> {
    let seconds = CountForecast::new(solver, size, isa, resources.number_of_threads()).seconds();
    let with_isa = |kind| format!("{} ({}{kind})", solver.name(), resources.code(isa));
    let of_color = |plan: Option<Box<dyn Plan>>| {
        plan.ok_or_else(|| {
            exit::Kind::Usage.error(format!(
                "--image and --thorough count images of units of color, but these are units of {}: leave them out, or \
                 check that solver with 'nqueens verify'",
                solver.name()
            ))
        })
    };
    let mut passes = Vec::new();
    if args.image || args.thorough {
        let plan = of_color(plan.image())?;
        passes.push(Pass { code: with_isa(", mirror images"), seconds, plan, units: units.clone() });
    }
    if args.thorough {
        let mut cheapest = units.clone();
        cheapest.sort_by(|&one, &other| plan.cost(one).total_cmp(&plan.cost(other)));
        let mut classes = HashSet::new();
        cheapest.retain(|&unit| classes.insert(plan.kind(unit)));
        passes.push(Pass {
            code: format!("{} (by definition)", solver.name()),
            seconds: DEFINITION_TAKES * seconds,
            plan: of_color(plan.by_definition())?,
            units: cheapest,
        });
    }
    if !args.image {
        passes.insert(0, Pass { code: with_isa(""), seconds, plan, units });
    }
    Ok(passes)
}

/// What a run claims, in words: its size, its count, its units and who counted them.
fn claim(results: &Results) -> String {
    let (what, plan) = (results.folders(), &results.plan);
    let (count, units) = (format!("n = {} with {}", plan.size, plan.solver), plural(plan.units, "unit"));
    let machines = results.machines();
    let by: BTreeSet<String> = machines.iter().map(|one| format!("{} ({})", one.by.machine, one.by.isa)).collect();
    let by = shortened(&Vec::from_iter(by).join(", "), 200);
    match results.logged() {
        Some(solutions) => format!("{what} claims {solutions} solutions for {count}: {units}, counted by {by}"),
        None => format!("{what} has {} of {units} of {count}, counted by {by}", results.units().count()),
    }
}

/// The instruction set that counts again: the one asked for, or the fastest that counted none of the units, or else the
/// fastest.
fn choose(resources: &Resources, solver: &dyn Solver, used: &[String]) -> Isa {
    let mut available = solver.instruction_sets().iter().copied().filter(|isa| isa.is_available());
    let unused = available.rfind(|isa| used.iter().all(|used| used != isa.name()));
    registry::best_isa(solver, resources.only_isa().or(unused).unwrap_or_else(registry::machine_isa))
}
