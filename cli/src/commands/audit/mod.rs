//! `nqueens audit`: counts a sample of the units of a run again.

mod passes;
mod sample;

use std::collections::BTreeSet;

use nqueens::solver::{Isa, Solver};
use serde::Serialize;
use serde_json::{Value, json};

use super::counting::CountingOptions;
use super::options::number_parser;
use super::run_folders::Folders;
use crate::exit;
use crate::run::{Contributor, CountedUnit, Results, Verified};
use crate::terminal::escape::shortened;
use crate::terminal::task::Task;
use crate::terminal::time_left::TimeLeft;
use crate::terminal::units::plural;
use crate::terminal::{Streams, complain, signals};
use passes::{Chosen, Pass, passes};
use sample::fewer_wrong;

/// Count a sample of a run again, with another instruction set, and compare
///
/// A unit is the smallest piece of a count, and a shard consists of units. The run need not be complete. By default,
/// 'audit' counts with the best instruction set of this machine that counted none of the units, if there is one. If a
/// unit differs, the exit status is 3.
#[derive(Debug, clap::Args)]
#[command(mut_arg("isa", |isa| isa.help("Highest instruction set to count with. Default: the best that counted none of the units")), after_help = "\
Examples:
  nqueens audit n24 --sample 50                count 50 units of a run again
  nqueens audit n24 --image                    count images of 20 units
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
    /// Count an image of each unit under a symmetry of the board instead: its placements differ, but it must have the
    /// same count, and it takes as long
    #[arg(long, conflicts_with = "device")]
    image: bool,
    /// Count each unit and its image, and also count the cheapest unit of each kind from the definition,
    /// placement by placement
    #[arg(long, conflicts_with_all = ["image", "device"])]
    thorough: bool,
    /// Seed of the random choice of units. Default: a different choice each time
    #[arg(long, value_name = "NUMBER", value_parser = number_parser(0..=u32::MAX), allow_negative_numbers = true)]
    seed: Option<u32>,
    #[command(flatten)]
    counting: CountingOptions,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let counting = args.counting.open(None)?;
    let folders = args.run.open()?;
    let mut results = Results::read(&folders)?;
    let size = results.run_plan().size;
    let solver = results.run_plan().solver()?;
    let counting = counting.or_isa(unused_isa(&results, solver, args));
    let code = counting.code(solver)?;
    let plan = code.plan(size)?;
    let results = results.verify(results.check_plan(&*plan)?);
    // A signal after the first note must be reported, even if no task has begun yet.
    signals::catch()?;
    // Units of an unsound run are counted anyway. If a unit of a disputed shard is among them, its count shows whether
    // the line that was read first is right.
    let sound = results.sound_or_complain("this run is not sound");
    let chosen = match Chosen::of(&results, args) {
        Ok(chosen) => chosen,
        // That the run is not sound says more than that there is nothing to audit.
        Err(nothing) => return exit::settle(sound.and_then(|_| results.check_sanity()), Err(nothing)),
    };
    let threads = counting.fit(code, size)?.threads;
    let passes = passes(args, code, plan, code.forecast(size, threads), &chosen)?;
    streams.note(about_run(&results));
    streams.note(about_passes(&passes, &chosen));
    let mut recount = Recount { results: &results, chosen, threads, recounted: Vec::new() };
    let ended = passes.iter().try_for_each(|pass| recount.count(pass, streams));
    let ended = exit::with_remains(ended, "the verdict covers the units that were counted before");
    counting.note_given_back(streams);
    let agreement = recount.agreement(ended.is_ok());
    // An audit that has found a wrong unit needs no advice on how to find one.
    let sound = sound.and_then(|_| if agreement.wrong == 0 { results.check_sanity() } else { results.check_sum() });
    let written = if args.run.json {
        streams.json(recount.json(&agreement))
    } else if agreement.wrong == 0 {
        writeln!(streams.out, "{}", recount.in_words(&agreement))
    } else {
        // The verdict says so.
        Ok(())
    };
    // A wrong count decides the exit status, then an unsound run, then an interruption.
    let verdict = exit::settle(exit::settle(recount.verdict(&agreement), sound), ended);
    exit::settle(verdict, written)
}

impl Args {
    /// Returns whether `--by` allows a contributor's units.
    fn allows(&self, by: &Contributor) -> bool {
        self.by.as_ref().is_none_or(|name| *name == by.machine)
    }
}

/// Returns the best instruction set of this machine that was used for none of the allowed units, if there is one.
fn unused_isa(results: &Results<'_>, solver: &dyn Solver, args: &Args) -> Option<Isa> {
    let contributions = results.contributions();
    let is_used = |isa: &Isa| contributions.iter().any(|one| args.allows(&one.by) && one.by.isa == isa.name());
    solver.instruction_sets().iter().copied().rfind(|isa| isa.is_available() && !is_used(isa))
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
struct Recount<'a> {
    results: &'a Verified<'a>,
    chosen: Chosen<'a>,
    threads: usize,
    /// The results of all passes, so a unit may occur several times.
    recounted: Vec<Recounted<'a>>,
}

impl Recount<'_> {
    /// Counts the units of a pass, and reports each unit that differs.
    fn count(&mut self, pass: &Pass, streams: &Streams<'_>) -> anyhow::Result<()> {
        let time_left = TimeLeft::of_units(&*pass.plan, &pass.units, pass.seconds, self.threads);
        let task = Task::new(&pass.code, streams)?;
        let before = self.recounted.len();
        let counted = task.run(time_left, |cancel, progress| {
            let count = pass.plan.count().units(pass.units.iter().copied()).threads(self.threads);
            count.cancelled_by(cancel).progress(progress).for_each(|unit, tally| {
                let CountedUnit { count: logged, by: Contributor { machine, isa, .. }, .. } = self.chosen.unit(unit);
                let (name, shard) = (pass.plan.name(unit), self.results.run_plan().shard_of(unit));
                let count = tally.solutions;
                let code = pass.code.clone();
                if count != logged {
                    complain(format_args!(
                        "unit {unit} ({name}) of shard {shard} is {count} by {code}, but {machine} logged {logged} by {isa}"
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
        let bound = || fewer_wrong(self.chosen.from, agree, self.chosen.contributors());
        Agreement { agree, wrong, fewer_wrong: (is_complete && wrong == 0).then(bound) }
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
    fn in_words(&self, agreement: &Agreement) -> String {
        let counted = agreement.agree;
        let verdict = match counted {
            0 => "",
            1 => ": it agrees",
            _ => ": all agree",
        };
        let Some(bound) = agreement.fewer_wrong else {
            return format!(
                "{counted} of {} counted again so far{verdict}",
                plural(self.chosen.units.len(), "chosen unit")
            );
        };
        let from = self.chosen.from;
        let proof = match bound {
            _ if counted == from => String::new(),
            // Nobody doubts the units that were counted again.
            _ if bound > from - counted => "; too few to say how many may be wrong: give a larger --sample".to_owned(),
            1 => format!("; with 95 % confidence, none of the {from} is wrong"),
            _ => format!("; with 95 % confidence, fewer than {bound} of the {from} are wrong"),
        };
        format!("{counted} of {} counted again{verdict}{proof}", plural(from, "unit"))
    }

    /// Fails if units differ.
    fn verdict(&self, agreement: &Agreement) -> anyhow::Result<()> {
        let Some(first) = self.recounted.iter().find(|one| one.count != one.logged) else { return Ok(()) };
        let (wrong, have) = (agreement.wrong, if agreement.wrong == 1 { "has" } else { "have" });
        let remedy = self.results.remedy(self.results.run_plan().shard_of(first.unit));
        let remedy = if self.results.disputed.is_empty() {
            format!("; if this machine passes, {remedy}")
        } else {
            // The message on the disputed shard has said so.
            String::new()
        };
        let units = plural(self.chosen.units.len(), "unit");
        let run = self.results.folders_in_shell();
        Err(exit::Kind::Wrong.error(format!(
            "{wrong} of {units} of {run} {have} a different count here: run 'nqueens verify' here and on the machines \
             that logged them{remedy}"
        )))
    }
}

/// Returns in words what the logs say: size, solver, count, number of units, and contributors.
fn about_run(results: &Verified<'_>) -> String {
    let run = results.folders_in_shell();
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
            format!(
                "the logs of {run} contain {} of {units} of {count}, counted by {by}",
                results.counted_units().count()
            )
        }
    }
}

/// Returns in words what is counted again.
fn about_passes(passes: &[Pass], chosen: &Chosen<'_>) -> String {
    let pass_in_words = |pass: &Pass| format!("{} with {}", plural(pass.units.len(), "unit"), pass.code);
    let passes = passes.iter().map(pass_in_words).collect::<Vec<_>>().join(", ");
    format!("counting again {passes}; --seed {} chooses the same units again", chosen.seed)
}
