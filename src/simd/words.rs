//! Words of 512 bits: their form in memory, and the operations that an instruction set performs on them.

/// The number of bytes of a word.
pub(crate) const WORD_BYTES: usize = 64;
/// The number of neighboring bytes of a word, a *quarter*, among which [`Words::permute`] chooses.
pub(crate) const QUARTER_BYTES: usize = 16;
/// The place of a byte that [`Words::permute`] sets to 0.
pub(crate) const NO_PLACE: u8 = 0x80;
/// The number of keys in a byte, one for each bit.
pub(crate) const KEYS_PER_BYTE: usize = 8;
/// The number of lanes in a block of the color split, one for each byte of a word.
pub(crate) const BLOCK_LANES: usize = WORD_BYTES;
/// The number of bits of a key, one for each line.
pub(crate) const LINES: usize = 64;

/// A word of 512 bits in memory, aligned so that it lies in a single cache line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Cell(pub(crate) [u8; WORD_BYTES]);

impl Cell {
    pub(crate) const ZERO: Self = Self([0; WORD_BYTES]);
}

/// A matrix of 64 x 64 bytes, with a cell for each row.
pub(crate) type ByteMatrix = [Cell; WORD_BYTES];
/// For each byte of a word, where its keys begin and end in a list.
pub(crate) type Ends = [[u32; 2]; WORD_BYTES];
/// The planes of all lines for one word: each has a bit for each key of the word.
pub(crate) type LinePlanes = [Cell; LINES];

/// The largest count that may be multiplied by table entries. With 65, sums of products would not fit in 16 bits, in
/// which all code except BITALG adds them up first. `color/walk/sink.rs` asserts that no count of a group is larger.
pub(crate) const MAX_COUNT: usize = 64;

/// Operations on words of 512 bits, with one bit for each key. Most of them treat a word as 64 bytes. The defaults, in
/// plain Rust, are for instruction sets that offer nothing faster.
pub(crate) trait Words: Copy {
    /// A word in registers.
    type Word: Copy;
    /// Partial sums in registers.
    type Sums: Copy;
    /// The number of products of a word that [`dot`](Self::dot) adds to each partial sum. Callers keep partial sums
    /// below 2^31.
    const PRODUCTS_PER_SUM: usize;
    /// The largest number of words in a tile, at most 8. A replay keeps the words of a tile in registers.
    const TILE_WORDS: usize;
    /// The number of neighboring lanes that share bytes of words on the summing side, among which [`pick`](Self::pick)
    /// chooses. 128 lanes are two blocks. With 1, words are aligned: byte i belongs to lane i of its block.
    const SHARING: usize = 1;
    /// Whether the words of the filling side are spread, because [`permute`](Self::permute) is fast.
    const SPREADS: bool = false;

    fn load(self, cell: &Cell) -> Self::Word;

    fn store(self, word: Self::Word, cell: &mut Cell);

    /// Returns the word in which no bit is set.
    #[inline(always)]
    fn zero(self) -> Self::Word {
        self.load(&Cell::ZERO)
    }

    fn or(self, a: Self::Word, b: Self::Word) -> Self::Word;

    /// Returns `word & !plane`.
    fn and_not(self, plane: Self::Word, word: Self::Word) -> Self::Word;

    /// Returns a bit for each 64-bit part of a word, which says whether any bit of the part is set. The lowest bit is
    /// for the first part.
    #[inline(always)]
    fn parts(self, word: Self::Word) -> u8 {
        let mut cell = Cell::ZERO;
        self.store(word, &mut cell);
        // From the last part to the first, each with a comparison and an addition with carry.
        let parts = cell.0.as_chunks().0.iter().map(|&bytes| u64::from_le_bytes(bytes));
        let zero = parts.rev().fold(0u32, |mask, part| mask + mask + u32::from(part == 0));
        !zero as u8
    }

    /// Returns the number of bits set in each byte, 0 to 8.
    fn counts(self, word: Self::Word) -> Self::Word;

    /// Adds byte by byte. The caller ensures that no sum exceeds 255.
    #[inline(always)]
    fn add_small(self, a: Self::Word, b: Self::Word) -> Self::Word {
        self.add_saturating(a, b)
    }

    /// Adds byte by byte. Sums above 255 become 255.
    fn add_saturating(self, a: Self::Word, b: Self::Word) -> Self::Word;

    /// Adds byte by byte, modulo 256. The second word is 1 in each byte whose sum exceeds 255, and `None` if no sum
    /// does.
    fn add(self, a: Self::Word, b: Self::Word) -> (Self::Word, Option<Self::Word>);

    /// Returns, for each byte of a word, the byte of `pair` for the lane in `lanes`. Each byte picks among the
    /// [`SHARING`](Self::SHARING) neighboring lanes to which it belongs itself.
    #[inline(always)]
    fn pick(self, pair: [Self::Word; 2], _lanes: Self::Word) -> Self::Word {
        pair[0]
    }

    /// Moves bytes within each quarter of a word: returns, for each byte, the byte of its quarter with the number in
    /// `places`, or 0 if that is [`NO_PLACE`]. Instruction sets that do not [spread](Self::SPREADS) words return the
    /// word unchanged.
    #[inline(always)]
    fn permute(self, word: Self::Word, _places: Self::Word) -> Self::Word {
        word
    }

    fn zero_sums(self) -> Self::Sums;

    /// Multiplies `counts` and `table` byte by byte, and adds the products to `sums`. Counts are at most [`MAX_COUNT`].
    fn dot(self, sums: Self::Sums, counts: Self::Word, table: Self::Word) -> Self::Sums;

    /// Returns the sum of all partial sums.
    fn total(self, sums: Self::Sums) -> u64;

    /// Writes the planes of all lines for one word. Byte i of the word contains at most 8 keys, `keys[from..to]` with
    /// `[from, to] = ends[i]`. Bit l of the k-th of these keys becomes bit k of byte i of `planes[l]`. At least 8 more
    /// keys follow the last `to`.
    #[inline(always)]
    fn line_planes(self, keys: &[u64], ends: &Ends, planes: &mut LinePlanes) {
        // Bit by bit. The processor predicts the end of the inner loop, because all keys have the same number of lines.
        planes.fill(Cell::ZERO);
        for (byte, &[from, to]) in ends.iter().enumerate() {
            for (k, &key) in keys[from as usize..to as usize].iter().enumerate() {
                let mut left = key;
                while left != 0 {
                    // `& 63` spares the bounds check.
                    planes[left.trailing_zeros() as usize & 63].0[byte] |= 1 << k;
                    left &= left - 1;
                }
            }
        }
    }

    /// Exchanges rows and columns of bytes.
    #[inline(always)]
    fn transpose(self, matrix: &mut ByteMatrix) {
        for i in 1..WORD_BYTES {
            let (upper, lower) = matrix.split_at_mut(i);
            for (j, cell) in upper.iter_mut().enumerate() {
                std::mem::swap(&mut cell.0[i], &mut lower[0].0[j]);
            }
        }
    }

    /// Copies the keys that share no bit with `lines`, and their lanes, in order to the front of the outputs. Returns
    /// the number of keys that it copied. `keys` and `lanes` have the same length, which is a multiple of 8, and the
    /// outputs are at least as long.
    #[inline(always)]
    fn filter(self, keys: &[u64], lanes: &[u32], lines: u64, out_keys: &mut [u64], out_lanes: &mut [u32]) -> usize {
        // Without branches, which would often be mispredicted.
        let mut kept = 0;
        for (&key, &lane) in keys.iter().zip(lanes) {
            out_keys[kept] = key;
            out_lanes[kept] = lane;
            kept += usize::from(key & lines == 0);
        }
        kept
    }
}
