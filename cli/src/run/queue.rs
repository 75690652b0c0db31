//! The order in which a process takes the shards of a run.
//!
//! A process begins at a random shard and continues with the next one. When it meets a shard that another process has
//! counted or is counting, it jumps to another place, because two processes that move side by side would count every
//! shard twice where file locks do not work.

use std::collections::VecDeque;

use nqueens::internal::SplitMix64;

/// The shards that a process has not looked at yet.
#[derive(Debug)]
pub(crate) struct Queue {
    /// The shards in cyclic order, beginning with the next one.
    left: VecDeque<usize>,
    random: SplitMix64,
}

impl Queue {
    /// Returns a queue of these shards. The seed, which differs between processes, decides the first one.
    pub(crate) fn new(shards: &[usize], seed: u64) -> Self {
        let mut queue = Self { left: shards.iter().copied().collect(), random: SplitMix64::new(seed) };
        queue.jump();
        queue
    }

    /// Continues at a random place.
    pub(crate) fn jump(&mut self) {
        if !self.left.is_empty() {
            let place = self.random.below(self.left.len());
            self.left.rotate_left(place);
        }
    }

    /// Returns the next shard.
    pub(crate) fn front(&self) -> Option<usize> {
        self.left.front().copied()
    }

    /// Removes the next shard.
    pub(crate) fn take(&mut self) {
        self.left.pop_front();
    }

    /// Removes and returns the shards that have been counted in the meantime, and jumps to another place.
    pub(crate) fn remove_counted(&mut self, is_counted: impl Fn(usize) -> bool) -> Vec<usize> {
        let (gone, left): (Vec<usize>, Vec<usize>) = self.left.drain(..).partition(|&shard| is_counted(shard));
        self.left = left.into();
        self.jump();
        gone
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    use super::*;

    /// Simulates processes of unequal speed that share a run. They see each other's claims only if claims are locked.
    /// Returns the number of counted shards, including repetitions.
    fn simulate(shards: usize, processes: u64, are_locked: bool) -> usize {
        let all: Vec<usize> = (0..shards).collect();
        let mut queues: Vec<Queue> = (1..=processes).map(|seed| Queue::new(&all, seed)).collect();
        let mut random = SplitMix64::new(5);
        let (mut there, mut claimed, mut counted) = (vec![false; shards], vec![false; shards], 0);
        // The time at which a process finishes its shard, the process, and the shard. All start at nearly the same
        // time.
        let mut busy: BinaryHeap<Reverse<(usize, usize, Option<usize>)>> =
            (0..queues.len()).map(|process| Reverse((random.below(10), process, None))).collect();
        while let Some(Reverse((now, process, finished))) = busy.pop() {
            let queue = &mut queues[process];
            if let Some(shard) = finished {
                counted += 1;
                there[shard] = true;
            }
            while let Some(shard) = queue.front() {
                if there[shard] {
                    queue.remove_counted(|shard| there[shard]);
                    continue;
                }
                queue.take();
                if are_locked && claimed[shard] {
                    queue.jump();
                } else {
                    claimed[shard] = true;
                    busy.push(Reverse((now + 700 + random.below(600), process, Some(shard))));
                    break;
                }
            }
        }
        assert!(there.iter().all(|&is_there| is_there));
        counted
    }

    #[test]
    fn without_locks_and_claims_few_shards_are_counted_twice() {
        assert_eq!(simulate(2000, 20, true), 2000);
        let counted = simulate(2000, 20, false);
        assert!((2000..2200).contains(&counted), "{counted}");
    }
}
