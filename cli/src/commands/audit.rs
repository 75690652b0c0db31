//! `nqueens audit`: counts units again.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use nqueens::board::Size;
use nqueens::solver::{Isa, Plan, Solver};
use nqueens::{CancelToken, registry};
use serde::Serialize;
use serde_json::json;

use super::folders::{Folders, read_all};
use super::options::ResourceOptions;
use super::resources::Resources;
use crate::exit::{Exit, Fault};
use crate::forecast::CountForecast;
use crate::run::{CountedUnit, Results, fewer_wrong, sample};
use crate::terminal::escape::shortened;
use crate::terminal::task::Task;
use crate::terminal::time_left::Forecast;
use crate::terminal::units::{part_of, plural};
use crate::terminal::{Streams, settle, signals};

/// Counts a sample of a run again, with another instruction set, and compares
///
/// The run need not be complete. If this machine has vector instructions, it counts with others than the lines name. The
/// exit status is 3 if a unit differs.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens audit n24 --sample 50                counts 50 units of a run again
  nqueens audit n24 --image                    counts mirror images of 20 units
  nqueens audit n24 --by node17 --sample 1000  counts 1000 of one machine's units again")]
pub(crate) struct Args {
    #[command(flatten)]
    run: Folders,
    /// Number of units to count again, at least one of every machine and instruction set
    #[arg(long, value_name = "K", default_value = "20", value_parser = units, allow_negative_numbers = true)]
    sample: usize,
    /// Counts again only units that this machine counted
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// Counts the mirror image of each unit: other queens, whose count is equal. As fast as the unit
    #[arg(long, conflicts_with = "device")]
    image: bool,
    /// Seed of the random choice of units. Default: a new choice each time
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    #[command(flatten)]
    resources: ResourceOptions,
}

/// A unit that was counted again.
#[derive(Serialize)]
struct Again<'a> {
    unit: usize,
    /// Its definition.
    name: String,
    #[serde(serialize_with = "nqueens::internal::to_digits")]
    claimed: u128,
    #[serde(serialize_with = "nqueens::internal::to_digits")]
    count: u128,
    machine: &'a str,
    isa: &'a str,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let resources = args.resources.open()?;
    let threads = resources.number_of_threads();
    let results = read_all(&args.run.paths, streams)?;
    // After an error units are counted all the same: they tell which machine counts wrong.
    let sound = results.refuse_faults("this run is not sound").and_then(|()| results.check_sum());
    let (what, size, cut) = (args.run.paths[0].display(), results.plan.size(), &results.plan.cut);
    signals::catch()?;
    let is_wanted = |unit: &CountedUnit<'_>| args.by.as_ref().is_none_or(|by| *by == unit.by.machine);
    let counted: Vec<CountedUnit<'_>> = results.units().filter(is_wanted).collect();
    let all = counted.len();
    if all == 0 {
        let by = args.by.as_ref().map_or(String::new(), |machine| format!(" by '{machine}'"));
        return Err(Fault::Failure.error(format!("{what} has no counted unit{by}: there is nothing to audit")));
    }
    let seed = args.seed.unwrap_or_else(crate::machine::random);
    // In order: neighboring units share memory.
    let chosen: BTreeMap<usize, CountedUnit<'_>> =
        sample(counted, args.sample, seed).into_iter().map(|counted| (counted.unit, counted)).collect();
    let (units, number): (Vec<usize>, _) = (chosen.keys().copied().collect(), plural(chosen.len(), "unit"));
    let number_by = |isa: Isa| chosen.values().filter(|counted| counted.by.isa == isa.name()).count();
    let (code, isa, plan) = choose(args, &resources, (cut.solver()?, size), |isa| number_by(isa) > 0)?;
    let same = match number_by(isa) {
        same if same > 0 && !resources.has_cards() => format!(", which counted {same} of them before"),
        _ => String::new(),
    };
    streams.note(claim(&results, &what.to_string()));
    streams.note(format_args!("counting {number} again with {code}{same}; --seed {seed} chooses the same units again"));
    let whole = CountForecast::new(cut.solver()?, size, isa, threads).seconds();
    let forecast = Forecast::of_units(&*plan, &units, whole, threads);
    let mut again = Vec::new();
    let count = |task: Task| {
        task.run(forecast, |cancel, progress| {
            let count = plan.count().units(units.iter().copied()).threads(threads);
            count.cancelled_by(cancel).progress(progress).for_each(|unit, tally| {
                let (CountedUnit { count: claimed, by, .. }, count) = (chosen[&unit], tally.solutions);
                let name = plan.name(unit);
                again.push(Again { unit, name, claimed, count, machine: &by.machine, isa: &by.isa });
                Ok(())
            })
        })
    };
    // The verdict covers the units that were counted before an interruption.
    let label = format!("n = {size}, {code}");
    let ended = Task::new(&label, streams).map_err(anyhow::Error::from).and_then(count);
    resources.note(streams);
    let wrong: Vec<&Again<'_>> = again.iter().filter(|again| again.count != again.claimed).collect();
    for Again { unit, name, claimed, count, machine, isa } in &wrong {
        streams.complain(format_args!(
            "unit {unit} ({name}) is {count} with {code}, and not {claimed}, as {machine} counted with {isa}"
        ));
    }
    let (agree, wrong) = (again.len() - wrong.len(), wrong.len());
    let machines: HashSet<_> = chosen.values().map(|counted| (&counted.by.machine, &counted.by.isa)).collect();
    let fewer = (agree == chosen.len()).then(|| fewer_wrong(all, agree, machines.len()));
    let written = match fewer {
        _ if args.run.json => streams.json(&json!({
            "schema": 1,
            "size": size,
            "solver": cut.solver,
            "fingerprint": cut.fingerprint,
            "solutions": results.claimed().map(|solutions| solutions.to_string()),
            "units": cut.units,
            "units_counted": results.units().count(),
            "machines": results.machines(),
            "code": code,
            "seed": seed,
            "sample": again,
            "agree": agree,
            "fewer_wrong": fewer,
        })),
        _ if wrong > 0 => Ok(()),
        None => {
            let agree = part_of(agree, chosen.len(), "chosen unit", ["agrees so far", "agree so far"]);
            writeln!(streams.out, "{agree}")
        }
        Some(_) if chosen.len() == all => writeln!(streams.out, "{}", part_of(agree, all, "unit", ["agrees", "agree"])),
        Some(fewer) => writeln!(
            streams.out,
            "{}; with 95 % confidence, fewer than {fewer} of the {all} are wrong",
            part_of(agree, all, "unit", ["agrees", "agree"])
        ),
    };
    let done = if wrong > 0 {
        let have = if wrong == 1 { "has" } else { "have" };
        Err(Fault::Wrong.error(format!(
            "{wrong} of {number} of {what} {have} another count here: run 'nqueens verify' on each machine"
        )))
    } else {
        ended.and(sound).map(|_| Exit::Fine)
    };
    settle(done, written.map_err(anyhow::Error::from))
}

/// What a run claims, in words: its size, its count, its units and who counted them.
fn claim(results: &Results, what: &str) -> String {
    let (count, units) = (&results.plan.cut, plural(results.plan.cut.units, "unit"));
    let count = format!("n = {} with {}", count.size, count.solver);
    let machines = results.machines();
    let by: BTreeSet<String> = machines.iter().map(|one| format!("{} ({})", one.by.machine, one.by.isa)).collect();
    let by = shortened(&Vec::from_iter(by).join(", "), 200);
    let claim = match results.claimed() {
        Some(solutions) => format!("claims {solutions} solutions for {count}: {units}"),
        None => format!("has {} of {units} of {count}", results.units().count()),
    };
    format!("{what} {claim}, counted by {by}")
}

/// What counts the units again: its name for people, its instruction set, and the units. It is graphics cards or the
/// solver itself, with the instruction set asked for, or the fastest that counted none of the units, or else the fastest.
fn choose(
    args: &Args,
    resources: &Resources,
    (solver, size): (&dyn Solver, Size),
    is_used: impl Fn(Isa) -> bool,
) -> anyhow::Result<(String, Isa, Box<dyn Plan>)> {
    let mut available = solver.instruction_sets().iter().copied().filter(|isa| isa.is_available());
    let unused = available.rfind(|&isa| !is_used(isa));
    let isa = registry::best_isa(solver, resources.only_isa().or(unused).unwrap_or_else(registry::machine_isa));
    let units = resources.counts_with(solver)?.plan(size, isa, &CancelToken::new())?;
    let (kind, plan) = match args.image.then(|| units.image()) {
        Some(Some(image)) => (", mirror images", image),
        Some(None) => {
            return Err(Fault::Usage.error(format!(
                "--image counts units of color, but these are units of {}: leave out --image, or check that solver with \
                 'nqueens verify'",
                solver.name()
            )));
        }
        None => ("", units),
    };
    Ok((format!("{} ({}{kind})", solver.name(), resources.code(isa)), isa, plan))
}

/// A number of units, as typed.
fn units(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("0 units verify nothing: give a number from 1".to_owned()),
        Ok(units) => Ok(units),
        Err(_) => Err(format!("'{text}' is not a number of units: give one from 1, such as 50")),
    }
}
