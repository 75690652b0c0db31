//! `nqueens count N --dir RUN`: counts in shards that are saved in a folder, until none is missing or time is up.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nqueens::Counter;

use super::super::options::{length_of_time, machine, plain_path};
use super::super::resources::Resources;
use super::{Args, CountLine};
use crate::exit::{Exit, Fault};
use crate::forecast::CountForecast;
use crate::machine::facts;
use crate::run::{self, Contributor, Done, Order, RunFolder, RunPlan, Stops, Workers, core_seconds};
use crate::terminal::Streams;
use crate::terminal::signals;
use crate::terminal::units::plural;
use crate::version;

/// The folder of a long count, and how this process works on it.
#[derive(Debug, clap::Args)]
pub(crate) struct Saved {
    /// Counts in shards (parts) and saves each in this folder. Type the same line again, or on other machines, to join
    #[arg(long, value_name = "RUN", value_parser = plain_path(), conflicts_with = "what")]
    pub(super) dir: Option<PathBuf>,
    /// Joins a run that is there, and plans none: for machines on which the folder may be missing
    #[arg(long, requires = "dir")]
    join: bool,
    /// Counts only these shards, numbered from 0, such as 0..=99 or 5
    #[arg(long, value_name = "A..=B", value_parser = shards, requires = "dir")]
    only: Option<RangeInclusive<usize>>,
    /// Stops after TIME, such as 90s, 30m or 1h, with exit status 75. 0s only plans the run
    #[arg(long = "for", value_name = "TIME", value_parser = for_time, requires = "dir")]
    for_time: Option<Duration>,
    /// Number of shards of a new run. Default: enough that each takes about six minutes or less on one core
    #[arg(long, value_name = "K", requires = "dir")]
    shards: Option<usize>,
    /// Name of this machine in results. Default: NQUEENS_MACHINE, or the host name
    #[arg(long, value_name = "NAME", value_parser = machine::name, requires = "dir")]
    machine: Option<String>,
}

/// The time of `--for`. A run that is only planned takes none.
fn for_time(text: &str) -> Result<Duration, String> {
    if ["0", "0s"].contains(&text) { Ok(Duration::ZERO) } else { length_of_time(text) }
}

/// A range of shards, as typed.
fn shards(text: &str) -> Result<RangeInclusive<usize>, String> {
    let (first, last) = text.split_once("..=").unwrap_or((text, text));
    match (first.parse(), last.parse()) {
        (Ok(first), Ok(last)) if first <= last => Ok(first..=last),
        _ => Err(format!("'{text}' is not a range of shards: give the first and the last, such as '0..=99'")),
    }
}

/// Plans or joins the run in the folder, and counts its missing shards. Prints the count when all shards are there.
pub(super) fn count(
    args: &Args,
    counter: &Counter,
    dir: &Path,
    resources: &Resources,
    streams: &mut Streams<'_>,
) -> anyhow::Result<Exit> {
    let start = Instant::now();
    let saved = &args.saved;
    let machine = saved.machine.clone().map_or_else(machine::here, Ok)?;
    let size = counter.size();
    // Without a name it is the default solver of plans, and with cards it is theirs.
    let is_chosen = args.how.solver != "auto" || resources.has_cards();
    let solver = if is_chosen { Some(counter.choice()?.solver) } else { None };
    signals::catch()?;
    let stops = Stops { deadline: saved.for_time.map(|time| start + time) };
    let (folder, is_new) = &stops.retry_at_start(|| RunFolder::join(dir, size, solver, saved.shards, saved.join))?;
    if saved.for_time.is_some_and(|time| time.is_zero()) {
        let done = if *is_new { "planned" } else { "found" };
        streams.note(format_args!("{done} {} in {}; --for 0s counts nothing", folder.plan.in_words(), dir.display()));
        return Ok(Exit::Fine);
    }
    let last = folder.plan.shards() - 1;
    let only = saved.only.clone().unwrap_or(0..=last);
    if *only.end() > last {
        return Err(Fault::Usage.error(format!("there is no shard {}: the last is {last}", only.end())));
    }
    let selected: Vec<usize> = only.collect();
    let number = selected.len();
    let order = Order { folder, is_new: *is_new, selected, stops };
    let Done { mut results, known, counted, left, is_held, threads } =
        run::count(&order, || workers(&folder.plan, dir, resources, machine, streams), streams)?;
    let mut done = format!("{} counted and saved, {known} there before", plural(counted, "shard"));
    // A shard whose line was damaged meanwhile is counted twice, and some where locks do not work.
    let others = number.saturating_sub(known + counted + left);
    if others > 0 {
        done += &format!(", {others} counted by others meanwhile");
    }
    if signals::caught().is_some() {
        return Err(
            Fault::Failure.error(format!("n = {size}: stopped: {done}; start the same command again to continue"))
        );
    }
    if left > 0 {
        let left = plural(left, "shard");
        let way_out = match counted {
            _ if is_held => "other processes count them: 'nqueens status' names them. End one that hangs",
            0 => "no shard was finished in that time: give a longer --for, or more --shards in a new folder",
            _ => "start the same command again to continue",
        };
        return Err(Fault::TimeUp.error(format!("n = {size}: time is up: {done}, {left} left; {way_out}")));
    }
    streams.note(&done);
    resources.note(streams);
    if number <= last {
        return Ok(Exit::Fine);
    }
    results.check_units(dir)?;
    results.refuse_faults("there is no count")?;
    let (machines, total) = (results.machines(), results.total()?);
    let line = CountLine {
        size,
        solutions: total.solutions,
        work: total.work,
        solver: results.plan.cut.solver.clone().into(),
        isa: machines.first().map_or(String::new(), |busiest| busiest.by.isa.clone()),
        threads,
        units: results.plan.cut.units,
        core_seconds: Some(core_seconds(&machines)),
        machines,
        cards: Vec::new(),
    };
    let layout = CountLine::layout(args, &[size], streams)?;
    super::show(size, &line, start.elapsed().as_secs_f64(), &layout, streams)?;
    Ok(Exit::Fine)
}

/// What counts the units of the run, and the number of threads, which fits the memory. Notes what is counted, and how.
fn workers(
    plan: &RunPlan,
    dir: &Path,
    resources: &Resources,
    machine: String,
    streams: &Streams<'_>,
) -> anyhow::Result<Workers> {
    let solver = plan.cut.solver()?;
    let isa = resources.best_isa(solver);
    let units = resources.take_over(plan.cut.plan(isa, dir)?, plan.size(), isa)?;
    let (counter, on) = resources.fit(resources.counter(plan.size(), solver.name())?)?;
    let threads = counter.threads_used()?;
    streams.note(format_args!("counting {} with {} {on}", plan.in_words(), resources.code(isa)));
    let by = Contributor {
        machine,
        cpu: facts().cpu_model,
        isa: resources.in_records(isa),
        program: version::LONG.to_owned(),
    };
    let forecast = CountForecast::new(solver, plan.size(), isa, threads);
    Ok(Workers { units, by, pool: resources.pool_of(threads), threads, forecast, is_timed: !resources.has_cards() })
}
