//! `nqueens audit`: counts a sample of the units of a run again.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use nqueens::solver::{Isa, Plan};
use serde::Serialize;
use serde_json::json;

use super::counting::{Code, CountingOptions};
use super::folders::{Folders, read_all};
use super::options::number;
use crate::exit;
use crate::forecast::Forecast;
use crate::machine::random;
use crate::run::{Contributor, CountedUnit, Results, fewer_wrong, sample};
use crate::terminal::escape::shortened;
use crate::terminal::task::Task;
use crate::terminal::time_left::TimeLeft;
use crate::terminal::units::plural;
use crate::terminal::{Streams, complain, signals};

/// How many times as long it takes to count a unit by definition. The factor varies from 4 to 300 with kind and size.
const DEFINITION_TAKES: f64 = 100.0;

/// Count a sample of a run again, with another instruction set, and compare
///
/// A unit is the smallest piece of a count, and a shard consists of units. The run need not be complete. By default,
/// 'audit' counts with the best instruction set of this machine that counted none of the units, if there is one. If a
/// unit differs, the exit status is 3.
#[derive(Debug, clap::Args)]
#[command(mut_arg("isa", |isa| isa.help("Highest instruction set to count with. Default: the best that counted none of the units")), after_help = "\
Examples:
  nqueens audit n24 --sample 50                count 50 units of a run again
  nqueens audit n24 --image                    count the mirror images of 20 units
  nqueens audit n28 --thorough --sample 200    count 200 units in several ways
  nqueens audit n24 --by node17 --sample 1000  count 1000 units of one machine again")]
pub(crate) struct Args {
    #[command(flatten)]
    run: Folders,
    /// Number of units to count again. At least one unit of each machine and instruction set is chosen
    #[arg(long, value_name = "K", default_value = "20", value_parser = number::<usize>(1..), allow_negative_numbers = true)]
    sample: usize,
    /// Choose only units that the machine NAME counted
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// Count the mirror image of each unit instead: its placements differ, but it must have the same count, and it
    /// takes as long
    #[arg(long, conflicts_with = "device")]
    image: bool,
    /// Count each unit and its mirror image, and also count the cheapest unit of each kind by definition, placement by
    /// placement
    #[arg(long, conflicts_with_all = ["image", "device"])]
    thorough: bool,
    /// Seed of the random choice of units. Default: a different choice each time
    #[arg(long, value_name = "NUMBER", value_parser = number(0..=u64::MAX), allow_negative_numbers = true)]
    seed: Option<u64>,
    #[command(flatten)]
    counting: CountingOptions,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let counting = args.counting.open()?;
    let mut results = read_all(&args.run.paths)?;
    let counting = counting.or_isa(|| unused_isa(&results, args));
    let (size, solver) = (results.plan.size, results.plan.solver()?);
    let code = counting.code(solver)?;
    let plan = code.plan(size)?;
    let results = results.verified(&*plan)?;
    // A signal after the first note is told, even if no task has begun yet.
    signals::catch()?;
    // Units of an unsound run are counted anyway, because they show which machine is wrong.
    let sound = results.refuse_problems("this run is not sound").and_then(|()| results.check_sum());
    let chosen = match Chosen::of(&results, args) {
        Ok(chosen) => chosen,
        // That every line is damaged says more than that there is nothing to audit.
        Err(nothing) => return sound.and(Err(nothing)),
    };
    let threads = counting.fit(&counting.counter(size, Some(solver))?)?.threads;
    let mut audit = Audit { args, results: &results, chosen, threads, recounted: Vec::new() };
    let passes = audit.passes(code, plan)?;
    streams.note(about_run(&results));
    let codes = Vec::from_iter(passes.iter().map(|pass| &*pass.name)).join(" and ");
    let (units, seed) = (plural(audit.chosen.units.len(), "unit"), audit.chosen.seed);
    streams.note(format_args!("counting {units} again with {codes}; --seed {seed} chooses the same units again"));
    // After an interruption, the verdict covers the units that were counted before.
    let ended = passes.iter().try_for_each(|pass| audit.count(pass, streams));
    counting.note(streams);
    let written = audit.print(ended.is_ok(), streams);
    // A wrong count says more than an interruption.
    let verdict = audit.verdict().and(sound).and(ended);
    exit::settle(verdict, written)
}

/// Returns whether `--by` allows a contributor's units.
fn is_wanted(by: &Contributor, args: &Args) -> bool {
    args.by.as_ref().is_none_or(|name| *name == by.machine)
}

/// Returns the best instruction set of this machine that was used for none of the wanted units, if there is one.
fn unused_isa(results: &Results, args: &Args) -> Option<Isa> {
    let contributions = results.contributions();
    let is_used = |isa: &Isa| contributions.iter().any(|one| is_wanted(&one.by, args) && one.by.isa == isa.name());
    let solver = results.plan.solver().ok()?;
    solver.instruction_sets().iter().copied().rfind(|isa| isa.is_available() && !is_used(isa))
}

/// The units to count again.
struct Chosen<'a> {
    /// The units by number. They are counted in order, because neighbors share memory.
    units: BTreeMap<usize, CountedUnit<'a>>,
    /// The number of counted units that they were chosen from.
    from: usize,
    seed: u64,
}

impl<'a> Chosen<'a> {
    /// Chooses a sample of the wanted units. Fails if no unit is wanted.
    fn of(results: &'a Results, args: &Args) -> anyhow::Result<Self> {
        let from: Vec<CountedUnit<'_>> = results.units().filter(|unit| is_wanted(unit.by, args)).collect();
        if from.is_empty() {
            let others: BTreeSet<String> = results.contributions().into_iter().map(|one| one.by.machine).collect();
            let problem = match &args.by {
                Some(name) if !others.is_empty() => {
                    let others = shortened(&Vec::from_iter(others).join(", "), 200);
                    format!("no counted unit by '{name}': its machines are {others}")
                }
                _ => "no counted unit: there is nothing to audit".to_owned(),
            };
            return Err(exit::Kind::Failure.error(format!("{} has {problem}", results.folders())));
        }
        let seed = args.seed.unwrap_or_else(random);
        let number = from.len();
        let units = sample(from, args.sample, seed).into_iter().map(|unit| (unit.unit, unit));
        Ok(Self { units: units.collect(), from: number, seed })
    }

    /// Returns the number of machines and instruction sets that counted the chosen units.
    fn contributors(&self) -> usize {
        self.units.values().map(|counted| (&counted.by.machine, &counted.by.isa)).collect::<HashSet<_>>().len()
    }
}

/// One way to count units again.
struct Pass {
    /// The name of the code that counts, such as `color (avx2, mirror images)`.
    name: String,
    /// Predicted seconds for all units of the plan on all threads.
    seconds: f64,
    /// The units of the run, which this code counts.
    plan: Box<dyn Plan>,
    /// The chosen units that this pass counts.
    units: Vec<usize>,
}

/// A unit that a pass counted again.
#[derive(Serialize)]
struct Recounted<'a> {
    unit: usize,
    name: String,
    /// The count in the logs, and the count here.
    #[serde(serialize_with = "nqueens::internal::to_digits")]
    logged: u128,
    #[serde(serialize_with = "nqueens::internal::to_digits")]
    count: u128,
    /// The machine and the instruction set of the logged count.
    machine: &'a str,
    isa: &'a str,
    /// The name of the pass.
    code: String,
}

/// The units to count again, and the results so far.
struct Audit<'a> {
    args: &'a Args,
    results: &'a Results,
    chosen: Chosen<'a>,
    threads: usize,
    /// The results of all passes, so a unit may occur several times.
    recounted: Vec<Recounted<'a>>,
}

impl Audit<'_> {
    /// Returns the ways to count the chosen units again, as the options ask.
    fn passes(&self, code: Code<'_>, plan: Box<dyn Plan>) -> anyhow::Result<Vec<Pass>> {
        let (solver, units) = (code.solver.name(), Vec::from_iter(self.chosen.units.keys().copied()));
        let seconds = Forecast::new(code.solver, self.results.plan.size, code.isa, self.threads).seconds();
        let needs_color = || {
            exit::Kind::Usage.error(format!(
                "--image and --thorough count mirror images of units of color, but these are units of {solver}: leave \
                 both out, or check that solver with 'nqueens verify'"
            ))
        };
        let images = || -> anyhow::Result<Pass> {
            let name = format!("{solver} ({}, mirror images)", code.name());
            Ok(Pass { name, seconds, plan: plan.audit().image().ok_or_else(needs_color)?, units: units.clone() })
        };
        if self.args.image {
            return Ok(vec![images()?]);
        }
        let mut others = Vec::new();
        if self.args.thorough {
            let mut cheapest = units.clone();
            cheapest.sort_by(|&one, &other| plan.cost(one).total_cmp(&plan.cost(other)));
            let mut kinds = HashSet::new();
            cheapest.retain(|&unit| kinds.insert(plan.audit().kind(unit)));
            let by_definition = Pass {
                name: format!("{solver} (by definition)"),
                seconds: DEFINITION_TAKES * seconds,
                plan: plan.audit().by_definition().ok_or_else(needs_color)?,
                units: cheapest,
            };
            others = vec![images()?, by_definition];
        }
        // It takes the plan, so it is made last.
        let same = Pass { name: code.to_string(), seconds, plan, units };
        Ok([same].into_iter().chain(others).collect())
    }

    /// Counts the units of a pass, and reports each unit that differs.
    fn count(&mut self, Pass { name: code, seconds, plan, units }: &Pass, streams: &Streams<'_>) -> anyhow::Result<()> {
        let time_left = TimeLeft::of_units(&**plan, units, *seconds, self.threads);
        let (task, before) = (Task::new(code, streams)?, self.recounted.len());
        let counted = task.run(time_left, |cancel, progress| {
            let count = plan.count().units(units.iter().copied()).threads(self.threads);
            count.cancelled_by(cancel).progress(progress).for_each(|unit, tally| {
                let CountedUnit { count: logged, by: Contributor { machine, isa, .. }, .. } = self.chosen.units[&unit];
                let (name, count, code) = (plan.name(unit), tally.solutions, code.clone());
                if count != logged {
                    complain(format_args!(
                        "unit {unit} ({name}) is {count} by {code}, but {machine} logged {logged} by {isa}"
                    ));
                }
                self.recounted.push(Recounted { unit, name, logged, count, machine, isa, code });
                Ok(())
            })
        });
        // Threads finish units in any order.
        self.recounted[before..].sort_by_key(|recounted| recounted.unit);
        counted
    }

    /// Returns the number of units whose counts in all passes so far agree with the logged ones, and the number of
    /// others.
    fn agree_and_wrong(&self) -> [usize; 2] {
        let number = |units: BTreeSet<usize>| units.len();
        let wrong = number(self.recounted.iter().filter(|one| one.count != one.logged).map(|one| one.unit).collect());
        [number(self.recounted.iter().map(|one| one.unit).collect()) - wrong, wrong]
    }

    /// Prints the result of the audit as JSON or in a line, which is left out if units differ, because the verdict says
    /// so.
    fn print(&self, is_complete: bool, streams: &mut Streams<'_>) -> std::io::Result<()> {
        let Self { results, chosen, .. } = self;
        let (plan, from, [agree, wrong]) = (&results.plan, chosen.from, self.agree_and_wrong());
        let fewer_wrong = (is_complete && wrong == 0).then(|| fewer_wrong(from, agree, chosen.contributors()));
        if self.args.run.json {
            return streams.json(json!({
                "size": plan.size,
                "solver": plan.solver,
                "fingerprint": plan.fingerprint,
                "solutions": results.logged().map(|solutions| solutions.to_string()),
                "units": plan.units,
                "units_counted": results.units().count(),
                "machines": results.contributions(),
                "seed": chosen.seed,
                "sample": self.recounted,
                "agree": agree,
                "fewer_wrong": fewer_wrong,
            }));
        }
        if wrong > 0 {
            return Ok(());
        }
        let agrees = if agree == 1 { "agrees" } else { "agree" };
        let Some(fewer_wrong) = fewer_wrong else {
            return writeln!(streams.out, "{agree} of {} {agrees} so far", plural(chosen.units.len(), "chosen unit"));
        };
        let proves = match fewer_wrong {
            _ if agree == from => String::new(),
            1 => format!("; with 95 % confidence, none of the {from} is wrong"),
            _ => format!("; with 95 % confidence, fewer than {fewer_wrong} of the {from} are wrong"),
        };
        writeln!(streams.out, "{agree} of {} {agrees}{proves}", plural(from, "unit"))
    }

    /// Fails if units differ.
    fn verdict(&self) -> anyhow::Result<()> {
        let [_, wrong] = self.agree_and_wrong();
        let (units, run) = (plural(self.chosen.units.len(), "unit"), self.results.folders());
        let have = match wrong {
            0 => return Ok(()),
            1 => "has",
            _ => "have",
        };
        Err(exit::Kind::Wrong.error(format!(
            "{wrong} of {units} of {run} {have} a different count here: run 'nqueens verify' on each machine"
        )))
    }
}

/// Returns in words what the logs say: size, solver, count, number of units, and contributors.
fn about_run(results: &Results) -> String {
    let (run, plan) = (results.folders(), &results.plan);
    let (count, units) = (format!("n = {} with {}", plan.size, plan.solver), plural(plan.units, "unit"));
    let contributions = results.contributions();
    let by: BTreeSet<String> = contributions.iter().map(|one| format!("{} ({})", one.by.machine, one.by.isa)).collect();
    let by = shortened(&Vec::from_iter(by).join(", "), 200);
    match results.logged() {
        Some(solutions) => {
            let solutions = plural(solutions, "solution");
            format!("the logs of {run} say {solutions} for {count}: {units}, counted by {by}")
        }
        None => format!("the logs of {run} have {} of {units} of {count}, counted by {by}", results.units().count()),
    }
}
