//! Words of 512 bits: their memory, and the operations that an instruction set has on them.

/// Bytes of a word.
pub(crate) const WORD_BYTES: usize = 64;
/// Keys of a byte: one for each of its bits.
pub(crate) const KEYS_PER_BYTE: usize = 8;
/// Lanes of a block of the color split: one for each byte of a word.
pub(crate) const BLOCK_LANES: usize = WORD_BYTES;
/// Bits of a key: one for each line.
pub(crate) const LINES: usize = 64;

/// A word of 512 bits in memory. Its alignment puts it into one cache line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Cell(pub(crate) [u8; WORD_BYTES]);

impl Cell {
    pub(crate) const ZERO: Self = Self([0; WORD_BYTES]);
}

/// The largest count of a byte that is multiplied by a table. A byte has 8 keys, and at most 7 leaves are counted
/// together, so counts reach 56.
pub(crate) const MAX_COUNT: usize = 64;

/// Operations on words of 512 bits, with one bit for each key. Most of them treat a word as 64 bytes. An instruction
/// set without a faster way takes the default, in plain Rust.
pub(crate) trait Words: Copy {
    /// A word in registers.
    type Word: Copy;
    /// Partial sums.
    type Sums: Copy;
    /// Number of a word's products that [`dot`](Self::dot) adds to one partial sum. A partial sum has 31 bits.
    const PRODUCTS_PER_SUM: usize;
    /// The most words of a tile, 8 or fewer. A replay keeps the words of a tile in registers.
    const TILE_WORDS: usize;

    fn load(self, cell: &Cell) -> Self::Word;
    fn store(self, word: Self::Word, cell: &mut Cell);
    fn or(self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// `word & !plane`.
    fn and_not(self, plane: Self::Word, word: Self::Word) -> Self::Word;
    /// Number of bits set in each byte, 0 to 8.
    fn counts(self, word: Self::Word) -> Self::Word;
    /// The word without a bit.
    #[inline(always)]
    fn zero(self) -> Self::Word {
        self.load(&Cell::ZERO)
    }
    /// Adds byte by byte. The caller makes sure that no sum is above 255.
    #[inline(always)]
    fn add_small(self, a: Self::Word, b: Self::Word) -> Self::Word {
        self.add_saturating(a, b)
    }
    /// Adds byte by byte. Sums above 255 become 255.
    fn add_saturating(self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// Adds byte by byte, modulo 256. The second word has 1 in each byte whose sum is above 255. `None` if there is no
    /// such byte.
    fn add(self, a: Self::Word, b: Self::Word) -> (Self::Word, Option<Self::Word>);
    fn zero_sums(self) -> Self::Sums;
    /// Adds the products of `counts` and `table` to `sums`, byte by byte. Counts are at most [`MAX_COUNT`].
    fn dot(self, sums: Self::Sums, counts: Self::Word, table: Self::Word) -> Self::Sums;
    /// The sum of all partial sums.
    fn total(self, sums: Self::Sums) -> u64;
    /// Number of neighboring lanes among which [`pick`](Self::pick) chooses. These lanes share bytes of words. 128 are
    /// two blocks. With 1, each byte of a word belongs to one lane.
    const SHARING: usize = 1;
    /// For each byte of a word, the byte of `pair` that `numbers` names. It lies among the [`SHARING`](Self::SHARING)
    /// neighbors to which the byte itself belongs.
    #[inline(always)]
    fn pick(self, pair: [Self::Word; 2], _numbers: Self::Word) -> Self::Word {
        pair[0]
    }
    /// For each 64-bit part of a word, a bit that says whether the part has a bit set. The first part's bit is the
    /// lowest.
    #[inline(always)]
    fn parts(self, word: Self::Word) -> u8 {
        let mut cell = Cell::ZERO;
        self.store(word, &mut cell);
        // From the last part to the first. Each needs one comparison and one addition with carry.
        let parts = cell.0.as_chunks().0.iter().map(|&bytes| u64::from_le_bytes(bytes));
        let zero = parts.rev().fold(0u32, |mask, part| mask + mask + u32::from(part == 0));
        !zero as u8
    }
    /// Writes the planes of all lines for one word to `lines`. Byte i of the word has the keys `keys[from..to]`, where
    /// `[from, to]` is `ends[i]`, at most 8. Bit l of the k-th of these keys becomes bit k of byte i of `lines[l]`.
    /// `keys` has 8 more behind the last `to`.
    #[inline(always)]
    fn line_planes(self, keys: &[u64], ends: &[[u32; 2]; WORD_BYTES], lines: &mut [Cell; LINES]) {
        // Bit by bit. All keys have the same number of lines, so the end of the inner loop is predicted.
        lines.fill(Cell::ZERO);
        for (byte, &[from, to]) in ends.iter().enumerate() {
            for (k, &key) in keys[from as usize..to as usize].iter().enumerate() {
                let mut left = key;
                while left != 0 {
                    lines[left.trailing_zeros() as usize & 63].0[byte] |= 1 << k;
                    left &= left - 1;
                }
            }
        }
    }
    /// Transposes 64 x 64 bytes.
    #[inline(always)]
    fn transpose(self, square: &mut [Cell; 64]) {
        for i in 1..64 {
            let (upper, lower) = square.split_at_mut(i);
            for (j, cell) in upper.iter_mut().enumerate() {
                std::mem::swap(&mut cell.0[i], &mut lower[0].0[j]);
            }
        }
    }
    /// Copies the keys that share no bit with `lines`, and their numbers, to the front of the outputs, in order.
    /// Returns how many it copied. `keys` and `numbers` are equally long, a multiple of 8. The outputs have room for
    /// all.
    #[inline(always)]
    fn filter(self, keys: &[u64], numbers: &[u32], lines: u64, out_keys: &mut [u64], out_numbers: &mut [u32]) -> usize {
        // Without branches.
        let mut kept = 0;
        for (&key, &number) in keys.iter().zip(numbers) {
            out_keys[kept] = key;
            out_numbers[kept] = number;
            kept += usize::from(key & lines == 0);
        }
        kept
    }
}
