//! Counting shards until none is left, or time is up.

use std::time::{Duration, Instant};

use nqueens::solver::registry;
use nqueens::{CancelToken, Counter};

use super::CountOptions;
use crate::machine::pace;
use crate::runs::{Attempt, CountedShards, FoundRecord, Origin, RunFolder, ShardJob};
use crate::terminal::Streams;
use crate::terminal::signals::Interrupts;
use crate::terminal::time_left::Forecast;
use crate::terminal::watch::Watch;
use crate::{machine, version};

/// When a process that waits for others looks again: soon at first, then less and less often, down to this.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

const LOOK_AGAIN_AT_LAST: Duration = Duration::from_secs(8);

/// Shards whose records are each looked for; of more the folder is listed.
const FEW: usize = 64;

/// Work on a run, by this process.
pub(crate) struct RunWork<'a> {
    pub(crate) folder: &'a RunFolder,
    pub(crate) hands: &'a CountOptions,
    pub(crate) deadline: Option<Instant>,
    /// Whether to wait for shards that other processes are counting, and to count them if these give up.
    pub(crate) must_finish: bool,
    /// Claims of processes that were silent for so long are taken over.
    pub(crate) steal_after: Option<Duration>,
    /// A random number that tells this process from all others.
    pub(crate) number: u64,
}

impl RunWork<'_> {
    /// Counts these shards, or all that are missing.
    pub(crate) fn go_on(
        &self,
        selection: Option<Vec<usize>>,
        interrupts: &Interrupts,
        streams: &Streams<'_>,
    ) -> anyhow::Result<CountedShards> {
        let plan = self.folder.plan();
        let mut report = CountedShards::default();
        if selection.is_none() {
            self.folder.sweep();
        }
        let is_all = selection.is_none();
        let selected = selection.unwrap_or_else(|| (0..plan.shards()).collect());
        // Who was there before is asked first: making the units takes a while for large boards.
        let mut is_checked = !is_all && selected.len() <= FEW;
        let mut wanted = if is_checked { self.invalid(&selected)? } else { self.without_file(&selected)? };
        report.known = selected.len() - wanted.len();
        if !is_all && is_checked && wanted.is_empty() {
            return Ok(report);
        }
        if let Some(reason) = self.folder.why_no_locks() {
            streams.note(format_args!(
                "file locks do not work in {} ({reason}): processes may count some shards twice, unless each is given \
                 its own by --shards",
                self.folder.path().display()
            ));
        }
        let solver = registry::find(plan.solver())?;
        let asked = self.hands.isa.checked()?.unwrap_or_else(registry::machine_isa);
        let isa = registry::best_isa(solver, asked);
        let (_, units) = plan.units_with(isa, self.folder.path())?;
        let counter = Counter::for_size(plan.size()).solver(plan.solver()).isa(isa);
        let (counter, fewer) = self.hands.threads.fit(counter)?;
        let threads = counter.threads_used()?;
        let origin = Origin {
            isa: isa.name().to_owned(),
            version: version::VERSION.to_owned(),
            commit: version::COMMIT.to_owned(),
            dirty: version::IS_DIRTY,
            cpu: machine::facts().cpu_model,
            machine: Some(self.hands.machine()),
            threads,
        };
        streams.note(format_args!(
            "counting {} with {} {}",
            plan.in_words(),
            isa.name(),
            fewer.unwrap_or_else(|| format!("on {threads} {}", if threads == 1 { "thread" } else { "threads" }))
        ));
        if is_all && report.known > 0 {
            streams.note(format_args!("{} of {} shards are there already", report.known, plan.shards()));
        }
        let pace = pace::core_seconds(solver, plan.size(), isa, threads) / plan.whole_seconds().max(1e-9);
        let job = ShardJob {
            folder: self.folder,
            units: &*units,
            origin,
            deadline: self.deadline,
            pace,
            number: self.number,
            steal_after: self.steal_after,
        };
        let watch = Watch { interrupts, quiet: streams.is_quiet() };
        let (mut has_looked, mut has_said, mut pause) = (false, false, LOOK_AGAIN);
        loop {
            let predicted: f64 = wanted.iter().map(|&shard| pace * plan.predicted_seconds(shard)).sum();
            let forecast = Forecast::new(predicted, threads);
            let label = format!("n = {}", plan.size());
            let some = watch
                .run(&label, forecast, |cancel: &CancelToken, monitor| Ok(job.run(&wanted, cancel, monitor)))??;
            for (file, problem) in &some.set_aside {
                streams
                    .note(format_args!("a damaged record is kept as {}, and counted again: {problem}", file.display()));
            }
            report.merge(some);
            if interrupts.caught().is_some() || report.left > 0 {
                return Ok(report);
            }
            // What is there was believed by its name until now.
            if !is_checked {
                is_checked = true;
                wanted = self.check(&selected, &job)?;
                wanted.retain(|shard| !report.elsewhere.contains(shard));
                if !wanted.is_empty() {
                    report.known = report.known.saturating_sub(wanted.len());
                    continue;
                }
            }
            // Who only looked at a claim held it for a moment: one more look is for everybody.
            if report.elsewhere.is_empty() || (!self.must_finish && has_looked) {
                return Ok(report);
            }
            has_looked = true;
            if self.must_finish && !has_said {
                streams.note("waiting for shards that other processes are counting");
                has_said = true;
            }
            self.wait(pause, interrupts);
            pause = (pause * 2).min(LOOK_AGAIN_AT_LAST);
            if interrupts.caught().is_some() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                report.left = report.elsewhere.len();
                return Ok(report);
            }
            wanted = std::mem::take(&mut report.elsewhere);
        }
    }

    /// Waits for as long, unless a signal comes or time is up.
    fn wait(&self, time: Duration, interrupts: &Interrupts) {
        let until = Instant::now() + time;
        let until = self.deadline.map_or(until, |deadline| until.min(deadline));
        while interrupts.caught().is_none() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn without_file(&self, selected: &[usize]) -> anyhow::Result<Vec<usize>> {
        let (there, _) = self.folder.listed()?;
        let mut is_there = vec![false; self.folder.plan().shards()];
        there.into_iter().for_each(|shard| is_there[shard] = true);
        Ok(selected.iter().copied().filter(|&shard| !is_there[shard]).collect())
    }

    /// Those of these shards whose record is not valid, unless another process is reading all records at this moment:
    /// of many that come to their end together, one does.
    fn check(&self, selected: &[usize], job: &ShardJob<'_>) -> anyhow::Result<Vec<usize>> {
        match self.folder.claim_check(&job.claimant())? {
            Attempt::Ours(claim) => {
                let invalid = self.invalid(selected);
                claim.finish();
                invalid
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Those of these shards that have no valid record.
    fn invalid(&self, shards: &[usize]) -> anyhow::Result<Vec<usize>> {
        let mut invalid = Vec::new();
        for &shard in shards {
            if !matches!(self.folder.find(shard)?, FoundRecord::Valid(_)) {
                invalid.push(shard);
            }
        }
        Ok(invalid)
    }
}
