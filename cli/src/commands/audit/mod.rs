//! `nqueens audit`: counts a sample of the units of a run again.

use std::collections::{BTreeSet, HashSet};

use nqueens::solver::{Isa, Plan};
use serde::Serialize;
use serde_json::{Value, json};

use super::counting::{Code, CountingOptions};
use super::options::number_parser;
use super::run_folders::Folders;
use crate::exit;
use crate::forecast::Forecast;
use crate::machine::random;
use crate::run::{Contributor, CountedUnit, Results, SampleSize, Verified, sample};
use crate::terminal::escape::shortened;
use crate::terminal::task::Task;
use crate::terminal::time_left::TimeLeft;
use crate::terminal::units::plural;
use crate::terminal::{Streams, complain, signals};

/// How many times as long it takes to count a unit by definition. The factor varies from 4 to 300 with kind and size.
const SLOWER_BY_DEFINITION: f64 = 100.0;

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
    #[arg(long, value_name = "K", default_value = "20", value_parser = number_parser::<usize>(1..), allow_negative_numbers = true)]
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
    #[arg(long, value_name = "NUMBER", value_parser = number_parser(0..=u64::MAX), allow_negative_numbers = true)]
    seed: Option<u64>,
    #[command(flatten)]
    counting: CountingOptions,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let counting = args.counting.open(None)?;
    let folders = args.run.open()?;
    let mut results = Results::read(&folders)?;
    let counting = counting.or_isa(|| unused_isa(&results, args));
    let size = results.run_plan().size;
    let solver = results.run_plan().solver()?;
    let code = counting.code(solver)?;
    let plan = code.plan(size)?;
    let results = results.verify(&*plan)?;
    // A signal after the first note must be reported, even if no task has begun yet.
    signals::catch()?;
    // Units of an unsound run are counted anyway, because they show which machine is wrong.
    let sound = results.check("this run is not sound").and_then(|sound| sound.check_sum());
    let chosen = match Chosen::of(&results, args) {
        Ok(chosen) => chosen,
        // That every line is damaged says more than that there is nothing to audit.
        Err(nothing) => return sound.and(Err(nothing)),
    };
    let threads = counting.fit(code, size)?.threads;
    let seconds = Forecast::new(code.solver, size, code.isa, threads).seconds();
    let passes = passes(args, code, plan, seconds, &chosen)?;
    streams.note(about_run(&results));
    streams.note(about_passes(&passes, &chosen));
    let mut audit = Audit { results: &results, chosen, threads, recounted: Vec::new() };
    // After an interruption, the verdict covers the units that were counted before.
    let ended = passes.iter().try_for_each(|pass| audit.count(pass, streams));
    counting.note_given_back(streams);
    let agreement = audit.agreement(ended.is_ok());
    let written = if args.run.json {
        streams.json(audit.json(&agreement))
    } else if agreement.wrong == 0 {
        writeln!(streams.out, "{}", audit.in_words(&agreement))
    } else {
        // The verdict says so.
        Ok(())
    };
    // A wrong count says more than an interruption.
    let verdict = audit.verdict(&agreement).and(sound).and(ended);
    exit::settle(verdict, written)
}

/// Returns whether `--by` allows a contributor's units.
fn is_wanted(by: &Contributor, args: &Args) -> bool {
    args.by.as_ref().is_none_or(|name| *name == by.machine)
}

/// Returns the best instruction set of this machine that was used for none of the wanted units, if there is one.
fn unused_isa(results: &Results<'_>, args: &Args) -> Option<Isa> {
    let contributions = results.contributions();
    let is_used = |isa: &Isa| contributions.iter().any(|one| is_wanted(&one.by, args) && one.by.isa == isa.name());
    let solver = results.run_plan().solver().ok()?;
    solver.instruction_sets().iter().copied().rfind(|isa| isa.is_available() && !is_used(isa))
}

/// The units to count again.
struct Chosen<'a> {
    /// The units in order, in which they are counted, because neighbors share memory.
    units: Vec<CountedUnit<'a>>,
    /// The number of counted units that they were chosen from.
    from: usize,
    seed: u64,
}

impl<'a> Chosen<'a> {
    /// Chooses a sample of the wanted units. Fails if no unit is wanted.
    fn of(results: &'a Results<'a>, args: &Args) -> anyhow::Result<Self> {
        let all: Vec<CountedUnit<'_>> = results.counted_units().filter(|unit| is_wanted(unit.by, args)).collect();
        if all.is_empty() {
            let others: BTreeSet<String> = results.contributions().into_iter().map(|one| one.by.machine).collect();
            let problem = match &args.by {
                Some(name) if !others.is_empty() => {
                    let others = shortened(&Vec::from_iter(others).join(", "), 200);
                    format!("no counted unit by '{name}': its machines are {others}")
                }
                _ => "no counted unit: there is nothing to audit".to_owned(),
            };
            return Err(exit::Kind::Failure.error(format!("{} has {problem}", results.in_shell())));
        }
        let seed = args.seed.unwrap_or_else(random);
        let from = all.len();
        let mut units = sample(all, args.sample, seed);
        units.sort_by_key(|counted| counted.unit);
        Ok(Self { units, from, seed })
    }

    /// Returns the numbers of the units.
    fn numbers(&self) -> Vec<usize> {
        self.units.iter().map(|counted| counted.unit).collect()
    }

    /// Returns a chosen unit by its number.
    fn unit(&self, number: usize) -> CountedUnit<'a> {
        let at = self.units.binary_search_by_key(&number, |counted| counted.unit);
        self.units[at.expect("only chosen units are counted")]
    }

    /// Returns the number of machines and instruction sets that counted the chosen units.
    fn contributors(&self) -> usize {
        self.units.iter().map(|counted| (&counted.by.machine, &counted.by.isa)).collect::<HashSet<_>>().len()
    }
}

/// One way to count units again.
struct Pass {
    /// The code that counts, such as `color (avx2, mirror images)`.
    code: String,
    /// Predicted seconds for all units of the plan on all threads.
    seconds: f64,
    /// The units of the run, which this code counts.
    plan: Box<dyn Plan>,
    /// The chosen units that this pass counts.
    units: Vec<usize>,
}

/// Returns the ways to count the chosen units again, as the options ask. `code` counts all units of `plan` in about
/// these `seconds`.
fn passes(
    args: &Args,
    code: Code<'_>,
    plan: Box<dyn Plan>,
    seconds: f64,
    chosen: &Chosen<'_>,
) -> anyhow::Result<Vec<Pass>> {
    let solver = code.solver.name();
    let needs_color = || {
        exit::Kind::Usage.error(format!(
            "--image and --thorough count mirror images of units of color, but these are units of {solver}: leave both \
             out, or check that solver with 'nqueens verify'"
        ))
    };
    let mut others = Vec::new();
    if args.image || args.thorough {
        let image = plan.audit().image().ok_or_else(needs_color)?;
        let code = format!("{solver} ({}, mirror images)", code.name());
        others.push(Pass { code, seconds, plan: image, units: chosen.numbers() });
    }
    if args.thorough {
        let by_definition = plan.audit().by_definition().ok_or_else(needs_color)?;
        let units = cheapest_of_each_kind(&*plan, chosen.numbers());
        let code = format!("{solver} (by definition)");
        others.push(Pass { code, seconds: SLOWER_BY_DEFINITION * seconds, plan: by_definition, units });
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

/// A unit that a pass counted again.
#[derive(Serialize)]
struct Recounted<'a> {
    unit: usize,
    /// The name of the unit.
    name: String,
    /// The count in the logs, and the count here.
    #[serde(serialize_with = "nqueens::internal::to_digits")]
    logged: u128,
    #[serde(serialize_with = "nqueens::internal::to_digits")]
    count: u128,
    /// The machine and the instruction set of the logged count.
    machine: &'a str,
    isa: &'a str,
    /// The code of the pass.
    code: String,
}

/// How many units have the logged count in every pass, and how many do not.
struct Agreement {
    agree: usize,
    wrong: usize,
    /// With 95 % confidence, fewer units than this are wrong. `None` if one is, or after an interruption.
    fewer_wrong: Option<usize>,
}

/// The units to count again, and the results so far.
struct Audit<'a> {
    results: &'a Verified<'a>,
    chosen: Chosen<'a>,
    threads: usize,
    /// The results of all passes, so a unit may occur several times.
    recounted: Vec<Recounted<'a>>,
}

impl Audit<'_> {
    /// Counts the units of a pass, and reports each unit that differs.
    fn count(&mut self, pass: &Pass, streams: &Streams<'_>) -> anyhow::Result<()> {
        let time_left = TimeLeft::of_units(&*pass.plan, &pass.units, pass.seconds, self.threads);
        let task = Task::new(&pass.code, streams)?;
        let before = self.recounted.len();
        let counted = task.run(time_left, |cancel, progress| {
            let count = pass.plan.count().units(pass.units.iter().copied()).threads(self.threads);
            count.cancelled_by(cancel).progress(progress).for_each(|unit, tally| {
                let CountedUnit { count: logged, by: Contributor { machine, isa, .. }, .. } = self.chosen.unit(unit);
                let name = pass.plan.name(unit);
                let count = tally.solutions;
                let code = pass.code.clone();
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

    /// Returns how the counts of all passes so far agree with the logged ones.
    fn agreement(&self, is_complete: bool) -> Agreement {
        let counted: BTreeSet<usize> = self.recounted.iter().map(|one| one.unit).collect();
        let wrong = self.recounted.iter().filter(|one| one.count != one.logged).map(|one| one.unit);
        let wrong = wrong.collect::<BTreeSet<_>>().len();
        let agree = counted.len() - wrong;
        // If the audit is complete and no unit is wrong, all chosen units agree.
        let sample = SampleSize { all: self.chosen.from, chosen: agree, contributors: self.chosen.contributors() };
        Agreement { agree, wrong, fewer_wrong: (is_complete && wrong == 0).then(|| sample.fewer_wrong()) }
    }

    fn json(&self, agreement: &Agreement) -> Value {
        let run_plan = self.results.run_plan();
        json!({
            "size": run_plan.size,
            "solver": run_plan.solver,
            "fingerprint": run_plan.fingerprint,
            "solutions": self.results.logged_sum().map(|solutions| solutions.to_string()),
            "units": run_plan.units,
            "units_counted": self.results.counted_units().count(),
            "machines": self.results.contributions(),
            "seed": self.chosen.seed,
            "sample": self.recounted,
            "agree": agreement.agree,
            "fewer_wrong": agreement.fewer_wrong,
        })
    }

    /// Describes the result of an audit in which no unit is wrong.
    fn in_words(&self, &Agreement { agree, fewer_wrong, .. }: &Agreement) -> String {
        let from = self.chosen.from;
        let agrees = if agree == 1 { "agrees" } else { "agree" };
        match fewer_wrong {
            None => format!("{agree} of {} {agrees} so far", plural(self.chosen.units.len(), "chosen unit")),
            Some(_) if agree == from => format!("{agree} of {} {agrees}", plural(from, "unit")),
            Some(1) => format!("{agree} of {from} units {agrees}; with 95 % confidence, none of the {from} is wrong"),
            Some(fewer_wrong) => format!(
                "{agree} of {from} units {agrees}; with 95 % confidence, fewer than {fewer_wrong} of the {from} are wrong"
            ),
        }
    }

    /// Fails if units differ.
    fn verdict(&self, agreement: &Agreement) -> anyhow::Result<()> {
        let have = match agreement.wrong {
            0 => return Ok(()),
            1 => "has",
            _ => "have",
        };
        let wrong = agreement.wrong;
        let units = plural(self.chosen.units.len(), "unit");
        let run = self.results.in_shell();
        Err(exit::Kind::Wrong.error(format!(
            "{wrong} of {units} of {run} {have} a different count here: run 'nqueens verify' on each machine"
        )))
    }
}

/// Returns in words what the logs say: size, solver, count, number of units, and contributors.
fn about_run(results: &Verified<'_>) -> String {
    let run = results.in_shell();
    let run_plan = results.run_plan();
    let count = format!("n = {} with {}", run_plan.size, run_plan.solver);
    let units = plural(run_plan.units, "unit");
    let contributions = results.contributions();
    let by: BTreeSet<String> = contributions.iter().map(|one| format!("{} ({})", one.by.machine, one.by.isa)).collect();
    let by = shortened(&Vec::from_iter(by).join(", "), 200);
    match results.logged_sum() {
        Some(solutions) => {
            let solutions = plural(solutions, "solution");
            format!("the logs of {run} say {solutions} for {count}: {units}, counted by {by}")
        }
        None => {
            format!("the logs of {run} have {} of {units} of {count}, counted by {by}", results.counted_units().count())
        }
    }
}

/// Returns in words what is counted again.
fn about_passes(passes: &[Pass], chosen: &Chosen<'_>) -> String {
    let units = plural(chosen.units.len(), "unit");
    let codes = passes.iter().map(|pass| &*pass.code).collect::<Vec<_>>().join(" and ");
    format!("counting {units} again with {codes}; --seed {} chooses the same units again", chosen.seed)
}
