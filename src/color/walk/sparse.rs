//! The summing side of sparse families, where few keys are alive at a leaf.
//!
//! Words in lanes would be a third full, with less than one key alive at a leaf. So packs are flat: each word has 512
//! keys in the order of the list. The words of a leaf are *noted* (stored) without a branch. Later the table entry of
//! each key that is alive is looked up.
//!
//! Words are noted whole. It took longer to copy only the parts with a key (`vpcompressq`).

use super::Batch;
use super::sink::{Sink, TileData};
use crate::Result;
use crate::color::program::MAX_GROUP;
use crate::color::simd::{BLOCK_LANES, Cell, KEYS_PER_BYTE, Kernel, WORD_BYTES, Words};
use crate::color::table::Table;
use crate::color::tuning::FLAT_TILE_WORDS;
use crate::tally::Work;

/// Walks a program on flat packs, and sums the entries of the keys that are alive at leaves.
pub(crate) struct LookUp<'a> {
    pub(crate) batch: Batch<'a>,
    pub(crate) low: Table<&'a [Cell]>,
    /// The high bytes of the entries, if they have any.
    pub(crate) high: Option<Table<&'a [Cell]>>,
    pub(crate) alive: &'a mut Alive,
}

impl Kernel for LookUp<'_> {
    type Output = Result<(u128, Work)>;

    #[inline(always)]
    fn run<T: Words>(self, token: T) -> Result<(u128, Work)> {
        let Self { batch, low, high, alive } = self;
        let mut note = Note { low, high, alive, leaves: 0, sum: 0 };
        let work = batch.walk(token, &mut note)?;
        Ok((note.sum, work))
    }
}

/// Number of keys of a part of a word.
const PART_KEYS: usize = 64;

/// Number of parts of a word.
const PARTS: usize = WORD_BYTES * KEYS_PER_BYTE / PART_KEYS;

/// Noted leaves whose entries are not added yet.
#[derive(Debug, Clone)]
pub(crate) struct Alive {
    /// The words of the leaves, one leaf after the other. A bit is set if its key is alive.
    words: [Cell; WORDS],
    /// For each word, a bit for each part that is not zero.
    masks: [u8; WORDS],
    /// For each leaf, the first cell of its table row.
    cells: [u32; WORDS],
}

/// The most words that are noted before their entries are added. So they stay in L1.
const WORDS: usize = 256;

/// A word's mask has a bit for each part.
const _: () = assert!(PARTS == 8);

impl Default for Alive {
    fn default() -> Self {
        Self { words: [Cell::ZERO; WORDS], masks: [0; WORDS], cells: [0; WORDS] }
    }
}

/// Notes the leaves of a tile, and adds the entries of their keys.
struct Note<'a> {
    low: Table<&'a [Cell]>,
    high: Option<Table<&'a [Cell]>>,
    alive: &'a mut Alive,
    /// Number of noted leaves.
    leaves: usize,
    sum: u128,
}

impl<T: Words> Sink<T> for Note<'_> {
    /// The lanes of the tile's keys.
    type Tile<'a, const W: usize, const N: usize> = &'a [u16];
    const TILE_WORDS: usize = FLAT_TILE_WORDS;
    /// A flat pack has one block.
    const WIDEST: usize = 1;

    /// 0, so that the whole table is one range: a word's keys may belong to any block.
    fn block_bytes(&self) -> usize {
        0
    }

    #[inline(always)]
    fn begin_tile<'a, const W: usize, const N: usize>(&self, _token: T, data: &TileData<'a>) -> &'a [u16] {
        data.keys
    }

    #[inline(always)]
    fn leaf<const N: usize>(&mut self, token: T, row: u16, alive: [T::Word; N], _counts: &mut [T::Word; N]) {
        let first = N * self.leaves;
        let words: &mut [Cell; N] = self.alive.words[first..].first_chunk_mut().expect("there is room");
        let masks: &mut [u8; N] = self.alive.masks[first..].first_chunk_mut().expect("there is room");
        for w in 0..N {
            token.store(alive[w], &mut words[w]);
            masks[w] = token.parts(alive[w]);
        }
        self.alive.cells[self.leaves] = (usize::from(row) * self.low.stride) as u32;
        self.leaves += 1;
    }

    #[inline(always)]
    fn end_group<const W: usize, const N: usize>(
        &mut self,
        _token: T,
        keys: &&[u16],
        _row: u16,
        _counts: [T::Word; N],
    ) {
        if self.leaves > WORDS / N - MAX_GROUP {
            self.look_up::<N>(keys);
        }
    }

    #[inline(always)]
    fn end_tile<const W: usize, const N: usize>(&mut self, _token: T, keys: &[u16]) {
        self.look_up::<N>(keys);
    }
}

impl Note<'_> {
    /// Adds the entries of all noted keys to the sum. A leaf has `N` words.
    #[inline(always)]
    fn look_up<const N: usize>(&mut self, keys: &[u16]) {
        let words = N * self.leaves;
        self.alive.masks[words..words.next_multiple_of(8)].fill(0);
        let Self { alive, low, high, .. } = self;
        self.sum += u128::from(match high {
            None => alive.sum::<N, false>(words, [*low; 2], keys),
            Some(high) => alive.sum::<N, true>(words, [*low, *high], keys),
        });
        self.leaves = 0;
    }
}

impl Alive {
    /// Returns the sum of the entries of all keys that are alive in the first `words` words. `planes` has the low and the
    /// high bytes. The high ones are read if entries are `WIDE`.
    ///
    /// It is not inlined, because it would compete with the walk for registers.
    #[inline(never)]
    fn sum<const N: usize, const WIDE: bool>(&self, words: usize, planes: [Table<&[Cell]>; 2], keys: &[u16]) -> u64 {
        let mut sum = 0;
        // Takes the masks of eight words at a time.
        for (eight, &masks) in self.masks[..words.next_multiple_of(8)].as_chunks().0.iter().enumerate() {
            let mut parts = u64::from_le_bytes(masks);
            while parts != 0 {
                sum += self.sum_part::<N, WIDE>(64 * eight + parts.trailing_zeros() as usize, planes, keys);
                parts &= parts - 1;
            }
        }
        sum
    }

    /// Returns the sum of the entries of the keys that are alive in a part. `part` is its number among the parts of all
    /// noted words.
    #[inline(always)]
    fn sum_part<const N: usize, const WIDE: bool>(
        &self,
        part: usize,
        planes: [Table<&[Cell]>; 2],
        keys: &[u16],
    ) -> u64 {
        let (word, part) = (part / PARTS % WORDS, part % PARTS);
        let cell = self.cells[word / N] as usize;
        let first = (word % N * PARTS + part) * PART_KEYS;
        let mut alive = u64::from_le_bytes(self.words[word].0.as_chunks().0[part]);
        let mut sum = 0;
        while alive != 0 {
            let lane = usize::from(keys[first + alive.trailing_zeros() as usize]);
            let byte = |plane: Table<&[Cell]>| u64::from(plane.cells[cell + lane / BLOCK_LANES].0[lane % BLOCK_LANES]);
            sum += byte(planes[0]) + if WIDE { 256 * byte(planes[1]) } else { 0 };
            alive &= alive - 1;
        }
        sum
    }
}
