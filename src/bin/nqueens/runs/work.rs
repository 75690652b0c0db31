//! Counts shards and saves their records.
//!
//! The threads of a process take one unit after another. When all units of a shard are taken, they go on with the next
//! shard: no thread waits for the end of a shard. The thread that comes next saves the record, while the others count.

use std::collections::BTreeSet;

use super::ShardJob;
use super::shared::SharedQueue;
use crate::terminal::complain;
use nqueens::engine;
use nqueens::{CancelToken, Monitor};

impl ShardJob<'_> {
    /// Counts these shards, except those that have a valid record or that another process is counting. Returns the number
    /// of shards that it counted and saved. Fails if another process saved a record with other counts.
    pub(crate) fn run(&self, shards: &[usize], cancel: &CancelToken, monitor: &Monitor) -> anyhow::Result<usize> {
        let units = || shards.iter().flat_map(|&shard| self.folder.plan.units_of(shard));
        let number = units().count();
        monitor.begin(number, units().map(|unit| self.units.cost(unit)).sum());
        let stop = self.deadline.map_or_else(|| Ok(cancel.child()), |deadline| cancel.child_until(deadline))?;
        let shared = SharedQueue::new(self, shards, &stop, monitor);
        let (next, note) = (|| shared.next(), |unit, tally| shared.note(unit, tally));
        let drained = engine::drain(self.units, next, self.pool, number, &stop, monitor, note);
        let saved = shared.save_the_rest();
        let state = shared.into_state();
        let lost: BTreeSet<usize> = state.finished.iter().map(|(record, _)| record.shard).collect();
        let lost: Vec<String> = lost.iter().map(usize::to_string).collect();
        let lost = (!lost.is_empty()).then(|| format!("these shards were counted and are lost: {}", lost.join(", ")));
        if let Some(error) = state.failure {
            return Err(match lost {
                Some(lost) => error.context(lost),
                None => error,
            });
        }
        drained?;
        match (saved, lost) {
            (Err(error), Some(lost)) if stop.is_cancelled() => complain(format_args!("{lost}: {error:#}")),
            (Err(error), Some(lost)) => return Err(error.context(lost)),
            (saved, _) => saved?,
        }
        Ok(state.counted)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Instant;

    use super::*;
    use crate::machine::stopwatch::tests::{NAP, sleepy};
    use crate::runs::{FoundRecord, Origin, RunFolder, RunPlan, merge};
    use nqueens::board::Size;
    use nqueens::engine::Pool;
    use nqueens::solver::{Isa, Plan, registry};

    const SHARDS: usize = 40;

    fn folder(path: &std::path::Path) -> RunFolder {
        let plan = RunPlan::new(Size::new(11).unwrap(), registry::find("bitmask").unwrap(), Some(SHARDS)).unwrap();
        let folder = RunFolder::create(path, &plan).unwrap();
        folder.make_folders().unwrap();
        folder
    }

    /// Runs a process with this random number on all shards that have no file.
    fn run(folder: &RunFolder, number: u64) -> usize {
        let units = registry::find("bitmask")
            .unwrap()
            .plan(Size::new(11).unwrap(), Isa::Portable, &CancelToken::new())
            .unwrap();
        let origin = Origin { threads: 1, machine: format!("machine {number}"), ..Origin::default() };
        let job = ShardJob { folder, units: &*units, origin, pool: Pool::Own(1), deadline: None, number };
        let there = folder.listed().unwrap();
        let shards: Vec<usize> = (0..SHARDS).filter(|shard| !there.contains(shard)).collect();
        job.run(&shards, &CancelToken::new(), &Monitor::new()).unwrap()
    }

    #[test]
    fn without_locks_six_processes_make_one_run() {
        let here = tempfile::tempdir().unwrap();
        let folder = folder(here.path());
        // No claim can be made below a file.
        std::fs::remove_dir(here.path().join("claims")).unwrap();
        std::fs::write(here.path().join("claims"), "").unwrap();
        let counted: Vec<usize> = thread::scope(|scope| {
            let folder = &folder;
            let processes: Vec<_> = (1..=6).map(|number| scope.spawn(move || run(folder, number))).collect();
            processes.into_iter().map(|process| process.join().unwrap()).collect()
        });
        assert_eq!(counted.iter().sum::<usize>(), SHARDS, "{counted:?}");
        assert_eq!(merge(&[folder]).unwrap().total().unwrap().0, 2680);
    }

    #[test]
    #[cfg_attr(not(any(target_os = "linux", target_os = "macos")), ignore = "it tells no processor time")]
    fn records_tell_the_time_at_work_and_not_the_time_that_passed() {
        let folder = tempfile::tempdir().unwrap();
        let plan = RunPlan::new(Size::new(7).unwrap(), registry::find("bitmask").unwrap(), Some(1)).unwrap();
        let units = plan.cut.plan(Isa::Portable, folder.path()).unwrap();
        let units = sleepy(units);
        let folder = RunFolder::create(folder.path(), &plan).unwrap();
        folder.make_folders().unwrap();
        let origin = Origin { threads: 1, ..Origin::default() };
        let job = ShardJob { folder: &folder, units: &units, origin, pool: Pool::Own(1), deadline: None, number: 1 };
        let began = Instant::now();
        assert_eq!(job.run(&[0], &CancelToken::new(), &Monitor::new()).unwrap(), 1);
        let (passed, slept) = (began.elapsed().as_secs_f64(), units.units() as f64 * NAP.as_secs_f64());
        let FoundRecord::Valid(record) = folder.find(0).unwrap() else { panic!("it is kept") };
        let core = record.core_seconds;
        assert!(core < passed - 0.9 * slept, "{core} of {passed}, of which it slept {slept}");
    }
}
