//! The operations of the color split: words of 64 lanes.

use super::plain;
use super::{Cell, LANES};

/// The largest count of a lane that is multiplied with a table: a lane of a word has 8 keys, and at most 8 leaves are
/// counted together.
pub(crate) const MAX_COUNT: usize = 64;

/// Operations on words of 512 bits: 64 lanes of 8 bits, a bit for each key.
pub(crate) trait Lanes: Copy {
    /// A word in registers.
    type Word: Copy;
    /// Partial sums.
    type Sums: Copy;
    /// Products of a word that [`dot`](Self::dot) adds to one partial sum, of 31 bits.
    const PRODUCTS_PER_SUM: usize;
    /// Words of a tile at most, as many as the registers hold: 8 or fewer.
    const TILE_WORDS: usize;

    fn load(self, cell: &Cell) -> Self::Word;
    fn store(self, word: Self::Word, cell: &mut Cell);
    fn or(self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// `word & !plane`.
    fn and_not(self, plane: Self::Word, word: Self::Word) -> Self::Word;
    /// Bits set in each lane, 0 to 8.
    fn counts(self, word: Self::Word) -> Self::Word;
    /// No bit.
    #[inline(always)]
    fn zero(self) -> Self::Word {
        self.load(&Cell::ZERO)
    }
    /// Lane by lane, where no sum is above 255.
    #[inline(always)]
    fn add_small(self, a: Self::Word, b: Self::Word) -> Self::Word {
        self.add_saturating(a, b)
    }
    /// Lane by lane, sums above 255 become 255.
    fn add_saturating(self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// Lane by lane, modulo 256; and 1 for each lane that passed 255, where one did.
    fn add(self, a: Self::Word, b: Self::Word) -> (Self::Word, Option<Self::Word>);
    fn zero_sums(self) -> Self::Sums;
    /// `sums` plus the products of counts (at most [`MAX_COUNT`] a lane) and table entries (at most 255).
    fn dot(self, sums: Self::Sums, counts: Self::Word, table: Self::Word) -> Self::Sums;
    /// All partial sums together.
    fn total(self, sums: Self::Sums) -> u64;
    /// Number of neighbouring lanes that `pick` picks among: they share their places in words. 128 are two blocks. With
    /// 1, each lane of a word is a lane of the table.
    const SHARING: usize = 1;
    /// Lane by lane, the byte of `pair` that `numbers` names: one of the [`SHARING`](Self::SHARING) lanes that this
    /// lane is among.
    #[inline(always)]
    fn pick(self, pair: [Self::Word; 2], _numbers: Self::Word) -> Self::Word {
        pair[0]
    }
    /// Whether no bit is set.
    #[inline(always)]
    fn is_zero(self, word: Self::Word) -> bool {
        let mut cell = Cell::ZERO;
        self.store(word, &mut cell);
        cell.is_zero()
    }
    /// A bit for each 64-bit part of a word that is not zero, the word's first part in the lowest.
    #[inline(always)]
    fn parts(self, word: Self::Word) -> u8 {
        let mut cell = Cell::ZERO;
        self.store(word, &mut cell);
        plain::parts(&cell)
    }
    /// The planes of all 64 lines for one word. The keys of lane i are `keys[from..to]`, at most 8, with `ends[i]` as
    /// from and to; of their k-th one, bit l becomes bit k of lane i of `lines[l]`.
    #[inline(always)]
    fn line_planes(self, keys: &[u64], ends: &[[u32; 2]; LANES], lines: &mut [Cell; LANES]) {
        plain::line_planes(keys, ends, lines);
    }
    /// Transposes 64 x 64 bytes.
    #[inline(always)]
    fn transpose(self, square: &mut [Cell; 64]) {
        plain::transpose_in_place(square);
    }
    /// Copies the keys that share no bit with `lines`, and the number beside each of them (that of its lane), to the
    /// front of the outputs, in order. Returns how many. `keys` and `numbers` are equally long, a multiple of 8, and
    /// the outputs have room for all.
    #[inline(always)]
    fn filter(self, keys: &[u64], numbers: &[u32], lines: u64, out_keys: &mut [u64], out_numbers: &mut [u32]) -> usize {
        plain::filter(keys, numbers, lines, out_keys, out_numbers)
    }
}
