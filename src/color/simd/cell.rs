//! Memory for one word of the color split.

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
