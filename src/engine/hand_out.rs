//! Hands out units to threads.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use crate::Result;
use crate::room::{collect, push};
use crate::solver::Plan;

/// Hands out each unit of a count to one thread.
///
/// Units that [continue](Plan#method.continues) each other are a chunk. A thread takes the next chunk and counts it
/// unit by unit. When all chunks are taken, an idle thread takes the last unit of another thread's chunk. So most
/// chunks stay with one thread, and all threads are busy to the end.
#[doc(hidden)]
#[derive(Debug)]
pub struct HandOut<'a> {
    units: &'a [usize],
    /// Each chunk, as a range of indices in `units`.
    chunks: Vec<Range<usize>>,
    /// For each index in `units`, whether a thread has taken it.
    taken: Vec<AtomicBool>,
    /// Number of chunks that a thread has begun.
    begun: AtomicUsize,
    /// Chunks before this index have no unit left.
    exhausted: AtomicUsize,
}

impl<'a> HandOut<'a> {
    /// Makes the list of chunks of `units`, in this order.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn new(plan: &dyn Plan, units: &'a [usize]) -> Result<Self> {
        let mut chunks: Vec<Range<usize>> = Vec::new();
        for (place, &unit) in units.iter().enumerate() {
            let continues = place > 0 && units[place - 1] + 1 == unit && plan.continues(unit);
            match chunks.last_mut().filter(|_| continues) {
                Some(chunk) => chunk.end += 1,
                None => push(&mut chunks, place..place + 1)?,
            }
        }
        let taken = collect(units.iter().map(|_| AtomicBool::new(false)))?;
        Ok(Self { units, chunks, taken, begun: AtomicUsize::new(0), exhausted: AtomicUsize::new(0) })
    }

    /// Returns the next unit for the thread whose unit before was `last`; `None` if no unit is left.
    #[must_use]
    pub fn next(&self, last: Option<Handed>) -> Option<Handed> {
        if let Some(Handed { chunk, place, .. }) = last
            && place + 1 < self.chunks[chunk].end
            && let Some(next) = self.take(chunk, place + 1)
        {
            return Some(next);
        }
        loop {
            let chunk = self.begun.fetch_add(1, Relaxed);
            let Some(places) = self.chunks.get(chunk) else { break };
            if let Some(first) = self.take(chunk, places.start) {
                return Some(first);
            }
        }
        self.take_from_others()
    }

    /// Takes the last free unit of another thread's chunk.
    fn take_from_others(&self) -> Option<Handed> {
        for chunk in self.exhausted.load(Relaxed)..self.chunks.len() {
            if let Some(last) = self.chunks[chunk].clone().rev().find_map(|place| self.take(chunk, place)) {
                return Some(last);
            }
            self.exhausted.fetch_max(chunk + 1, Relaxed);
        }
        None
    }

    fn take(&self, chunk: usize, place: usize) -> Option<Handed> {
        let is_free = !self.taken[place].load(Relaxed) && !self.taken[place].swap(true, Relaxed);
        is_free.then(|| Handed { unit: self.units[place], chunk, place })
    }
}

/// A unit that a thread received.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handed {
    /// The unit's number in the plan.
    pub unit: usize,
    chunk: usize,
    place: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::Worker;

    /// Chunks of four units.
    struct Fours;

    impl Plan for Fours {
        fn units(&self) -> usize {
            40
        }

        fn name(&self, unit: usize) -> String {
            unit.to_string()
        }

        fn cost(&self, _unit: usize) -> f64 {
            1.0
        }

        fn continues(&self, unit: usize) -> bool {
            !unit.is_multiple_of(4)
        }

        fn worker(&self) -> Box<dyn Worker + '_> {
            unreachable!("no unit is counted here")
        }
    }

    /// The order in which threads that take turns get the units.
    fn order(units: &[usize], threads: usize) -> Vec<Vec<usize>> {
        let hand_out = HandOut::new(&Fours, units).unwrap();
        let mut last = vec![None; threads];
        let mut given = vec![Vec::new(); threads];
        loop {
            let mut any = false;
            for thread in 0..threads {
                if let Some(next) = hand_out.next(last[thread]) {
                    given[thread].push(next.unit);
                    (last[thread], any) = (Some(next), true);
                }
            }
            if !any {
                return given;
            }
        }
    }

    #[test]
    fn a_thread_keeps_its_chunk_until_others_are_idle() {
        let units: Vec<usize> = (0..12).collect();
        assert_eq!(order(&units, 1), [(0..12).collect::<Vec<_>>()]);
        // Three chunks on two threads: the last one is shared from both ends.
        assert_eq!(order(&units, 2), [vec![0, 1, 2, 3, 8, 9], vec![4, 5, 6, 7, 11, 10]]);
    }

    #[test]
    fn every_unit_is_given_once_whatever_the_units_are() {
        for units in [vec![], vec![5], vec![3, 4, 5, 6, 7, 12], (0..40).rev().collect(), (0..40).collect()] {
            for threads in [1, 2, 3, 7, 50] {
                let mut given: Vec<usize> = order(&units, threads).into_iter().flatten().collect();
                given.sort_unstable();
                let mut expected = units.clone();
                expected.sort_unstable();
                assert_eq!(given, expected, "{threads} threads");
            }
        }
    }
}
