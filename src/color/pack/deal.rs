//! Deals the keys of a pack to the bytes of its words. Because keys are sorted by lane, [`Deal::deal`] only has to find
//! where the keys of each lane begin, and then records, lane by lane, which keys each byte gets.

use crate::Result;
use crate::memory::{grow, push};
use crate::simd::{BLOCK_LANES, Cell, Ends, KEYS_PER_BYTE, WORD_BYTES};

/// A way to deal keys to the bytes of words. A byte holds up to 8 keys of one lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Byte i of a word belongs to lane i of its block. The fullest lane decides how many words the block has.
    Aligned,
    /// [`SHARING`](crate::simd::Words::SHARING) neighboring lanes share the bytes of words. Each byte takes up to 8
    /// keys of one of these lanes. The word also stores the [lane of each byte](super::planes::LANE_OF_BYTE).
    Shared,
    /// Each word takes the next 512 keys, whatever their lanes.
    Sparse,
}

/// The keys of a word.
#[derive(Debug, Clone)]
pub(super) struct WordKeys {
    pub(super) ends: Ends,
    /// The lane of each byte, numbered as in [`LANE_OF_BYTE`](super::planes::LANE_OF_BYTE).
    pub(super) lane_of_byte: Cell,
}

impl WordKeys {
    pub(super) const EMPTY: Self = Self { ends: [[0; 2]; WORD_BYTES], lane_of_byte: Cell::ZERO };
}

/// The words of a pack, stack by stack and, within a stack, level by level. A *stack* consists of the words of one
/// block, or of two blocks that share words.
#[derive(Debug, Default)]
pub(super) struct Deal {
    words: Vec<WordKeys>,
    /// Number of levels of each stack.
    pub(super) levels: Vec<usize>,
    /// For each stack, the number of its first word.
    firsts: Vec<usize>,
    /// Where the keys of each lane begin. The last element is the number of all keys.
    starts: Vec<u32>,
}

impl Deal {
    /// Deals keys to the words of `blocks` blocks. `lane_of` holds the lane of each key, in ascending order. `sharing`
    /// is the number of lanes that share bytes in [`Layout::Shared`].
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    #[inline(always)]
    pub(super) fn deal(&mut self, lane_of: &[u32], blocks: usize, layout: Layout, sharing: usize) -> Result<()> {
        self.words.clear();
        self.levels.clear();
        self.firsts.clear();
        match layout {
            Layout::Aligned => self.deal_lanes(lane_of, blocks, 1),
            Layout::Shared => self.deal_lanes(lane_of, blocks, sharing),
            Layout::Sparse => self.deal_in_order(lane_of.len()),
        }
    }

    /// Finds where the keys of each lane begin, and fills `starts`.
    #[inline(always)]
    fn find_starts(&mut self, lane_of: &[u32], blocks: usize) -> Result<()> {
        // Keys are sorted by lane and visited from the last to the first, so the last write for a lane is its first
        // key. Counting the keys of each lane would be slower, because an increment waits for the store before it.
        self.starts.clear();
        grow(&mut self.starts, blocks * BLOCK_LANES + 1, u32::MAX)?;
        for (at, &lane) in lane_of.iter().enumerate().rev() {
            self.starts[lane as usize] = at as u32;
        }
        let mut next = lane_of.len() as u32;
        for start in self.starts.iter_mut().rev() {
            next = next.min(*start);
            *start = next;
        }
        Ok(())
    }

    /// Returns the keys of the word on a level of a stack.
    pub(super) fn word(&self, stack: usize, level: usize) -> &WordKeys {
        &self.words[self.firsts[stack] + level]
    }

    /// Deals as in [`Layout::Sparse`].
    fn deal_in_order(&mut self, keys: usize) -> Result<()> {
        push(&mut self.firsts, 0)?;
        for first in (0..keys).step_by(WORD_BYTES * KEYS_PER_BYTE) {
            let mut word = WordKeys::EMPTY;
            for (byte, ends) in word.ends.iter_mut().enumerate() {
                let from = first + byte * KEYS_PER_BYTE;
                *ends = [from, from + KEYS_PER_BYTE].map(|at| at.min(keys) as u32);
            }
            push(&mut self.words, word)?;
        }
        push(&mut self.levels, self.words.len())
    }

    /// Deals as in [`Layout::Shared`], with `sharing` neighboring lanes. If it is 1, this is [`Layout::Aligned`].
    fn deal_lanes(&mut self, lane_of: &[u32], blocks: usize, sharing: usize) -> Result<()> {
        self.find_starts(lane_of, blocks)?;
        let lanes = blocks * BLOCK_LANES;
        // The number of lanes of a stack, and the number of bytes of a word that neighbors share.
        let (stack_lanes, shared_bytes) = (sharing.max(BLOCK_LANES), sharing.min(BLOCK_LANES));
        for stack_start in (0..lanes).step_by(stack_lanes) {
            let first_word = self.words.len();
            push(&mut self.firsts, first_word)?;
            let stack_end = lanes.min(stack_start + stack_lanes);
            for first_lane in (stack_start..stack_end).step_by(sharing) {
                let (mut word, mut used_bytes) = (first_word, 0);
                let starts = &self.starts[first_lane..=lanes.min(first_lane + sharing)];
                for (lane, ends) in (first_lane - stack_start..).zip(starts.windows(2)) {
                    for from in (ends[0]..ends[1]).step_by(KEYS_PER_BYTE) {
                        // These neighbors need more levels than those before them.
                        if word == self.words.len() {
                            push(&mut self.words, WordKeys::EMPTY)?;
                        }
                        let byte = first_lane % WORD_BYTES + used_bytes;
                        self.words[word].ends[byte] = [from, ends[1].min(from + KEYS_PER_BYTE as u32)];
                        self.words[word].lane_of_byte.0[byte] = lane as u8;
                        used_bytes += 1;
                        if used_bytes == shared_bytes {
                            (word, used_bytes) = (word + 1, 0);
                        }
                    }
                }
            }
            push(&mut self.levels, self.words.len() - first_word)?;
        }
        Ok(())
    }
}
