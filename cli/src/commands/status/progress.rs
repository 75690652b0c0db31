//! The progress of a run.

use std::collections::BTreeSet;

use crate::run::{Claimant, Results, RunFolder, core_seconds};

/// The progress of a run, in which each shard is done, running, unclaimed or disputed.
#[derive(Debug)]
pub(super) struct Status<'a> {
    pub(super) results: Results<'a>,
    /// The claims of running processes, in the order of their shards.
    pub(super) running: Vec<Claimant>,
    /// The missing shards that no process is counting.
    pub(super) unclaimed: Vec<usize>,
}

impl<'a> Status<'a> {
    /// Reads the logs and claims of these folders, which belong to one run.
    pub(super) fn of(folders: &'a [RunFolder]) -> anyhow::Result<Self> {
        // Claims are read first, so that a shard that is finished between the two steps is done and not missing.
        let mut running = Vec::new();
        for folder in folders {
            running.extend(folder.held()?);
        }
        // Processes of two folders may count the same shard.
        running.sort_by_key(|claimant| claimant.shard);
        running.dedup_by_key(|claimant| claimant.shard);
        let results = Results::read(folders)?;
        let missing = results.missing();
        running.retain(|claimant| missing.binary_search(&claimant.shard).is_ok());
        let is_unclaimed = |shard: &usize| running.binary_search_by_key(shard, |claimant| claimant.shard).is_err();
        let unclaimed = missing.into_iter().filter(is_unclaimed).collect();
        Ok(Self { results, running, unclaimed })
    }

    /// Returns the ranges of unclaimed shards in the form that `count --only` reads, such as `0..=2` and `5`.
    pub(super) fn unclaimed_ranges(&self) -> Vec<String> {
        let ranges = self.unclaimed.chunk_by(|one, next| one + 1 == *next);
        let ends = ranges.map(|range| (range[0], range[range.len() - 1]));
        ends.map(|(first, last)| if first == last { first.to_string() } else { format!("{first}..={last}") }).collect()
    }

    /// Returns the number of running processes and the number of their threads.
    pub(super) fn processes(&self) -> (usize, usize) {
        let processes = self.running.iter().map(|one| (&one.machine, one.process, one.number, one.threads));
        let processes: BTreeSet<_> = processes.collect();
        (processes.len(), processes.iter().map(|&(.., threads)| usize::from(threads)).sum())
    }

    /// Returns the core seconds that the shards without a line will take at the mean pace of all lines, or `None` if
    /// there is no line.
    pub(super) fn core_seconds_left(&self) -> Option<f64> {
        let contributions = self.results.contributions();
        let predicted: f64 = contributions.iter().map(|one| one.predicted_core_seconds).sum();
        let left = self.results.run_plan().predicted_seconds_of(self.results.missing());
        (!contributions.is_empty()).then(|| core_seconds(&contributions) / predicted * left)
    }

    /// Returns the seconds until the run is done if its processes continue and each of their threads has its own core,
    /// or `None` if there is no line, or if no process is running.
    pub(super) fn seconds_left(&self) -> Option<f64> {
        let (_, threads) = self.processes();
        self.core_seconds_left().filter(|_| threads > 0).map(|seconds| seconds / threads as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Claim;
    use crate::run::tests::run_plan;

    /// Two containers may have the same name, and a process with ID 1 each.
    #[test]
    fn running_shards_of_several_folders_are_in_order_and_each_once() {
        let place = tempfile::tempdir().unwrap();
        let run_plan = run_plan(8, None, Some(4));
        let folders =
            ["a", "b"].map(|name| RunFolder::create(&place.path().join(name), run_plan.clone()).unwrap().unwrap());
        folders.iter().for_each(|folder| folder.make_folders().unwrap());
        let claimed = [(0, 3, 7), (0, 1, 8), (1, 2, 7), (1, 1, 7)];
        let claims = claimed.map(|(folder, shard, number)| {
            let claimant = Claimant { shard, number, process: 1, threads: 2, ..Claimant::default() };
            folders[folder].claim(&claimant)
        });
        assert!(claims.iter().all(|claim| matches!(claim, Claim::Locked(..))));
        let status = Status::of(&folders).unwrap();
        assert_eq!(status.running.iter().map(|claim| claim.shard).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(status.processes(), (2, 4));
    }
}
