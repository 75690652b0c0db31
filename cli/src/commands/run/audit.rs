//! `nqueens run audit`: counts units again.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use nqueens::board::Size;
use nqueens::engine;
use nqueens::solver::{Isa, Plan, Solver};
use nqueens::{CancelToken, registry};
use serde::Serialize;

use super::super::options::{DEVICE, ResourceOptions, Resources};
use super::{Folders, read_all, refuse_faults};
use crate::exit::{Exit, Fault};
use crate::machine::calibration;
use crate::run::{Contribution, CountedUnit, Results, fewer_wrong, sample};
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
  nqueens run audit n24 --sample 50                counts 50 units of a run again
  nqueens run audit n24 --image                    counts mirror images of 20 units
  nqueens run audit n24 --by node17 --sample 1000  counts 1000 of one machine's units again")]
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
    #[arg(long, conflicts_with_all = DEVICE)]
    image: bool,
    /// Seed of the random choice of units. Default: a new choice each time
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    #[command(flatten)]
    resources: ResourceOptions,
}

/// What an audit found, as `--json` prints it.
#[derive(Serialize)]
struct Audit<'a> {
    schema: u32,
    size: Size,
    solver: &'a str,
    fingerprint: &'a str,
    /// The number of solutions that the run claims; `null` if shards are missing.
    solutions: Option<String>,
    /// Number of units of the run, and of those that are counted.
    units: usize,
    units_counted: usize,
    /// Who counted them.
    machines: Vec<Contribution>,
    /// What counted again.
    code: String,
    seed: u64,
    /// The units that were counted again.
    sample: Vec<Again<'a>>,
    /// Number of them that agree.
    agree: usize,
    /// With 95 % confidence, fewer units than this are wrong. `null` unless all that were chosen agree.
    fewer_wrong: Option<usize>,
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
    let pool = resources.pool();
    let results = read_all(&args.run.paths, streams)?;
    // An error that is known before any unit is counted again. Units are counted all the same: they tell which machine
    // counts wrong.
    let trouble = refuse_faults(&results, "not every unit could be chosen", streams)
        .and_then(|()| if results.missing().is_empty() { results.total().map(drop) } else { results.check_part() })
        .err();
    let (what, size, solver) = (args.run.paths[0].display(), results.plan.size(), results.plan.cut.solver()?);
    signals::catch()?;
    let counted = results.counted_units(args.by.as_deref());
    let all = counted.len();
    if all == 0 {
        let by = args.by.as_ref().map_or(String::new(), |machine| format!(" by '{machine}'"));
        return Err(Fault::Failure.error(format!("{what} has no counted unit{by}: there is nothing to audit")));
    }
    let seed = args.seed.unwrap_or_else(crate::machine::random);
    let chosen = sample(counted, args.sample, seed);
    // In order: neighboring units share memory.
    let chosen: BTreeMap<usize, CountedUnit<'_>> = chosen.into_iter().map(|counted| (counted.unit, counted)).collect();
    let number_by = |isa: Isa| chosen.values().filter(|counted| counted.by.isa == isa.name()).count();
    let code = Code::choose(args.image, &resources, (solver, size), |isa| number_by(isa) > 0)?;
    let same = match code.isa.map_or(0, number_by) {
        0 => String::new(),
        same => format!(", which counted {same} of them before"),
    };
    streams.note(claim(&results, &what.to_string()));
    streams.note(format_args!(
        "counting {} again with {}{same}; --seed {seed} chooses the same units again",
        plural(chosen.len(), "unit"),
        code.name,
    ));
    let units: Vec<usize> = chosen.keys().copied().collect();
    let threads = pool.threads()?;
    let seconds_per_cost = calibration::seconds_per_cost(&*code.plan, solver, size, code.forecast, threads);
    let forecast = Forecast::of_units(&*code.plan, &units, seconds_per_cost, threads);
    let mut again = Vec::new();
    // The verdict covers the units that were counted before an interruption.
    let ended =
        Task::new(&format!("n = {size}, {}", code.name), streams).map_err(anyhow::Error::from).and_then(|task| {
            task.run(forecast, |cancel, progress| {
                engine::for_each(&*code.plan, &units, pool, cancel, progress, |unit, tally| {
                    let (CountedUnit { count: claimed, by, .. }, count) = (chosen[&unit], tally.solutions);
                    let name = code.plan.name(unit);
                    again.push(Again { unit, name, claimed, count, machine: &by.machine, isa: &by.isa });
                    Ok(())
                })
            })
        });
    resources.note(streams);
    let wrong: Vec<&Again<'_>> = again.iter().filter(|again| again.count != again.claimed).collect();
    let agree = again.len() - wrong.len();
    for Again { unit, name, claimed, count, machine, isa } in &wrong {
        streams.complain(format_args!(
            "unit {unit} ({name}) is {count} with {}, and not {claimed}, as {machine} counted with {isa}",
            code.name
        ));
    }
    let differs = (!wrong.is_empty()).then(|| {
        Fault::Wrong.error(format!(
            "{} of {} of {what} {} another count here: run 'nqueens verify' on each machine",
            wrong.len(),
            plural(chosen.len(), "unit"),
            if wrong.len() == 1 { "has" } else { "have" },
        ))
    });
    let machines: HashSet<_> = chosen.values().map(|counted| (&counted.by.machine, &counted.by.isa)).collect();
    let fewer = (agree == chosen.len()).then(|| fewer_wrong(all, agree, machines.len()));
    let written = if args.run.json {
        let (cut, solutions) = (&results.plan.cut, results.claimed());
        streams.json(&Audit {
            schema: 1,
            size,
            solver: &cut.solver,
            fingerprint: &cut.fingerprint,
            solutions: solutions.map(|solutions| solutions.to_string()),
            units: cut.units,
            units_counted: results.units_counted(),
            machines: results.machines(),
            code: code.name,
            seed,
            sample: again,
            agree,
            fewer_wrong: fewer,
        })
    } else if differs.is_some() {
        Ok(())
    } else if let Some(fewer) = fewer {
        let agree = part_of(agree, all, "unit", ["agrees", "agree"]);
        let proves = format!("; with 95 % confidence, fewer than {fewer} of the {all} are wrong");
        writeln!(streams.out, "{agree}{}", if chosen.len() == all { "" } else { &proves })
    } else {
        writeln!(streams.out, "{}", part_of(agree, chosen.len(), "chosen unit", ["agrees so far", "agree so far"]))
    };
    let done = differs.map_or(ended, Err).and_then(|()| trouble.map_or(Ok(Exit::Fine), Err));
    settle(done, written.map_err(anyhow::Error::from))
}

/// What a run claims, in words: its size, its count, its units and who counted them.
fn claim(results: &Results, what: &str) -> String {
    /// The most machines that are named.
    const NAMED: usize = 4;
    let (cut, size, units) = (&results.plan.cut, results.plan.size(), plural(results.plan.cut.units, "unit"));
    let by = results.machines().into_iter().map(|Contribution { by, .. }| format!("{} ({})", by.machine, by.isa));
    let by: Vec<String> = by.collect::<BTreeSet<_>>().into_iter().collect();
    let more = if by.len() > NAMED { format!(" and {} more", by.len() - NAMED) } else { String::new() };
    let by = by[..by.len().min(NAMED)].join(", ") + &more;
    match results.claimed() {
        Some(solutions) => {
            format!("{what} claims {solutions} solutions for n = {size}: {units} of {}, counted by {by}", cut.solver)
        }
        None => {
            let counted = results.units_counted();
            format!("{what} has {counted} of {units} of {} for n = {size}, counted by {by}", cut.solver)
        }
    }
}

/// The code that counts the units again.
struct Code {
    /// Its name for people.
    name: String,
    /// The instruction set; `None` for graphics cards.
    isa: Option<Isa>,
    /// The instruction set whose speed forecasts the time. Nobody has timed a card.
    forecast: Isa,
    plan: Box<dyn Plan>,
}

impl Code {
    /// Graphics cards, or the solver itself. It counts with the instruction set asked for, or the fastest that counted
    /// none of the units, or else the fastest.
    fn choose(
        is_image: bool,
        resources: &Resources,
        (solver, size): (&dyn Solver, Size),
        is_used: impl Fn(Isa) -> bool,
    ) -> anyhow::Result<Self> {
        let mut available = solver.instruction_sets().iter().copied().filter(|isa| isa.is_available());
        let unused = available.rfind(|&isa| !is_used(isa));
        let isa = registry::best_isa(solver, resources.only_isa().or(unused).unwrap_or_else(registry::machine_isa));
        let units = solver.plan(size, isa, &CancelToken::new())?;
        let (kind, plan) = if is_image {
            let image = units.image().ok_or_else(|| {
                Fault::Usage.error(format!(
                    "--image counts units of color, but these are units of {}: leave out --image, or check that solver \
                     with 'nqueens verify'",
                    solver.name()
                ))
            })?;
            (", mirror images", image)
        } else {
            ("", resources.take_over(units, size, isa)?)
        };
        let name = format!("{} ({}{kind})", solver.name(), resources.code(isa));
        Ok(Self { name, isa: (!resources.has_cards()).then_some(isa), forecast: isa, plan })
    }
}

/// A number of units, as typed.
fn units(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("0 units verify nothing: give a number from 1".to_owned()),
        Ok(units) => Ok(units),
        Err(_) => Err(format!("'{text}' is not a number of units: give one from 1, such as 50")),
    }
}
