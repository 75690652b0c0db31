//! `nqueens count N --dir RUN`: counts in shards that are saved in a folder, until none is missing or time is up.

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nqueens::Counter;
use nqueens::board::Size;
use nqueens::engine::Pool;
use nqueens::registry;
use nqueens::solver::{Isa, Plan, Solver};

use super::super::options::{CountOptions, OnCards, length_of_time, machine, seed_of_chance};
use super::super::run::merge::refuse_faults;
use super::{Args, CountLine};
use crate::exit::{Exit, Fault};
use crate::machine::{calibration, facts};
use crate::runs::{self, Claimant, Contribution, Look, RunFolder, RunningClaim, ShardJob};
use crate::terminal::Streams;
use crate::terminal::signals;
use crate::terminal::task::Task;
use crate::terminal::time_left::Forecast;
use crate::terminal::units::{in_words, plural};
use crate::version;

/// The time between two notes of what is waited for.
const NOTE_EVERY: Duration = Duration::from_secs(3600);

/// Pauses between looks at shards that other processes count: the first and the longest.
const PAUSES: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(8)];

/// The folder of a long count, and how this process works on it.
#[derive(Debug, clap::Args)]
pub(crate) struct Saved {
    /// Counts in shards (parts) and saves each in this folder. Type the same line again, or on other machines, to join
    #[arg(long, value_name = "RUN", conflicts_with = "what")]
    pub(super) dir: Option<PathBuf>,
    /// Joins a run that is there, and plans none: for machines on which the folder may be missing
    #[arg(long, requires = "dir")]
    join: bool,
    /// Counts only these shards, numbered from 0, such as 0..=99 or 5
    #[arg(long, value_name = "A..=B", value_parser = shards, requires = "dir")]
    only: Option<RangeInclusive<usize>>,
    /// Stops after TIME, such as 90s, 30m or 1h, with exit status 75
    #[arg(long = "for", value_name = "TIME", value_parser = length_of_time, requires = "dir")]
    for_time: Option<Duration>,
    /// Number of shards of a new run. Default: enough that each takes about six minutes or less on one core
    #[arg(long, value_name = "K", requires = "dir")]
    shards: Option<usize>,
    /// Name of this machine in records. Default: NQUEENS_MACHINE, or the host name
    #[arg(long, value_name = "NAME", value_parser = machine::name, requires = "dir")]
    machine: Option<String>,
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
    size: Size,
    dir: &Path,
    cards: Option<&OnCards>,
    streams: &mut Streams<'_>,
) -> anyhow::Result<Exit> {
    let start = Instant::now();
    let saved = &args.saved;
    let machine = saved.machine.clone().map_or_else(machine::here, Ok)?;
    let solver = if args.how.solver == "auto" { None } else { Some(registry::find(&args.how.solver)?) };
    signals::catch()?;
    let stops = Stops { deadline: saved.for_time.map(|time| start + time) };
    cards.map_or(Ok(()), |cards| cards.check_solver(&args.how.solver))?;
    let (folder, is_new) = &stops.at_start(|| RunFolder::join(dir, size, solver, saved.shards, saved.join))?;
    let last = folder.plan.shards() - 1;
    let only = saved.only.clone().unwrap_or(0..=last);
    if *only.end() > last {
        return Err(Fault::Usage.error(format!("there is no shard {}: the last is {last}", only.end())));
    }
    let selected: Vec<usize> = only.collect();
    let process = Process { folder, is_new: *is_new, how: &args.how, cards, machine, stops };
    let Done { known, counted, left, threads } = process.go_on(&selected, streams)?;
    let mut done = format!("{} counted and saved, {known} there before", plural(counted, "shard"));
    // A shard whose record was damaged meanwhile is counted twice.
    let others = selected.len().saturating_sub(known + counted + left);
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
            0 => "no shard was finished in that time: give a longer --for, or more --shards in a new folder",
            _ => "start the same command again to continue",
        };
        return Err(Fault::TimeUp.error(format!("n = {size}: time is up: {done}, {left} left; {way_out}")));
    }
    streams.note(&done);
    cards.into_iter().for_each(|cards| cards.note(|text| streams.note(text)));
    if selected.len() <= last {
        return Ok(Exit::Fine);
    }
    let merged = stops.patiently(|| runs::merge(std::slice::from_ref(folder)))?;
    refuse_faults(&merged, "there is no count", streams)?;
    let outcome = merged.outcome(threads)?;
    let mut line = CountLine::new(outcome);
    line.outcome.isa = merged.ledger.code_of_most().to_owned();
    (line.core_seconds, line.machines) = (Some(merged.ledger.core_seconds()), merged.ledger.machines);
    let layout = CountLine::layout(args, &[size], streams)?;
    super::show(size, &line, start.elapsed().as_secs_f64(), &layout, streams)?;
    Ok(Exit::Fine)
}

/// What stops a process: a signal or the end of its time.
#[derive(Clone, Copy)]
struct Stops {
    deadline: Option<Instant>,
}

impl Stops {
    /// Whether one of them has come.
    fn have_come(self) -> bool {
        signals::caught().is_some() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Does work that may be repeated. Tries again while the file system fails, until a stop.
    fn patiently<T>(self, work: impl FnMut() -> anyhow::Result<T>) -> anyhow::Result<T> {
        runs::patiently(|| self.have_come(), work).map_err(|error| self.told(error))
    }

    /// Like [`Stops::patiently`], before the folder of the run was there.
    fn at_start<T>(self, work: impl FnMut() -> anyhow::Result<T>) -> anyhow::Result<T> {
        runs::patiently_at_start(|| self.have_come(), work).map_err(|error| self.told(error))
    }

    fn told(self, error: anyhow::Error) -> anyhow::Error {
        if self.have_come() { Fault::TimeUp.error(format!("stopped: {error:#}")) } else { error }
    }
}

/// What a process did.
#[derive(Default)]
struct Done {
    /// Number of shards that had a valid record at the start.
    known: usize,
    /// Number of shards that it counted and saved.
    counted: usize,
    /// Number of shards that are left after a stop.
    left: usize,
    /// Number of threads that counted.
    threads: usize,
}

/// This process, and the run on which it works.
struct Process<'a> {
    folder: &'a RunFolder,
    /// Whether this process planned it.
    is_new: bool,
    how: &'a CountOptions,
    /// What counts instead of the processor alone.
    cards: Option<&'a OnCards>,
    /// The name of this machine.
    machine: String,
    stops: Stops,
}

impl Process<'_> {
    /// Counts those of these shards that have no valid record. Waits for shards that other processes count, and counts
    /// them if those processes end without a record. If no shard is left, each had a valid record: this process has read
    /// it, or the index has it from an earlier look.
    fn go_on(&self, selected: &[usize], streams: &Streams<'_>) -> anyhow::Result<Done> {
        let (folder, plan) = (self.folder, &self.folder.plan);
        let predicted = |shards: &[usize]| -> f64 { shards.iter().map(|&shard| plan.predicted_seconds(shard)).sum() };
        let mut told = HashSet::new();
        let look = self.stops.patiently(|| folder.look(selected))?;
        let known = look.values().filter(|record| record.is_ok()).count();
        streams.note(self.begun(known, selected.len()));
        let mut wanted = self.without_record(selected, &look, &mut told, streams);
        if wanted.is_empty() {
            return Ok(Done { known, ..Done::default() });
        }
        let number = seed_of_chance();
        self.stops.at_start(|| {
            folder.make_folders()?;
            folder.probe(number)
        })?;
        let solver = plan.cut.solver()?;
        let isa = self.how.isa.best_for(solver)?;
        let (units, by, threads) = self.workers(solver, isa, streams)?;
        let pool = if self.cards.is_some() { Pool::Own(threads) } else { self.how.threads.pool(threads) };
        let deadline = self.stops.deadline;
        let pace = calibration::thread_seconds(solver, plan.size(), isa, threads) / plan.whole_seconds().max(1e-9);
        let seconds = pace * predicted(&wanted) / threads as f64;
        if self.cards.is_none() && seconds >= 1.0 {
            streams.note(format_args!("the missing shards take about {} on this machine alone", in_words(seconds)));
        }
        let (mut counted, mut most_threads, mut pause, mut next_note) = (0, 0, PAUSES[0], None);
        while !wanted.is_empty() && !self.stops.have_come() {
            let done = 1.0 - predicted(&wanted) / predicted(selected).max(f64::MIN_POSITIVE);
            let forecast = Forecast::new(pace * predicted(&wanted), threads).of_the_rest(done);
            let task = Task::new(&format!("n = {}", plan.size()), streams)?;
            let (units, by, unsaved) = (&*units, by.clone(), &task.unsaved);
            let job = ShardJob { folder, units, by, threads, pool, deadline, number, unsaved };
            let (shards, threads) = task.run(forecast, |cancel, progress| Ok(job.run(&wanted, cancel, progress)))??;
            counted += shards;
            most_threads = most_threads.max(threads);
            if self.stops.have_come() {
                // To read thousands of records could take longer than a scheduler waits before it kills the process.
                let there = self.stops.patiently(|| folder.listed())?;
                wanted.retain(|shard| !there.contains(shard));
            } else {
                let look = self.stops.patiently(|| folder.look(&wanted))?;
                wanted = self.without_record(&wanted, &look, &mut told, streams);
            }
            if wanted.is_empty() {
                // A record may have been damaged since.
                let look = self.stops.patiently(|| folder.look(selected))?;
                wanted = self.without_record(selected, &look, &mut told, streams);
            } else if !self.stops.have_come() {
                // Another process may save its record in a moment, so the first pause gets no note.
                if pause > PAUSES[0] && next_note.is_none_or(|next| Instant::now() >= next) {
                    streams.note(self.waited_for(&wanted));
                    next_note = Some(Instant::now() + NOTE_EVERY);
                }
                runs::wait(pause, || self.stops.have_come());
                pause = (pause * 2).min(PAUSES[1]);
            }
        }
        Ok(Done { known, counted, left: wanted.len(), threads: most_threads })
    }

    /// Says whether this process planned the run or joined it.
    fn begun(&self, known: usize, selected: usize) -> String {
        let (place, plan) = (self.folder.path.display(), &self.folder.plan);
        if self.is_new {
            return format!("planned a new run in {place}: {}", plural(plan.shards(), "shard"));
        }
        let of = if selected < plan.shards() { " of --only" } else { "" };
        format!("joined {place}, {known} of {}{of} done", plural(selected, "shard"))
    }

    /// The units of the run with the code that counts them, what records say of this process, and the number of threads,
    /// which fits the memory. Notes what is counted, and how.
    fn workers(
        &self,
        solver: &dyn Solver,
        isa: Isa,
        streams: &Streams<'_>,
    ) -> anyhow::Result<(Box<dyn Plan>, Contribution, usize)> {
        let plan = &self.folder.plan;
        let units = plan.cut.plan(isa, &self.folder.path)?;
        let (units, code, threads, how) = match self.cards {
            Some(cards) => {
                let units = cards.take_over(&*units, plan.size(), isa)?;
                (units, cards.in_records(isa), cards.threads(), format!("on {}", cards.in_words()))
            }
            None => {
                let counter = Counter::for_size(plan.size()).solver(solver.name()).isa(isa);
                let (counter, fewer) = self.how.threads.fit(counter)?;
                let threads = counter.threads_used()?;
                let fewer = fewer.unwrap_or_else(|| self.how.threads.in_words(threads));
                (units, isa.name().to_owned(), threads, format!("with {} {fewer}", isa.name()))
            }
        };
        streams.note(format_args!("counting {} {how}", plan.in_words()));
        let by = Contribution {
            machine: self.machine.clone(),
            cpu: facts().cpu_model,
            isa: code,
            program: version::LONG.to_owned(),
            ..Contribution::default()
        };
        Ok((units, by, threads))
    }

    /// The shard that another process has counted for the longest time, in words.
    fn waited_for(&self, wanted: &[usize]) -> String {
        let mut held = self.folder.held().unwrap_or_default();
        // A claim without a name cannot be read, or is being written.
        held.retain(|claim| wanted.contains(&claim.shard) && !claim.claimant.machine.is_empty());
        let more = format!("{} in all", plural(wanted.len(), "shard"));
        match held.into_iter().max_by_key(|claim| claim.seconds) {
            Some(RunningClaim { shard, claimant: Claimant { machine, process, .. }, seconds }) => {
                let time = in_words(seconds as f64);
                format!(
                    "waiting for shard {shard}, which {machine} has been counting for {time} (process {process}); {more}"
                )
            }
            None => format!("waiting for shard {}, which another process is counting; {more}", wanted[0]),
        }
    }

    /// Those of these shards that have no valid record, by a look at them. Notes which files are damaged, but not those
    /// that it has `told`.
    fn without_record(
        &self,
        shards: &[usize],
        look: &Look,
        told: &mut HashSet<usize>,
        streams: &Streams<'_>,
    ) -> Vec<usize> {
        let mut wanted = shards.to_vec();
        wanted.retain(|&shard| match look.get(&shard) {
            None => true,
            Some(Ok(_)) => false,
            Some(Err(problem)) => {
                if told.insert(shard) {
                    streams.note(format_args!(
                        "{} is damaged: {problem}; its shard is counted again, and the file gets another name",
                        self.folder.record_file(shard).display()
                    ));
                }
                true
            }
        });
        wanted
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn ranges_of_shards_are_read() {
        for (text, shards) in [("2..=4", 2..=4), ("5", 5..=5), ("0..=99999999999", 0..=99_999_999_999)] {
            assert_eq!(super::shards(text), Ok(shards), "{text}");
        }
        for wrong in ["", "2..4", "4..=2", "..=4", "a..=b", "-1", "0..=99999999999999999999"] {
            assert!(super::shards(wrong).is_err(), "{wrong}");
        }
    }
}
