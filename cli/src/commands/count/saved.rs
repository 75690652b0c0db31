//! `nqueens count N --dir RUN`: counts in shards that are saved in a folder, until none is missing or time is up.

use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};
use std::slice::from_ref;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::bail;
use nqueens::Counter;
use nqueens::board::Size;
use nqueens::solver::{Plan, Solver};
use serde_json::json;

use super::super::counting::Counting;
use super::super::options::{self, length_of_time, machine, plain_path};
use super::Args;
use crate::exit;
use crate::forecast::{CountForecast, range};
use crate::machine::facts;
use crate::run::{Contributor, Line, Log, Results, RunFolder, RunPlan, Stop, Walk};
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
    #[arg(long, value_name = "K", value_parser = options::number::<usize>(1..), allow_negative_numbers = true, requires = "dir")]
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
    options::range(text).ok_or_else(|| "give the first and the last, such as 0..=99".to_owned())
}

/// A run that this process has joined.
struct Joined {
    folder: RunFolder,
    /// Whether this process planned it.
    is_new: bool,
    /// Its units, with the code that counts them.
    units: Box<dyn Plan>,
}

/// Plans or joins the run in the folder, and counts its missing shards. Prints the count when all shards are there.
pub(super) fn count(
    args: &Args,
    counter: &Counter,
    dir: &Path,
    counting: &Counting,
    streams: &mut Streams<'_>,
) -> anyhow::Result<()> {
    let start = Instant::now();
    let saved = &args.saved;
    let machine = saved.machine.clone().map_or_else(machine::here, Ok)?;
    // Without a name it is the default solver of plans, and with cards it is theirs.
    let is_chosen = args.solver != "auto" || counting.cards.is_some();
    let solver = if is_chosen { Some(counter.choice()?.solver) } else { None };
    signals::catch()?;
    let deadline = saved.for_time.filter(|time| !time.is_zero()).map(|time| start + time);
    let stop = Stop { deadline, ..Stop::default() };
    let joined = stop.retry_at_start(|| saved.join(counter.size(), solver, dir, counting))?;
    let (plan, shards) = (&joined.folder.plan, joined.folder.plan.shards());
    let selected = saved.selected(plan)?;
    let mut results = stop.retry_at_start(|| Results::read(from_ref(&joined.folder)))?;
    let missing = results.missing_of(selected.clone());
    let known = selected.len() - missing.len();
    if joined.is_new {
        streams.note(format_args!("planned a new run in {}: {}", dir.display(), plural(shards, "shard")));
    } else {
        let of = if selected.len() < shards { " of --only" } else { "" };
        let all = plural(selected.len(), "shard");
        streams.note(format_args!("joined {}, {known} of {all}{of} done", dir.display()));
    }
    if saved.for_time == Some(Duration::ZERO) {
        return Ok(());
    }
    results.note_damage(streams);
    results.audit_advice().iter().for_each(|advice| streams.note(advice));
    let mut counted = 0;
    if !missing.is_empty() {
        let walk = begin(&joined, stop, machine, results, counting, streams)?;
        let seconds = walk.seconds_of(&missing);
        // Nobody has timed a card.
        if seconds >= 1.0 && counting.cards.is_none() {
            let (time, trust) = (range(seconds), walk.forecast.trust());
            streams.note(format_args!("the missing shards take {time} on this machine alone{trust}"));
        }
        counted = walk.count(selected.clone(), streams)?;
        results = walk.results.into_inner().unwrap_or_else(PoisonError::into_inner);
    }
    let left = results.missing_of(selected.clone()).len();
    let mut done = format!("{} counted and saved, {known} there before", plural(counted, "shard"));
    // Where locks do not work, some shards are counted twice.
    let others = missing.len().saturating_sub(counted + left);
    if others > 0 {
        done += &format!(", {others} counted by others meanwhile");
    }
    if left > 0 {
        let (size, left) = (counter.size(), plural(left, "shard"));
        let (kind, why, with) = match signals::caught() {
            Some(_) => (exit::Kind::Failure, "stopped", ""),
            None => (exit::Kind::TimeUp, "time is up", ", with a longer --for if it finishes no shard"),
        };
        let again = "start the same command again to continue";
        return Err(kind.error(format!("n = {size}: {why}: {done}, {left} left; {again}{with}")));
    }
    streams.note(done);
    counting.note(streams);
    if selected.len() < shards {
        // Shards of others may be damaged. A wrong one was counted twice.
        return if results.wrong.is_empty() { Ok(()) } else { results.refuse_problems("there is no count") };
    }
    results.check_weights(&*joined.units);
    print(args, &results, start, counting, streams)
}

/// Prints the count of a run that is complete and sound.
fn print(
    args: &Args,
    results: &Results,
    start: Instant,
    counting: &Counting,
    streams: &mut Streams<'_>,
) -> anyhow::Result<()> {
    results.refuse_problems("there is no count")?;
    let (machines, total, size) = (results.machines(), results.total()?, results.plan.size);
    if args.nodes && machines.iter().any(|machine| machine.by.isa.starts_with("gpu")) {
        let problem = "graphics cards counted shards of this run, and they count no nodes: leave out --nodes";
        return Err(exit::Kind::Usage.error(problem));
    }
    let mut line = results.json(&total);
    line["isa"] = json!(machines.first().map(|busiest| &busiest.by.isa));
    line["threads"] = json!(counting.threads());
    let layout = super::layout(args, &[size], streams)?;
    super::show(size, line, start.elapsed().as_secs_f64(), &layout, streams)
}

impl Saved {
    /// The shards to count, in order.
    fn selected(&self, plan: &RunPlan) -> anyhow::Result<Range<usize>> {
        let shards = plan.shards();
        match &self.only {
            Some(only) if *only.end() >= shards => {
                Err(exit::Kind::Usage.error(format!("there is no shard {}: the last is {}", only.end(), shards - 1)))
            }
            Some(only) => Ok(*only.start()..only.end() + 1),
            None => Ok(0..shards),
        }
    }

    /// Opens the run in the folder, or plans it there if the folder is new or empty. The board is planned once.
    fn join(&self, size: Size, chosen: Option<&dyn Solver>, dir: &Path, counting: &Counting) -> anyhow::Result<Joined> {
        let wanted = |folder: RunFolder| folder.check_is_of(size, chosen, self.shards).map(|()| folder);
        let there = RunFolder::find(dir)?.map(wanted).transpose()?;
        let solver = match &there {
            Some(folder) => folder.plan.solver()?,
            None if self.join => {
                bail!(
                    "there is no run in {} to join; is its file system mounted? Without --join, a new run is planned there",
                    dir.display()
                );
            }
            None => chosen.unwrap_or_else(|| RunPlan::default_solver(size)),
        };
        let units = counting.code(solver, None)?.plan(size)?;
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
        folder.plan.check_units(&*units, dir)?;
        Ok(Joined { folder, is_new, units })
    }
}

/// Begins to count: with as many threads as fit the memory, and a log of this process. Notes what counts.
fn begin<'a>(
    joined: &'a Joined,
    stop: Stop,
    machine: String,
    results: Results,
    counting: &Counting,
    streams: &Streams<'_>,
) -> anyhow::Result<Walk<'a>> {
    let Joined { folder, units, .. } = joined;
    let (plan, solver) = (&folder.plan, folder.plan.solver()?);
    let code = counting.code(solver, None)?;
    let (counter, on) = counting.fit(counting.counter(plan.size, solver.name())?)?;
    let threads = counter.threads_used()?;
    streams.note(format_args!("counting {} with {} {on}", plan.in_words(), code.name()));
    let by = Contributor { machine, cpu: facts().cpu_model, isa: code.in_log(), program: version::LONG.to_owned() };
    let log = stop.retry_at_start(|| {
        folder.make_folders()?;
        Log::begin(&folder.logs(), &by.machine, Line::least_bytes(plan, &by))
    })?;
    Ok(Walk {
        folder,
        units: &**units,
        by,
        threads,
        forecast: CountForecast::new(solver, plan.size, code.isa, threads),
        stop,
        results: Mutex::new(results),
        log: Mutex::new(log),
    })
}
