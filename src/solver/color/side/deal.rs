//! Which keys stand in which lane of which word of a pack.

use crate::solver::simd::{Cell, LANE_BITS, LANES};

/// How a pack's keys are dealt to the lanes of its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Lanes as in the table: a block has as many words as its fullest lane needs, one for every 8 keys.
    Aligned,
    /// Neighbouring lanes share their places in words, as many as [`Lanes::pick`] picks among: each place takes the next 8
    /// keys, or fewer, of one of them, and the word has that lane's [number](super::planes::NUMBERS).
    ///
    /// [`Lanes::pick`]: crate::solver::simd::Lanes::pick
    Shared,
    /// Without lanes: 512 keys to a word, as they come.
    Flat,
}

/// What stands in a word.
#[derive(Debug, Clone)]
pub(super) struct Dealt {
    /// Where the keys of each lane begin and end.
    pub(super) ends: [[u32; 2]; LANES],
    pub(super) numbers: Cell,
}

impl Dealt {
    pub(super) const EMPTY: Self = Self { ends: [[0; 2]; LANES], numbers: Cell::ZERO };
}

/// The words of a pack, block by block (or pair by pair), level by level.
#[derive(Debug, Default)]
pub(super) struct Deal {
    words: Vec<Dealt>,
    /// Levels of each block (or pair).
    pub(super) depths: Vec<usize>,
    /// The number of each block's (or pair's) first word.
    firsts: Vec<usize>,
    /// Where each lane's keys begin, one more than there are lanes.
    starts: Vec<u32>,
}

impl Deal {
    /// Deals keys to the words of `blocks` blocks. `lane_of` has the lanes of the keys, in order. `sharing` is how many lanes
    /// share their places with [`Layout::Shared`].
    #[inline(always)]
    pub(super) fn deal(&mut self, lane_of: &[u32], blocks: usize, layout: Layout, sharing: usize) {
        self.words.clear();
        self.depths.clear();
        self.firsts.clear();
        match layout {
            Layout::Aligned => self.share(lane_of, blocks, 1),
            Layout::Shared => self.share(lane_of, blocks, sharing),
            Layout::Flat => self.flatten(lane_of.len()),
        }
    }

    /// Finds where each lane's keys begin.
    #[inline(always)]
    fn find_starts(&mut self, lane_of: &[u32], blocks: usize) {
        // The keys are sorted by lane, so each lane's first one is the last to be seen from the end. (Counting them
        // waits for its own stores.)
        self.starts.clear();
        self.starts.resize(blocks * LANES + 1, u32::MAX);
        for (at, &lane) in lane_of.iter().enumerate().rev() {
            self.starts[lane as usize] = at as u32;
        }
        let mut next = lane_of.len() as u32;
        for start in self.starts.iter_mut().rev() {
            next = next.min(*start);
            *start = next;
        }
    }

    /// What stands in a word: nothing on levels that the block does not have.
    pub(super) fn word(&self, block: usize, level: usize) -> &Dealt {
        if level < self.depths[block] { &self.words[self.firsts[block] + level] } else { &Dealt::EMPTY }
    }

    /// [`Layout::Flat`].
    fn flatten(&mut self, keys: usize) {
        self.firsts.push(0);
        for first in (0..keys).step_by(LANES * LANE_BITS) {
            let mut word = Dealt::EMPTY;
            for (lane, ends) in word.ends.iter_mut().enumerate() {
                let from = first + lane * LANE_BITS;
                *ends = [from, from + LANE_BITS].map(|at| at.min(keys) as u32);
            }
            self.words.push(word);
        }
        self.depths.push(self.words.len());
    }

    /// [`Layout::Shared`], or with one lane that shares [`Layout::Aligned`].
    fn share(&mut self, lane_of: &[u32], blocks: usize, sharing: usize) {
        self.find_starts(lane_of, blocks);
        let last = self.starts.len() - 1;
        let (together, places) = (sharing.max(LANES), sharing.min(LANES));
        for first in (0..last).step_by(together) {
            let before = self.words.len();
            self.firsts.push(before);
            for some in (0..together.min(last - first)).step_by(sharing) {
                let (mut word, mut at) = (before, 0);
                let starts = &self.starts[first + some..=last.min(first + some + sharing)];
                for (number, ends) in (some..).zip(starts.windows(2)) {
                    for from in (ends[0]..ends[1]).step_by(LANE_BITS) {
                        if word == self.words.len() {
                            self.words.push(Dealt::EMPTY);
                        }
                        let place = some % LANES + at;
                        self.words[word].ends[place] = [from, ends[1].min(from + LANE_BITS as u32)];
                        self.words[word].numbers.0[place] = number as u8;
                        at += 1;
                        if at == places {
                            (word, at) = (word + 1, 0);
                        }
                    }
                }
            }
            self.depths.push(self.words.len() - before);
        }
    }
}
