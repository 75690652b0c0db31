//! The suite: what `bench machine` counts. It is the same on every machine.

use nqueens::board::Size;
use nqueens::engine::default_threads;

use super::workload::{Threads, WorkloadId};

/// The solvers and their boards. A board takes a few milliseconds. So a sample has many of them.
pub(crate) const SUITE: [(&str, usize); 3] = [("arrays", 10), ("bitmask", 12), ("color", 16)];

/// The workloads: each solver on one thread and on all. With `scaling` also on 2, 4, 8 threads and so on.
pub(crate) fn workloads(scaling: bool) -> Vec<WorkloadId> {
    let doubled = std::iter::successors(Some(2), |threads| Some(2 * threads));
    let between = doubled.take_while(|&threads| scaling && threads < default_threads()).map(Threads::Exactly);
    let threads: Vec<Threads> = [Threads::Exactly(1)].into_iter().chain(between).chain([Threads::All]).collect();
    let sized = SUITE.into_iter().filter_map(|(solver, n)| Some((solver, Size::new(n).ok()?)));
    sized
        .flat_map(|(solver, size)| threads.iter().map(move |&threads| WorkloadId::new(solver, size, threads)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::sample::Runner;
    use super::*;

    #[test]
    fn every_workload_of_the_suite_can_run() {
        assert_eq!(workloads(false).len(), 2 * SUITE.len());
        let all = workloads(true);
        assert!(workloads(false).iter().all(|id| all.contains(id)));
        for id in &all {
            assert!(Runner::new(id, None).is_ok(), "{id}");
        }
    }
}
