//! Counting shards until none is missing, or time is up.

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use nqueens::Counter;
use nqueens::solver::{Isa, Solver, registry};

use super::super::super::options::seed_of_chance;
use super::CountOptions;
use crate::machine::pace;
use crate::runs::{CountedShards, FoundRecord, RunFolder, ShardJob};
use crate::terminal::Streams;
use crate::terminal::plural::{part_of, plural};
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
        let plan = &self.folder.plan;
        let predicted = |shards: &mut dyn Iterator<Item = usize>| -> f64 {
            shards.map(|shard| plan.predicted_seconds(shard)).sum()
        };
        let mut wanted = self.without_record(shards.clone(), streams)?;
        let mut report = CountedShards { known: selected - wanted.len(), ..CountedShards::default() };
        if report.known > 0 {
            streams.note(part_of(report.known, selected, "shard", ["has a record", "have a record"]));
        }
        if wanted.is_empty() {
            return Ok(report);
        }
        self.folder.make_folders()?;
        let solver = registry::find(&plan.cut.solver)?;
        let isa = registry::best_isa(solver, self.hands.isa.checked()?.unwrap_or_else(registry::machine_isa));
        let units = plan.cut.plan(isa, &self.folder.path)?;
        let threads = self.threads(solver, isa, streams)?;
        let origin = self.hands.origin(isa, threads);
        let (folder, deadline, pool) = (self.folder, self.deadline, self.hands.threads.pool(threads)?);
        let job = ShardJob { folder, units: &*units, origin, pool, deadline, number: seed_of_chance() };
        let pace = pace::core_seconds(solver, plan.size(), isa, threads) / plan.whole_seconds().max(1e-9);
        let selected_seconds = predicted(&mut shards.clone()).max(f64::MIN_POSITIVE);
        let watch = Watch { interrupts, quiet: streams.quiet };
        let mut pause = PAUSES[0];
        loop {
            let wanted_seconds = predicted(&mut wanted.iter().copied());
            let forecast =
                Forecast::new(pace * wanted_seconds, threads).of_the_rest(1.0 - wanted_seconds / selected_seconds);
            let some = watch.run(&format!("n = {}", plan.size()), forecast, |cancel, monitor| {
                Ok(job.run(&wanted, cancel, monitor))
            })??;
            report.counted += some.counted;
            report.known += some.known;
            report.left = some.left;
            wanted = some.elsewhere;
            if report.left > 0 || wanted.is_empty() {
                return Ok(report);
            }
            // Processes that look at a claim lock it for a moment, so the first pause gets no note.
            if pause == 2 * PAUSES[0] {
                streams.note("waiting for shards that other processes are counting");
            }
            if !self.wait(pause, interrupts) {
                report.left = wanted.len();
                return Ok(report);
            }
            pause = (pause * 2).min(PAUSES[1]);
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
        let plan = &self.folder.plan;
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

    /// Waits for this time. Returns `false` at once after a signal or the deadline.
    fn wait(&self, time: Duration, interrupts: &Interrupts) -> bool {
        let end = Instant::now() + time;
        while Instant::now() < end {
            if interrupts.caught().is_some() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return false;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        true
    }
}
