//! `nqueens count N --dir RUN`: counts in shards that are saved in a folder, until none is missing or time is up.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::slice::from_ref;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use nqueens::board::Size;
use nqueens::solver::{Isa, Plan, Solver};
use nqueens::{CancelToken, Counter};

use super::super::options::{length_of_time, machine, plain_path};
use super::super::resources::Resources;
use super::{Args, CountLine};
use crate::exit::{Exit, Fault};
use crate::forecast::{CountForecast, range};
use crate::machine::facts;
use crate::run::{Contributor, Done, Log, Results, RunFolder, RunPlan, Stop, Walk, core_seconds};
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

/// A run that this process has joined.
struct Joined {
    folder: RunFolder,
    /// Whether this process planned it.
    is_new: bool,
    /// Its units, with the code of an instruction set.
    units: Box<dyn Plan>,
    isa: Isa,
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
    // Without a name it is the default solver of plans, and with cards it is theirs.
    let is_chosen = args.how.solver != "auto" || resources.has_cards();
    let solver = if is_chosen { Some(counter.choice()?.solver) } else { None };
    signals::catch()?;
    let only_plans = saved.for_time.is_some_and(|time| time.is_zero());
    let stop = Stop { deadline: saved.for_time.filter(|_| !only_plans).map(|time| start + time) };
    let joined = stop.retry_at_start(|| saved.join(counter.size(), solver, dir, resources))?;
    let Joined { folder, is_new, .. } = &joined;
    if only_plans {
        let done = if *is_new { "planned" } else { "found" };
        streams.note(format_args!("{done} {} in {}; --for 0s counts nothing", folder.plan.in_words(), dir.display()));
        return Ok(Exit::Fine);
    }
    let selected = saved.selected(&folder.plan)?;
    let mut results = stop.retry(|| Results::read(from_ref(folder)))?;
    let known = selected.iter().filter(|&&shard| results.has(shard)).count();
    streams.note(begun(&joined, selected.len(), known));
    results.note_damage(streams);
    let mut done = Done::default();
    if known < selected.len() {
        let walk = begin(&joined, stop, machine, results, resources, streams)?;
        let seconds = walk.seconds_of(&walk.missing(&selected));
        // Nobody has timed a card.
        if seconds >= 1.0 && !resources.has_cards() {
            let (time, trust) = (range(seconds), walk.forecast.trust());
            streams.note(format_args!("the missing shards take {time} on this machine alone{trust}"));
        }
        done = walk.count(&selected, streams)?;
        results = walk.results.into_inner().unwrap_or_else(PoisonError::into_inner);
    }
    streams.note(ended(folder, &results, &selected, known, done.shards)?);
    resources.note(streams);
    if selected.len() < folder.plan.shards() {
        // Other shards may be damaged. A wrong one was counted twice.
        return if results.wrong.is_empty() {
            Ok(Exit::Fine)
        } else {
            results.refuse_faults("there is no count").map(|()| Exit::Fine)
        };
    }
    results.check_weights(&*joined.units);
    results.refuse_faults("there is no count")?;
    let (machines, total) = (results.machines(), results.total()?);
    let line = CountLine {
        size: counter.size(),
        solutions: total.solutions,
        work: total.work,
        solver: results.plan.cut.solver.clone().into(),
        isa: machines.first().map_or(String::new(), |busiest| busiest.by.isa.clone()),
        threads: done.threads,
        units: results.plan.cut.units,
        core_seconds: Some(core_seconds(&machines)),
        machines,
        cards: Vec::new(),
    };
    let layout = CountLine::layout(args, &[line.size], streams)?;
    super::show(line.size, &line, start.elapsed().as_secs_f64(), &layout, streams)?;
    Ok(Exit::Fine)
}

impl Saved {
    /// The shards to count, in order.
    fn selected(&self, plan: &RunPlan) -> anyhow::Result<Vec<usize>> {
        let last = plan.shards() - 1;
        let only = self.only.clone().unwrap_or(0..=last);
        if *only.end() > last {
            return Err(Fault::Usage.error(format!("there is no shard {}: the last is {last}", only.end())));
        }
        Ok(only.collect())
    }

    /// Opens the run in the folder, or plans it there if the folder is new or empty. The board is planned once.
    fn join(
        &self,
        size: Size,
        chosen: Option<&dyn Solver>,
        dir: &Path,
        resources: &Resources,
    ) -> anyhow::Result<Joined> {
        let wanted = |folder: RunFolder| folder.check_is_of(size, chosen, self.shards).map(|()| folder);
        let there = RunFolder::find(dir)?.map(wanted).transpose()?;
        let solver = match &there {
            Some(folder) => folder.plan.cut.solver()?,
            None if self.join => {
                return Err(Fault::Failure.error(format!(
                    "there is no run in {} to join; is its file system mounted? Without --join, a new run is planned there",
                    dir.display()
                )));
            }
            None => chosen.unwrap_or_else(|| RunPlan::default_solver(size)),
        };
        let isa = resources.best_isa(solver);
        let units = resources.counts_with(solver)?.plan(size, isa, &CancelToken::new())?;
        let (folder, is_new) = match there {
            Some(folder) => (folder, false),
            None => {
                let plan = RunPlan::of(size, solver, &*units, self.shards)?;
                // What is refused leaves nothing behind.
                self.selected(&plan)?;
                RunFolder::create(dir, &plan)?
            }
        };
        // Another process may have planned it first.
        let folder = wanted(folder)?;
        folder.plan.cut.check(&*units, dir)?;
        Ok(Joined { folder, is_new, units, isa })
    }
}

/// Says whether this process planned the run or joined it, of whose selected shards some are known.
fn begun(joined: &Joined, selected: usize, known: usize) -> String {
    let RunFolder { path, plan } = &joined.folder;
    let (place, shards) = (path.display(), plan.shards());
    if joined.is_new {
        return format!("planned a new run in {place}: {}", plural(shards, "shard"));
    }
    let of = if selected < shards { " of --only" } else { "" };
    format!("joined {place}, {known} of {}{of} done", plural(selected, "shard"))
}

/// Begins to count: with as many threads as fit the memory, and a log of this process. Notes what counts.
fn begin<'a>(
    joined: &'a Joined,
    stop: Stop,
    machine: String,
    results: Results,
    resources: &Resources,
    streams: &Streams<'_>,
) -> anyhow::Result<Walk<'a>> {
    let Joined { folder, units, isa, .. } = joined;
    let (plan, solver) = (&folder.plan, folder.plan.cut.solver()?);
    let (counter, on) = resources.fit(resources.counter(plan.size(), solver.name())?)?;
    let threads = counter.threads_used()?;
    streams.note(format_args!("counting {} with {} {on}", plan.in_words(), resources.code(*isa)));
    let by = Contributor {
        machine,
        cpu: facts().cpu_model,
        isa: resources.in_records(*isa),
        program: version::LONG.to_owned(),
    };
    let log = stop.retry_at_start(|| {
        folder.make_folders()?;
        Log::begin(&folder.logs(), &by.machine)
    })?;
    Ok(Walk {
        folder,
        units: &**units,
        by,
        threads,
        forecast: CountForecast::new(solver, plan.size(), *isa, threads),
        stop,
        results: Mutex::new(results),
        log: Mutex::new(log),
    })
}

/// Says what was done. Fails after a stop that left shards.
fn ended(
    folder: &RunFolder,
    results: &Results,
    selected: &[usize],
    known: usize,
    counted: usize,
) -> anyhow::Result<String> {
    let size = folder.plan.size();
    let left: Vec<usize> = selected.iter().copied().filter(|&shard| !results.has(shard)).collect();
    let mut done = format!("{} counted and saved, {known} there before", plural(counted, "shard"));
    // Where locks do not work, some shards are counted twice.
    let others = selected.len().saturating_sub(known + counted + left.len());
    if others > 0 {
        done += &format!(", {others} counted by others meanwhile");
    }
    if signals::caught().is_some() {
        return Err(
            Fault::Failure.error(format!("n = {size}: stopped: {done}; start the same command again to continue"))
        );
    }
    if left.is_empty() {
        return Ok(done);
    }
    let held: Vec<usize> = folder.held().unwrap_or_default().into_iter().map(|claim| claim.shard).collect();
    let way_out = match counted {
        _ if left.iter().all(|shard| held.contains(shard)) => {
            "other processes count them: 'nqueens status' names them. End one that hangs"
        }
        0 => "no shard was finished in that time: give a longer --for, or more --shards in a new folder",
        _ => "start the same command again to continue",
    };
    let left = plural(left.len(), "shard");
    Err(Fault::TimeUp.error(format!("n = {size}: time is up: {done}, {left} left; {way_out}")))
}
