//! The walk of the summing side on sparse packs, for units in which few keys are alive at a leaf.
//!
//! If keys were dealt by lane, words would be less than half full (n = 24, BITALG), and so few keys would be alive at a
//! leaf that looking up their entries takes less time than multiplying counts. Each word of a sparse pack therefore
//! takes the next 512 keys of the list, and the pack stores the lane of each key. The walk *notes* (stores) the words
//! of a leaf without a branch, and later looks up the table entry of each key that is alive.
//!
//! Words are noted whole, because copying only the parts that contain a key (`vpcompressq`) took longer.

use super::sink::TileData;
use super::{Replay, TileWalk, and_not, find_states};
use crate::Result;
use crate::color::pack::SPARSE_TILE_WORDS;
use crate::color::program::{MAX_GROUP, Subtree, group_length};
use crate::color::table::{TurnedPiece, joined};
use crate::simd::{BLOCK_LANES, Cell, KEYS_PER_BYTE, Kernel, WORD_BYTES, Words};

/// Walks a program on sparse packs, and returns the sum of the entries of the keys that are alive at leaves.
pub(super) struct LookUp<'a> {
    pub(super) replay: Replay<'a>,
    pub(super) table: TurnedPiece<'a>,
    pub(super) noted: &'a mut Noted,
}

impl Kernel for LookUp<'_> {
    type Output = Result<u128>;

    #[inline(always)]
    fn run<T: Words>(self, simd: T) -> Result<u128> {
        let Self { replay, table, noted } = self;
        let mut walk = SparseWalk { table, noted, sum: 0 };
        replay.walk(simd, &mut walk)?;
        Ok(walk.sum)
    }
}

/// The walk on sparse packs, which adds up the entries of all keys that are alive at leaves.
struct SparseWalk<'a> {
    table: TurnedPiece<'a>,
    noted: &'a mut Noted,
    sum: u128,
}

impl<T: Words> TileWalk<T> for SparseWalk<'_> {
    const TILE_WORDS: usize = SPARSE_TILE_WORDS;

    #[inline(always)]
    fn walk_tile<const N: usize>(&mut self, simd: T, subtree: Subtree<'_>, data: &TileData<'_>, states: &mut [Cell]) {
        let Self { table, noted, sum } = self;
        let states = find_states::<T, N>(simd, subtree, data.planes, states);
        for (groups, leaves) in subtree.groups.iter().zip(1..) {
            for group in groups.chunks_exact(group_length(leaves)) {
                let cell = usize::from(group[0]) * table.stride;
                for &[state, ending] in group[1..].as_chunks().0 {
                    let alive = and_not::<T, N>(simd, &states[usize::from(ending)], &states[usize::from(state)]);
                    noted.note::<T, N>(simd, alive, cell as u32);
                }
                if noted.leaves > NOTED_WORDS / N - MAX_GROUP {
                    *sum += u128::from(noted.sum_and_forget::<N>(*table, data.lane_of));
                }
            }
        }
        *sum += u128::from(noted.sum_and_forget::<N>(*table, data.lane_of));
    }
}

/// Number of keys in a part of a word.
const PART_KEYS: usize = 64;

/// Number of parts of a word.
const PARTS: usize = WORD_BYTES * KEYS_PER_BYTE / PART_KEYS;

/// Noted leaves whose entries are not added up yet.
#[derive(Debug, Clone)]
pub(crate) struct Noted {
    /// The words of the leaves, leaf by leaf. A bit is set if its key is alive.
    words: [Cell; NOTED_WORDS],
    /// For each word, a bit for each part, which is set if a key of the part is alive.
    masks: [u8; NOTED_WORDS],
    /// For each leaf, the first cell of its table row.
    cells: [u32; NOTED_WORDS],
    /// Number of leaves.
    leaves: usize,
}

/// The maximum number of words that are noted before their entries are added up: few enough to stay in L1.
const NOTED_WORDS: usize = 256;

/// The mask of a word has a bit for each part.
const _: () = assert!(PARTS == 8);

impl Noted {
    pub(crate) const EMPTY: Self =
        Self { words: [Cell::ZERO; NOTED_WORDS], masks: [0; NOTED_WORDS], cells: [0; NOTED_WORDS], leaves: 0 };

    /// Notes a leaf. `cell` is the first cell of its table row.
    #[inline(always)]
    fn note<T: Words, const N: usize>(&mut self, simd: T, alive: [T::Word; N], cell: u32) {
        let first = N * self.leaves;
        let words: &mut [Cell; N] = self.words[first..].first_chunk_mut().expect("there is room");
        let masks: &mut [u8; N] = self.masks[first..].first_chunk_mut().expect("there is room");
        for w in 0..N {
            simd.store(alive[w], &mut words[w]);
            masks[w] = simd.parts(alive[w]);
        }
        self.cells[self.leaves] = cell;
        self.leaves += 1;
    }

    /// Returns the sum of the entries of all noted keys, and forgets the leaves. A leaf has `N` words.
    #[inline(always)]
    fn sum_and_forget<const N: usize>(&mut self, table: TurnedPiece<'_>, lane_of: &[u16]) -> u64 {
        let words = N * self.leaves;
        self.leaves = 0;
        self.masks[words..words.next_multiple_of(8)].fill(0);
        let layers = [table.low, table.high, table.odd];
        if table.is_wide {
            self.sum_words::<N, true>(words, layers, lane_of)
        } else {
            self.sum_words::<N, false>(words, layers, lane_of)
        }
    }

    /// Returns the sum of the entries of all keys that are alive in the first `words` words. `layers` are the low
    /// bytes, the high bytes and the odd bits; the last two are read only if entries are `WIDE`.
    ///
    /// Not inlined, because it would compete with the walk for registers.
    #[inline(never)]
    fn sum_words<const N: usize, const WIDE: bool>(&self, words: usize, layers: [&[Cell]; 3], lane_of: &[u16]) -> u64 {
        let mut sum = 0;
        // The masks of eight words are read at a time.
        for (eight, &masks) in self.masks[..words.next_multiple_of(8)].as_chunks().0.iter().enumerate() {
            let mut parts = u64::from_le_bytes(masks);
            while parts != 0 {
                sum += self.sum_part::<N, WIDE>(64 * eight + parts.trailing_zeros() as usize, layers, lane_of);
                parts &= parts - 1;
            }
        }
        sum
    }

    /// Returns the sum of the entries of the keys that are alive in a part. Parts are numbered through all noted words.
    #[inline(always)]
    fn sum_part<const N: usize, const WIDE: bool>(&self, part: usize, layers: [&[Cell]; 3], lane_of: &[u16]) -> u64 {
        // `% NOTED_WORDS` replaces a bounds check: the word's number is below it anyway.
        let (word, part) = (part / PARTS % NOTED_WORDS, part % PARTS);
        let cell = self.cells[word / N] as usize;
        let first = (word % N * PARTS + part) * PART_KEYS;
        let mut alive = u64::from_le_bytes(self.words[word].0.as_chunks().0[part]);
        let mut sum = 0;
        while alive != 0 {
            let lane = usize::from(lane_of[first + alive.trailing_zeros() as usize]);
            let byte = |layer: &[Cell]| u64::from(layer[cell + lane / BLOCK_LANES].0[lane % BLOCK_LANES]);
            sum += if WIDE { joined(layers.map(byte)) } else { byte(layers[0]) };
            alive &= alive - 1;
        }
        sum
    }
}
