//! Deals the keys of a pack to the bytes of its words. Because keys are sorted by lane, [`Deal::deal`] only has to find
//! where the keys of each lane begin, and then records, lane by lane, which keys each byte gets.

use std::ops::Range;

use crate::Result;
use crate::memory::{grow, push};
use crate::simd::{BLOCK_LANES, Cell, Ends, KEYS_PER_BYTE, NO_PLACE, QUARTER_BYTES, WORD_BYTES, Words};

/// A way to deal keys to the bytes of words. A byte holds up to 8 keys of one lane, unless words are sparse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// For the summing side. [`SHARING`](Words::SHARING) neighboring lanes share the bytes of words: each byte takes
    /// the next keys of one of these lanes. If a lane shares with no other, words are *aligned*: byte i belongs to lane
    /// i of its block, and the fullest lane decides how many words the block has.
    Shared,
    /// For the filling side. Two neighboring blocks share words, and a word has at most one byte of each of their
    /// lanes. Lane i of either block has its bytes in the quarter that contains byte i, so that [`Words::permute`] can
    /// move counts from bytes to lanes. Instruction sets for which this is slow ([`Words::SPREADS`]) use aligned words
    /// instead.
    Spread,
    /// For the summing side if few keys are alive at a leaf: each word takes the next 512 keys, whatever their lanes.
    Sparse,
}

impl Layout {
    /// Number of maps of a shared word: the lane of each byte.
    pub(crate) const SHARED_MAPS: usize = 1;
    /// Number of maps of a spread word: for each of two blocks, the place of each lane.
    pub(crate) const SPREAD_MAPS: usize = 2;

    /// Returns the number of maps ([`WordKeys::maps`]) that a pack stores.
    pub(super) fn maps(self) -> usize {
        match self {
            Self::Shared => Self::SHARED_MAPS,
            Self::Spread => Self::SPREAD_MAPS,
            Self::Sparse => 0,
        }
    }
}

/// The keys of a word.
#[derive(Debug, Clone)]
pub(super) struct WordKeys {
    pub(super) ends: Ends,
    /// How bytes and lanes correspond. In shared words, the first map holds the lane of each byte, numbered within its
    /// stack. In spread words, the maps hold, for each lane of the first and of the second block, the number of its
    /// byte within its quarter, or [`NO_PLACE`].
    pub(super) maps: [Cell; 2],
}

impl WordKeys {
    pub(super) const EMPTY: Self = Self { ends: [[0; 2]; WORD_BYTES], maps: [Cell::ZERO; 2] };
    const EMPTY_SPREAD: Self = Self { maps: [Cell([NO_PLACE; WORD_BYTES]); 2], ..Self::EMPTY };
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
    /// Deals keys to the words of `blocks` blocks. `lane_of` holds the lane of each key, in ascending order.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    #[inline(always)]
    pub(super) fn deal<T: Words>(&mut self, lane_of: &[u32], blocks: usize, layout: Layout) -> Result<()> {
        self.words.clear();
        self.levels.clear();
        self.firsts.clear();
        match layout {
            Layout::Shared => self.share(lane_of, blocks, T::SHARING),
            Layout::Spread if T::SPREADS => self.spread(lane_of, blocks),
            Layout::Spread => self.share(lane_of, blocks, 1),
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

    /// Deals as in [`Layout::Shared`], with `sharing` neighboring lanes.
    fn share(&mut self, lane_of: &[u32], blocks: usize, sharing: usize) -> Result<()> {
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
                        self.words[word].maps[0].0[byte] = lane as u8;
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

    /// Deals as in [`Layout::Spread`]. A quarter deals the bytes of its lanes to the words in turn. Because no lane
    /// has more bytes than there are words, no two of its bytes are in one word.
    fn spread(&mut self, lane_of: &[u32], blocks: usize) -> Result<()> {
        self.find_starts(lane_of, blocks)?;
        for first_block in (0..blocks).step_by(2) {
            let first_word = self.words.len();
            push(&mut self.firsts, first_word)?;
            let of_stack = first_block..blocks.min(first_block + 2);
            let of_quarters = (0..QUARTERS).map(|quarter| words_of_quarter(&self.starts, of_stack.clone(), quarter));
            let words = of_quarters.fold(0, usize::max);
            for _ in 0..words {
                push(&mut self.words, WordKeys::EMPTY_SPREAD)?;
            }
            for quarter in 0..QUARTERS {
                let (mut word, mut used_bytes) = (first_word, 0);
                for (map, block) in of_stack.clone().enumerate() {
                    for (lane, ends) in lanes_of_quarter(&self.starts, block, quarter) {
                        for from in (ends[0]..ends[1]).step_by(KEYS_PER_BYTE) {
                            let to = &mut self.words[word];
                            to.ends[quarter * QUARTER_BYTES + used_bytes] =
                                [from, ends[1].min(from + KEYS_PER_BYTE as u32)];
                            to.maps[map].0[lane] = used_bytes as u8;
                            word += 1;
                            if word == first_word + words {
                                (word, used_bytes) = (first_word, used_bytes + 1);
                            }
                        }
                    }
                }
            }
            push(&mut self.levels, words)?;
        }
        Ok(())
    }
}

/// Number of quarters of a word.
const QUARTERS: usize = WORD_BYTES / QUARTER_BYTES;

/// Iterates over the lanes of a block that belong to a quarter, each with where its keys begin and end. Lanes are
/// numbered within the block.
fn lanes_of_quarter(starts: &[u32], block: usize, quarter: usize) -> impl Iterator<Item = (usize, &[u32])> {
    let lanes = quarter * QUARTER_BYTES;
    let first = block * BLOCK_LANES + lanes;
    (lanes..).zip(starts[first..=first + QUARTER_BYTES].windows(2))
}

/// Returns the smallest number of words that have room for the bytes of a quarter and at most one byte of each lane.
fn words_of_quarter(starts: &[u32], blocks: Range<usize>, quarter: usize) -> usize {
    let (mut all, mut most) = (0, 0);
    for (_, ends) in blocks.flat_map(|block| lanes_of_quarter(starts, block, quarter)) {
        let bytes = (ends[1] - ends[0]).div_ceil(KEYS_PER_BYTE as u32) as usize;
        all += bytes;
        most = most.max(bytes);
    }
    most.max(all.div_ceil(QUARTER_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splitmix::SplitMix64;

    /// Returns the smallest number of words for two blocks whose lanes have these numbers of keys.
    fn fewest_words(keys: &[usize]) -> usize {
        let bytes: Vec<usize> = keys.iter().map(|keys| keys.div_ceil(KEYS_PER_BYTE)).collect();
        let of_quarter = |quarter: usize| -> usize {
            let lanes = bytes.iter().enumerate().filter(|(lane, _)| lane % BLOCK_LANES / QUARTER_BYTES == quarter);
            lanes.map(|(_, bytes)| bytes).sum()
        };
        let room = (0..QUARTERS).map(|quarter| of_quarter(quarter).div_ceil(QUARTER_BYTES)).max().unwrap();
        room.max(bytes.into_iter().max().unwrap())
    }

    #[test]
    fn spread_words_are_few_and_have_each_key_once_and_at_most_one_byte_of_a_lane() {
        let (mut random, mut deal) = (SplitMix64::new(1), Deal::default());
        // With few keys in some lanes, the fullest lane decides the number of words, and with equally many in all lanes
        // of two blocks, the quarters do.
        let ragged = [(1, 10), (2, 10), (2, 100), (3, 30), (4, 1), (2, 0)].map(|(blocks, most)| {
            let mut keys = || {
                let most = random.below(most + 1);
                random.below(most + 1)
            };
            (0..blocks * BLOCK_LANES).map(|_| keys()).collect::<Vec<_>>()
        });
        let full = [(2, 8), (3, 9), (4, 50)].map(|(blocks, keys)| vec![keys; blocks * BLOCK_LANES]);
        let mut decided_by_quarters = 0;
        for keys in ragged.iter().chain(&full) {
            let lane_of: Vec<u32> =
                keys.iter().enumerate().flat_map(|(lane, &keys)| std::iter::repeat_n(lane as u32, keys)).collect();
            let blocks = keys.len() / BLOCK_LANES;
            deal.words.clear();
            deal.levels.clear();
            deal.firsts.clear();
            deal.spread(&lane_of, blocks).unwrap();
            let fewest: Vec<usize> = keys.chunks(2 * BLOCK_LANES).map(fewest_words).collect();
            assert_eq!(deal.levels, fewest);
            let fullest = keys.chunks(2 * BLOCK_LANES).map(|keys| keys.iter().max().unwrap().div_ceil(KEYS_PER_BYTE));
            decided_by_quarters += fewest.iter().zip(fullest).filter(|&(&words, fullest)| words > fullest).count();
            let mut dealt = vec![0; lane_of.len()];
            for (stack, &levels) in deal.levels.iter().enumerate() {
                for word in (0..levels).map(|level| deal.word(stack, level)) {
                    let mut keys_of_maps = 0;
                    for (map, block) in word.maps.iter().zip(2 * stack..) {
                        for (lane, &place) in map.0.iter().enumerate().filter(|&(_, &place)| place != NO_PLACE) {
                            let byte = lane / QUARTER_BYTES * QUARTER_BYTES + usize::from(place);
                            for key in word.ends[byte][0]..word.ends[byte][1] {
                                assert_eq!(lane_of[key as usize], (block * BLOCK_LANES + lane) as u32);
                                dealt[key as usize] += 1;
                                keys_of_maps += 1;
                            }
                        }
                    }
                    let in_word: u32 = word.ends.iter().map(|[from, to]| to - from).sum();
                    assert_eq!(keys_of_maps, in_word, "each byte belongs to the lane that names it");
                }
            }
            assert!(dealt.iter().all(|&times| times == 1));
        }
        assert!(decided_by_quarters > 2, "{decided_by_quarters}");
    }
}
