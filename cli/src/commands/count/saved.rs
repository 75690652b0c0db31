//! `nqueens count N --dir RUN`: counts shards and saves them in a folder, until none is missing or time is up.

use std::fmt;
use std::path::Path;
use std::slice::from_ref;
use std::sync::Mutex;
use std::time::Instant;

use anyhow::bail;
use nqueens::board::Size;
use nqueens::solver::Plan;
use serde_json::{Value, json};

use super::folder_options::FolderOptions;
use super::layout::{Counted, Layout};
use crate::commands::counting::{Code, Counting, Fitted};
use crate::commands::options::parse_machine_name;
use crate::exit;
use crate::machine::facts;
use crate::run::{Contributor, Log, Process, Results, RunFolder, RunPlan, Verified, retry_at_start};
use crate::terminal::stop::Stop;
use crate::terminal::units::plural;
use crate::terminal::{Streams, signals};
use crate::version;

/// A count that is saved in a folder, with what the user typed for this process.
pub(super) struct SavedCount<'a> {
    /// The folder of the run.
    pub(super) dir: &'a Path,
    pub(super) size: Size,
    pub(super) options: &'a FolderOptions,
    pub(super) counting: &'a Counting,
}

/// A run that this process has joined.
struct Joined<'a> {
    folder: RunFolder,
    /// Whether this process planned the run.
    is_new: bool,
    code: Code<'a>,
    /// The solver's plan of the units, which counts them with this code.
    plan: Box<dyn Plan>,
    /// The shards that this process may count, in order.
    shards: Vec<usize>,
}

/// How many shards this process may count, and how many of these are saved, displayed as `3 shards counted and saved, 9
/// saved before`.
struct ShardCounts {
    all: usize,
    /// Saved when this process joined the run.
    before: usize,
    /// Counted and saved by this process.
    counted: usize,
    /// Still missing.
    left: usize,
}

impl<'a> SavedCount<'a> {
    /// Plans or joins the run in the folder, counts its missing shards, and prints the count once all shards are saved.
    pub(super) fn count_and_print(&self, layout: &mut Layout<'_>, streams: &mut Streams<'_>) -> anyhow::Result<()> {
        let start = Instant::now();
        // A signal while the run is planned must not leave an incomplete file.
        signals::catch()?;
        let is_planned_only = self.options.for_time.is_some_and(|time| time.is_zero());
        let deadline = self.options.for_time.filter(|_| !is_planned_only).map(|time| start + time);
        let stop = Stop { deadline, ..Stop::default() };
        let joined = retry_at_start(&stop, || self.join_or_plan())?;
        let mut results = retry_at_start(&stop, || Results::read(from_ref(&joined.folder)))?;
        let plan = results.check_plan(&*joined.plan)?;
        // What cannot be right is reported before the other shards are counted for hours.
        let verified = results.verify(plan);
        let all = joined.shards.len();
        let before = all - verified.missing_of(&joined.shards).len();
        joined.note_joined(before, streams);
        if is_planned_only {
            return Ok(layout.print_if_json(progress(&verified, 0), streams)?);
        }
        if let Some(advice) = results.audit_advice() {
            streams.note(advice);
        }
        refuse_nodes_of_cards(layout, &results)?;
        let (mut results, counted, threads) = self.count_missing(&joined, stop, results, streams)?;
        let results = results.verify(plan);
        let left = results.missing_of(&joined.shards).len();
        let counts = ShardCounts { all, before, counted, left };
        // With `--only`, shards that this process may not count can be missing.
        let is_complete = results.missing().is_empty();
        if !is_complete {
            layout.print_if_json(progress(&results, counted), streams)?;
        }
        if left > 0 {
            return Err(counts.stopped(self.size));
        }
        streams.note(&counts);
        if !is_complete {
            // Damaged lines do not matter, because all chosen shards are saved. But two lines for a shard may differ.
            if !results.disputed.is_empty() {
                results.sound_or_complain("there is no count")?;
            }
            return results.check_sanity();
        }
        print_total(&results, start, threads, layout, streams)
    }

    /// Joins the run in the folder, or plans a run there if the folder is new or empty.
    fn join_or_plan(&self) -> anyhow::Result<Joined<'a>> {
        if let Some(folder) = RunFolder::find(self.dir)? {
            return self.join(folder);
        }
        match self.plan_run()? {
            Some(joined) => Ok(joined),
            None => self.join(RunFolder::open(self.dir)?),
        }
    }

    /// Joins the run of a folder.
    fn join(&self, folder: RunFolder) -> anyhow::Result<Joined<'a>> {
        let Self { size, options, counting, .. } = *self;
        folder.check_is_of(size, counting.wanted_solver(), options.shards)?;
        let shards = options.chosen_shards(&folder.run_plan)?;
        let code = counting.code(folder.run_plan.solver()?)?;
        let plan = code.plan(size)?;
        Ok(Joined { folder, is_new: false, code, plan, shards })
    }

    /// Plans a run in the folder and joins it. Returns `None` if another process was faster and planned its run there.
    fn plan_run(&self) -> anyhow::Result<Option<Joined<'a>>> {
        let Self { dir, size, options, counting } = *self;
        if options.join {
            bail!(
                "there is no run in {} to join; is its file system mounted? Without --join, a new run is planned there",
                dir.display()
            );
        }
        let wanted_solver = counting.wanted_solver();
        let code = counting.code(wanted_solver.unwrap_or_else(|| RunPlan::default_solver(size)))?;
        if wanted_solver.is_none() {
            // Nobody will see the end of some counts, for which a folder is not confirmation enough.
            let forecast = code.forecast(size, counting.most_threads());
            if forecast.takes_ages() {
                bail!(forecast.refusal(code.solver));
            }
        }
        let plan = code.plan(size)?;
        let run_plan = RunPlan::of(size, code.solver, &*plan, options.shards)?;
        let shards = options.chosen_shards(&run_plan)?;
        let created = RunFolder::create(dir, run_plan)?;
        Ok(created.map(|folder| Joined { folder, is_new: true, code, plan, shards }))
    }

    /// Counts the missing shards on as many threads as fit in memory. Notes which code counts and how long it takes.
    /// Returns the results of all processes, how many shards this process counted and saved, and on how many threads: 0
    /// if no shard was missing.
    fn count_missing<'run>(
        &self,
        joined: &'run Joined<'_>,
        stop: Stop,
        results: Results<'run>,
        streams: &Streams<'_>,
    ) -> anyhow::Result<(Results<'run>, usize, usize)> {
        let Self { options, counting, .. } = self;
        let Joined { folder, code, plan, shards, .. } = joined;
        let missing = results.missing_of(shards);
        if missing.is_empty() {
            return Ok((results, 0, 0));
        }
        results.report_damage(streams);
        let Fitted { threads, hardware } = counting.fit(*code, self.size)?;
        streams.note(format_args!("counting n = {} with {code} {hardware}", self.size));
        let by = Contributor {
            machine: options.machine.clone().unwrap_or_else(host_name),
            cpu: facts().cpu_model.clone(),
            isa: code.in_log(),
            program: version::LONG.to_owned(),
        };
        retry_at_start(&stop, || folder.make_folders())?;
        let log = retry_at_start(&stop, || Log::begin(&folder.logs(), &by.machine))?;
        let process = Process {
            folder,
            plan: &**plan,
            by,
            threads,
            forecast: code.forecast(self.size, threads),
            stop,
            results: Mutex::new(results),
            log: Mutex::new(log),
        };
        let of_missing = process.forecast_of(&missing);
        if of_missing.is_worth_showing() {
            let (range, caveats) = (of_missing.range(), of_missing.caveats_in_words());
            streams.note(format_args!("the missing shards take {range} on this machine alone{caveats}"));
        }
        let counted = process.count_until_done(shards, streams);
        counting.note_given_back(streams);
        Ok((process.into_results(), counted?, threads))
    }
}

/// Returns the name of this machine: the short host name or, without one, the processor's model.
fn host_name() -> String {
    // A host without a name of its own is called localhost.
    let host = sysinfo::System::host_name()
        .and_then(|host| Some(host.split('.').next()?.to_owned()))
        .filter(|host| host != "localhost");
    host.and_then(|host| parse_machine_name(&host).ok()).unwrap_or_else(|| facts().cpu_model.clone())
}

/// Prints the count of a run without missing shards. Fails if the run has problems.
fn print_total(
    results: &Verified<'_>,
    start: Instant,
    threads: usize,
    layout: &mut Layout<'_>,
    streams: &mut Streams<'_>,
) -> anyhow::Result<()> {
    let sound = results.sound_or_complain("there is no count")?;
    // Other processes may have used cards since the first check.
    refuse_nodes_of_cards(layout, results)?;
    let total = sound.total()?;
    let mut line = sound.json(&total);
    line["isa"] = json!(results.contributions().first().map(|busiest| &busiest.by.isa));
    line["threads"] = json!(threads);
    let columns = layout.columns(total.solutions, &total.work);
    let seconds = start.elapsed().as_secs_f64();
    layout.print_count(Counted { size: results.run_plan().size, columns, seconds, json: line }, streams)
}

/// Fails if `--nodes` was typed and graphics cards counted shards of the run.
fn refuse_nodes_of_cards(layout: &Layout<'_>, results: &Results<'_>) -> anyhow::Result<()> {
    if layout.options.nodes && results.contributions().iter().any(|one| one.by.is_cards()) {
        let problem = "graphics cards counted shards of this run, and they count no nodes: leave out --nodes";
        return Err(exit::Kind::Usage.error(problem));
    }
    Ok(())
}

/// Returns the progress of a run that has no count yet, as JSON. This process counted and saved `counted` shards.
fn progress(results: &Verified<'_>, counted: usize) -> Value {
    let mut progress = results.progress();
    progress["missing"] = json!(results.missing().len());
    progress["counted"] = json!(counted);
    progress
}

impl Joined<'_> {
    /// Notes whether this process planned the run or joined it, and how many of its shards were saved `before`.
    fn note_joined(&self, before: usize, streams: &Streams<'_>) {
        let dir = self.folder.path.display();
        let (all, chosen) = (self.folder.run_plan.shards(), self.shards.len());
        if self.is_new {
            streams.note(format_args!("planned a new run in {dir}: {}", plural(all, "shard")));
        } else {
            let shard = if chosen < all { "chosen shards" } else { "shards" };
            streams.note(format_args!("joined {dir}, {before} of {chosen} {shard} saved"));
        }
    }
}

impl ShardCounts {
    /// Returns the error of a process that stopped early, with the numbers of shards and how to continue.
    fn stopped(&self, size: Size) -> anyhow::Error {
        let (kind, why, with) = match signals::caught() {
            Some(_) => (exit::Kind::Failure, "stopped", ""),
            None if self.counted > 0 => (exit::Kind::TimeUp, "time is up", ""),
            None => (exit::Kind::TimeUp, "time is up", ", with a longer --for if it finishes no shard"),
        };
        kind.error(format!("n = {size}: {why}: {self}; start the same command again to continue{with}"))
    }
}

impl fmt::Display for ShardCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { all, before, counted, left } = self;
        write!(f, "{} counted and saved, {before} saved before", plural(*counted, "shard"))?;
        // Without locks, some shards may be counted twice, which would make the difference negative.
        let others = all.saturating_sub(before + counted + left);
        if others > 0 {
            write!(f, ", {others} counted by others meanwhile")?;
        }
        if *left > 0 { write!(f, ", {} left", plural(*left, "shard")) } else { Ok(()) }
    }
}
