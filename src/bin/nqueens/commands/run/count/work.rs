//! Counting shards until none is missing, or time is up.

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use nqueens::solver::{Isa, Solver, registry};
use nqueens::{CancelToken, Counter};

use super::CountOptions;
use crate::machine::pace;
use crate::runs::{CountedShards, FoundRecord, RunFolder, ShardJob};
use crate::terminal::Streams;
use crate::terminal::plural::plural;
use crate::terminal::signals::Interrupts;
use crate::terminal::time_left::Forecast;
use crate::terminal::watch::Watch;

/// Pauses between looks at shards that other processes count: the first and the longest.
const PAUSES: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(8)];

/// Work on a run, by this process.
pub(crate) struct RunWork<'a> {
    pub(crate) folder: &'a RunFolder,
    pub(crate) hands: &'a CountOptions,
    pub(crate) deadline: Option<Instant>,
    /// A random number that differs between all processes.
    pub(crate) number: u64,
}

impl RunWork<'_> {
    /// Counts those of these shards that have no valid record. Waits for shards that other processes count, and counts
    /// them if those processes end without a record.
    pub(crate) fn go_on(
        &self,
        shards: RangeInclusive<usize>,
        interrupts: &Interrupts,
        streams: &Streams<'_>,
    ) -> anyhow::Result<CountedShards> {
        let selected = shards.clone().count();
        let plan = self.folder.plan();
        let selected_seconds: f64 = shards.clone().map(|shard| plan.predicted_seconds(shard)).sum();
        let mut wanted = self.without_record(shards, streams)?;
        let mut report = CountedShards { known: selected - wanted.len(), ..CountedShards::default() };
        if wanted.is_empty() {
            return Ok(report);
        }
        self.folder.make_folders()?;
        if let Some(reason) = self.folder.why_no_locks() {
            streams.note(format_args!(
                "file locks do not work in {} ({reason}): processes may count some shards twice, unless each has its own \
                 --shards",
                self.folder.path().display()
            ));
        }
        let solver = registry::find(&plan.cut.solver)?;
        let isa = registry::best_isa(solver, self.hands.isa.checked()?.unwrap_or_else(registry::machine_isa));
        let units = plan.cut.plan(isa, self.folder.path())?;
        let threads = self.threads(solver, isa, streams)?;
        if report.known > 0 {
            streams.note(format_args!("{} of {selected} shards have a record", report.known));
        }
        let job = ShardJob {
            folder: self.folder,
            units: &*units,
            origin: self.hands.origin(isa, threads),
            deadline: self.deadline,
            pace: pace::core_seconds(solver, plan.size(), isa, threads) / plan.whole_seconds().max(1e-9),
            number: self.number,
        };
        let mut pause = PAUSES[0];
        loop {
            self.count(&job, &wanted, selected_seconds, &mut report, interrupts, streams)?;
            if interrupts.caught().is_some() || report.left > 0 || report.elsewhere.is_empty() {
                return Ok(report);
            }
            // Processes that look at a claim lock it for a moment, so the first pause gets no note.
            if pause == 2 * PAUSES[0] {
                streams.note("waiting for shards that other processes are counting");
            }
            self.wait(pause, interrupts);
            pause = (pause * 2).min(PAUSES[1]);
            wanted = std::mem::take(&mut report.elsewhere);
            if interrupts.caught().is_some() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                report.left = wanted.len();
                return Ok(report);
            }
        }
    }

    /// The shards that have no valid record. Notes which files are damaged.
    fn without_record(&self, shards: RangeInclusive<usize>, streams: &Streams<'_>) -> anyhow::Result<Vec<usize>> {
        let mut wanted = Vec::new();
        for shard in shards {
            match self.folder.find(shard)? {
                FoundRecord::Valid(_) => continue,
                FoundRecord::Missing => {}
                FoundRecord::Damaged(problem) => streams.note(format_args!(
                    "{} is damaged: {problem}; its shard is counted again, and the file gets another name",
                    self.folder.record_file(shard).display()
                )),
            }
            wanted.push(shard);
        }
        Ok(wanted)
    }

    /// The number of threads that fit the memory. Notes what is counted, and on how many threads.
    fn threads(&self, solver: &dyn Solver, isa: Isa, streams: &Streams<'_>) -> anyhow::Result<usize> {
        let plan = self.folder.plan();
        let counter = Counter::for_size(plan.size()).solver(solver.name()).isa(isa);
        let (counter, fewer) = self.hands.threads.fit(counter)?;
        let threads = counter.threads_used()?;
        streams.note(format_args!(
            "counting {} with {} {}",
            plan.in_words(),
            isa.name(),
            fewer.unwrap_or_else(|| format!("on {}", plural(threads, "thread")))
        ));
        Ok(threads)
    }

    /// Counts these shards, with progress, and adds the result to the report. `selected_seconds` are predicted for all
    /// shards that are to be counted, with those that have a record.
    fn count(
        &self,
        job: &ShardJob<'_>,
        wanted: &[usize],
        selected_seconds: f64,
        report: &mut CountedShards,
        interrupts: &Interrupts,
        streams: &Streams<'_>,
    ) -> anyhow::Result<()> {
        let plan = self.folder.plan();
        let wanted_seconds: f64 = wanted.iter().map(|&shard| plan.predicted_seconds(shard)).sum();
        let forecast = Forecast::new(job.pace * wanted_seconds, job.origin.threads)
            .of_the_rest(1.0 - wanted_seconds / selected_seconds.max(f64::MIN_POSITIVE));
        let watch = Watch { interrupts, quiet: streams.quiet };
        let count = |cancel: &CancelToken, monitor: &_| Ok(job.run(wanted, cancel, monitor));
        let some = watch.run(&format!("n = {}", plan.size()), forecast, count)??;
        report.counted += some.counted;
        report.again += some.again;
        report.known += some.known;
        report.left = some.left;
        report.elsewhere = some.elsewhere;
        Ok(())
    }

    /// Waits for this time, or until a signal or the deadline.
    fn wait(&self, time: Duration, interrupts: &Interrupts) {
        let end = Instant::now() + time;
        let until = self.deadline.map_or(end, |deadline| deadline.min(end));
        while interrupts.caught().is_none() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}
