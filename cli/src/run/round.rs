//! A round: the threads of a process go through the missing shards once, count them and save their results.
//!
//! The threads take one unit after another. Once all units of a shard are taken, they begin the next shard, so that no
//! thread waits for the end of a shard. Another thread appends finished shards to the log. While logs cannot be
//! written, finished shards wait in memory and the threads continue to count, until the claims that wait use half of
//! the files that this process may open. While logs cannot be read, no shard is begun, and the threads wait once all
//! units of the last shard are taken.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::mpsc::{self, Receiver, SendError};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::process::{Process, lock};
use super::queue::Queue;
use super::{Claim, Claimant, Line, RunFolder, Tallied, retry};
use crate::machine::stopwatch::Stopwatch;
use crate::machine::{now, raise_open_files, random};
use crate::terminal::stop::Stop;
use crate::terminal::units::plural;
use nqueens::internal::{begin_progress, finish_unit};
use nqueens::tally::Tally;
use nqueens::{CancelToken, Progress};

/// The state that the threads of a round share.
pub(super) struct Round<'a, 'run> {
    process: &'a Process<'run>,
    /// The process, as its claims name it.
    claimant: Claimant,
    /// Stops the round: the stop of the process, or an error of a thread.
    stop: Stop,
    progress: &'a Progress,
    /// Locked while a thread begins the next shard, because the other threads have no unit to take until then. The
    /// results of the process are locked while logs are read, and its log while it is written. Of the locks of this
    /// module, a thread takes a second one only while it holds this one. The engine hands units over under a lock of
    /// its own: while the channel is full, the other threads wait there.
    taking: Mutex<Taking>,
    /// The shards that are being counted, by their numbers.
    begun: Mutex<HashMap<usize, Shard>>,
    ended: Mutex<Ended>,
}

/// The units and shards that no thread has taken.
struct Taking {
    queue: Queue,
    /// The remaining units of the shard that was begun last.
    open: Range<usize>,
}

/// A shard that is being counted.
struct Shard {
    claim: Claim,
    tallied: Tallied,
    units_left: usize,
}

/// A finished shard that is not saved yet.
struct Finished {
    claim: Claim,
    line: Line,
}

/// The outcome of a round.
#[derive(Default)]
struct Ended {
    /// The number of shards that were counted and saved.
    saved: usize,
    /// The number of shards that were counted and could not be saved.
    lost: usize,
    /// The first error.
    failure: Option<anyhow::Error>,
}

impl<'a, 'run> Round<'a, 'run> {
    /// Counts these shards, except those that have a valid line or that another process is counting, until `cancel` or
    /// the stop of the process ends it. Returns the number of shards that this process counted and saved.
    pub(super) fn count_shards(
        process: &'a Process<'run>,
        shards: &[usize],
        cancel: &CancelToken,
        progress: &'a Progress,
    ) -> anyhow::Result<usize> {
        let threads = process.threads;
        let units = || shards.iter().flat_map(|&shard| process.folder.run_plan.units_of(shard));
        let units_left = units().count();
        begin_progress(progress, units_left, units().map(|unit| process.plan.cost(unit)).sum());
        let round = Self {
            process,
            claimant: Claimant {
                machine: process.by.machine.clone(),
                process: std::process::id(),
                threads: threads as u16,
                number: random() as u32,
                ..Claimant::default()
            },
            stop: Stop { cancel: cancel.child(), ..process.stop },
            progress,
            taking: Mutex::new(Taking { queue: Queue::new(shards, random()), open: 0..0 }),
            begun: Mutex::default(),
            ended: Mutex::default(),
        };
        let drained = thread::scope(|scope| {
            // A claim is an open file until its shard is saved. While the writing thread retries, it has at most this
            // many shards, and as many wait for it.
            let most_waiting = raise_open_files().saturating_sub(threads) / 4;
            let (to_writer, from_counters) = mpsc::sync_channel(most_waiting);
            // If the system refuses this thread, sending fails and the counting threads save shards themselves.
            let _ = thread::Builder::new().spawn_scoped(scope, || round.write(from_counters));
            let hand_over = |unit, watch, tally| {
                let Some(finished) = round.add(unit, watch, tally)? else { return Ok(()) };
                if let Err(SendError(unsent)) = to_writer.send(finished) {
                    round.save(vec![unsent]);
                }
                Ok(())
            };
            let count = process.plan.count().threads(threads).cancelled_by(&round.stop.cancel).progress(progress);
            let drained = count.drain(|| round.next(), units_left, hand_over);
            // The writing thread ends once every shard is saved.
            drop(to_writer);
            drained
        });
        let Ended { saved, lost, failure } = round.ended.into_inner().unwrap_or_else(PoisonError::into_inner);
        match failure.or_else(|| Some(drained.err()?.into())) {
            None => Ok(saved),
            Some(error) if lost == 0 => Err(error),
            Some(error) => Err(error.context(format!("{} counted and lost", plural(lost, "shard")))),
        }
    }

    /// Takes the next unit, from the last shard or from a new one, and starts a stopwatch for it. `None` if no unit is
    /// left, and after a stop or an error.
    fn next(&self) -> Option<(usize, Stopwatch)> {
        let mut taking = lock(&self.taking);
        while !self.stop.has_come() {
            if let Some(unit) = taking.open.next() {
                return Some((unit, Stopwatch::start()));
            }
            match self.begin_shard(&mut taking) {
                Ok(true) => {}
                Ok(false) => return None,
                // After a stop, an unreadable file does not matter.
                Err(_) if self.stop.has_come() => {}
                Err(error) => self.fail(error),
            }
        }
        None
    }

    /// Stops all threads because of an error.
    fn fail(&self, error: anyhow::Error) {
        lock(&self.ended).failure.get_or_insert(error);
        self.stop.cancel.cancel();
    }

    /// Claims the next shard that is missing and not claimed, and begins it. `false` if there is none.
    fn begin_shard(&self, taking: &mut Taking) -> anyhow::Result<bool> {
        let Process { folder, results, .. } = self.process;
        while let Some(shard) = taking.queue.front().filter(|_| !self.stop.has_come()) {
            if lock(results).has(shard) {
                let gone = taking.queue.remove_counted(|shard| lock(results).has(shard));
                // Other processes counted these shards, so the progress includes them as done.
                let units = gone.into_iter().flat_map(|shard| folder.run_plan.units_of(shard));
                units.for_each(|unit| finish_unit(self.progress, self.process.plan.cost(unit)));
                continue;
            }
            let claim = folder.claim(&Claimant { shard, since: now(), ..self.claimant.clone() });
            if let Claim::Taken = claim {
                taking.queue.take();
                taking.queue.jump();
                continue;
            }
            // Another process may have saved the shard before this one claimed it.
            retry(&self.stop, || lock(results).look())?;
            if lock(results).has(shard) {
                claim.finish();
                continue;
            }
            taking.queue.take();
            taking.open = folder.run_plan.units_of(shard);
            let units_left = taking.open.len();
            lock(&self.begun).insert(shard, Shard { claim, tallied: Tallied::none_of(units_left), units_left });
            return Ok(true);
        }
        Ok(false)
    }

    /// Adds the tally of a unit to its shard. Returns the shard if this was its last unit.
    fn add(&self, unit: usize, watch: Stopwatch, tally: Tally) -> nqueens::Result<Option<Finished>> {
        let seconds = watch.core_seconds();
        let Process { folder: RunFolder { run_plan, .. }, by, .. } = self.process;
        let (number, mut begun) = (run_plan.shard_of(unit), lock(&self.begun));
        let shard = begun.get_mut(&number).expect("a shard is begun before its units are taken");
        shard.tallied.add(unit - run_plan.units_of(number).start, tally, seconds)?;
        shard.units_left -= 1;
        let complete = if shard.units_left == 0 { begun.remove(&number) } else { None };
        Ok(complete
            .map(|Shard { claim, tallied, .. }| Finished { claim, line: Line::new(run_plan, number, by, tallied) }))
    }

    /// Saves finished shards until no thread counts any more. Shards that arrive during a write are saved together.
    fn write(&self, from_counters: Receiver<Finished>) {
        while let Ok(first) = from_counters.recv() {
            self.save(std::iter::once(first).chain(from_counters.try_iter()).collect());
        }
    }

    /// Appends shards to the log, retrying while the file system fails.
    fn save(&self, shards: Vec<Finished>) {
        let lines: String = shards.iter().map(|shard| shard.line.text()).collect();
        match retry(&self.stop, || lock(&self.process.log).append(&lines)) {
            Ok(()) => {
                lock(&self.ended).saved += shards.len();
                for shard in shards {
                    shard.claim.finish();
                }
            }
            Err(error) => {
                lock(&self.ended).lost += shards.len();
                self.fail(error);
            }
        }
    }
}
