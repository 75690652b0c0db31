//! In which order a process takes the shards of a run.
//!
//! Each process begins at a place of its own and takes neighbouring shards. Where it comes to those of another process
//! it goes on elsewhere: two that take the same neighbours would stay together, and where locks do not work they would
//! count everything twice.

use std::collections::VecDeque;

use nqueens::splitmix::SplitMix64;

/// The shards that a process has yet to look at.
#[derive(Debug)]
pub(crate) struct Queue {
    /// In their order, from the place where it goes on.
    left: VecDeque<usize>,
    /// Those that others were counting, to be looked at once more.
    later: VecDeque<usize>,
    is_second_look: bool,
    random: SplitMix64,
}

impl Queue {
    /// These shards. The number says where to begin.
    pub(crate) fn new(shards: &[usize], number: u64) -> Self {
        let mut queue = Self {
            left: shards.iter().copied().collect(),
            later: VecDeque::new(),
            is_second_look: false,
            random: SplitMix64::new(number),
        };
        queue.go_elsewhere();
        queue
    }

    fn go_elsewhere(&mut self) {
        if !self.left.is_empty() {
            let place = self.random.below(self.left.len());
            self.left.rotate_left(place);
        }
    }

    /// The shard to be looked at next.
    pub(crate) fn front(&mut self) -> Option<usize> {
        if self.left.is_empty() && !self.is_second_look {
            self.is_second_look = true;
            std::mem::swap(&mut self.left, &mut self.later);
        }
        self.left.front().copied()
    }

    /// Whether every shard was looked at once.
    pub(crate) fn is_second_look(&self) -> bool {
        self.is_second_look
    }

    /// Takes the shard at the front.
    pub(crate) fn take(&mut self) {
        self.left.pop_front();
    }

    /// Another process seems to be counting this one.
    pub(crate) fn put_off(&mut self, shard: usize) {
        self.later.push_back(shard);
        self.go_elsewhere();
    }

    /// Others were here: drops what is there by now, returns it, and goes on elsewhere. The shards that are there have
    /// to be in order.
    pub(crate) fn look_around(&mut self, there: &[usize]) -> Vec<usize> {
        let mut gone = Vec::new();
        for shards in [&mut self.left, &mut self.later] {
            shards.retain(|shard| {
                let is_there = there.binary_search(shard).is_ok();
                if is_there {
                    gone.push(*shard);
                }
                !is_there
            });
        }
        self.go_elsewhere();
        gone
    }

    /// Those that others are still counting, once all were looked at twice.
    pub(crate) fn elsewhere(self) -> Vec<usize> {
        if self.left.is_empty() && self.is_second_look { self.later.into() } else { Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    use super::*;

    // What the file system is asked: for a look at a record that is not there, for one that is, for a claim in vain, for
    // all that a shard takes that is counted; and the names that it lists at a time.
    const LOOK: usize = 1;
    const READ: usize = 5;
    const IN_VAIN: usize = 4;
    const COUNTED: usize = 25;
    const NAMES_A_PAGE: usize = 200;

    /// Processes of unequal speed that share a run, and where locks do not work see no claims either. Returns the file
    /// operations and how often shards were counted.
    fn simulate(shards: usize, processes: u64, are_locked: bool) -> (usize, usize) {
        let all: Vec<usize> = (0..shards).collect();
        let mut queues: Vec<Queue> = (1..=processes).map(|number| Queue::new(&all, number)).collect();
        let mut random = SplitMix64::new(5);
        let (mut there, mut claimed) = (vec![false; shards], vec![false; shards]);
        let (mut operations, mut counted, mut listed) = (0, 0, 0);
        // When a process is done with its shard, which process, and which shard. All but start together.
        let mut busy: BinaryHeap<Reverse<(usize, usize, Option<usize>)>> =
            (0..queues.len()).map(|process| Reverse((random.below(10), process, None))).collect();
        while let Some(Reverse((now, process, finished))) = busy.pop() {
            let queue = &mut queues[process];
            let mut has_met = false;
            if let Some(shard) = finished {
                counted += 1;
                operations += COUNTED;
                has_met = there[shard];
                listed += usize::from(!there[shard]);
                there[shard] = true;
            }
            loop {
                if std::mem::take(&mut has_met) {
                    operations += 3 + listed / NAMES_A_PAGE;
                    let now_there: Vec<usize> = (0..shards).filter(|&shard| there[shard]).collect();
                    queue.look_around(&now_there);
                }
                let Some(shard) = queue.front() else { break };
                queue.take();
                if there[shard] {
                    operations += READ;
                    has_met = true;
                } else if are_locked && claimed[shard] {
                    operations += LOOK + IN_VAIN;
                    queue.put_off(shard);
                } else {
                    claimed[shard] = true;
                    busy.push(Reverse((now + 700 + random.below(600), process, Some(shard))));
                    break;
                }
            }
        }
        assert!(there.iter().all(|&is_there| is_there));
        (operations, counted)
    }

    /// A run of n = 28. Asking for every shard took 45 million.
    #[test]
    fn eighty_processes_ask_little_more_of_the_file_system_than_their_records_take() {
        let (operations, counted) = simulate(62_053, 80, true);
        assert_eq!(counted, 62_053);
        assert!(operations < 62_053 * (COUNTED + 10), "{operations}");
    }

    /// Six processes that began at shard 0 and stayed in step counted 60 shards 176 times.
    #[test]
    fn without_locks_and_claims_few_shards_are_counted_twice() {
        let (_, counted) = simulate(60, 6, false);
        assert!((60..80).contains(&counted), "{counted}");
        let (_, counted) = simulate(2000, 20, false);
        assert!((2000..2200).contains(&counted), "{counted}");
    }

    #[test]
    fn each_process_begins_elsewhere_and_takes_neighbours() {
        let all: Vec<usize> = (0..1000).collect();
        let mut firsts: Vec<usize> = (0..8).map(|number| Queue::new(&all, number).front().unwrap()).collect();
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), 8);
        let mut queue = Queue::new(&all, 3);
        let first = queue.front().unwrap();
        for step in 0..1000 {
            assert_eq!(queue.front(), Some((first + step) % 1000));
            queue.take();
        }
        assert_eq!(queue.front(), None);
    }
}
