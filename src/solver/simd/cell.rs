//! Memory for one word of lanes.

/// 512 bits in memory: 64 lanes of 8 bits. Aligned so that one lies in one cache line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Cell(pub(crate) [u8; 64]);

/// Lanes of a word.
pub(crate) const LANES: usize = 64;
/// Keys that fit a lane.
pub(crate) const LANE_BITS: usize = 8;

impl Cell {
    pub(crate) const ZERO: Self = Self([0; 64]);

    /// Whether all lanes are 0: a comparison with [`ZERO`](Self::ZERO) calls the C library, and one of each part is a
    /// branch for each.
    #[inline(always)]
    pub(crate) fn is_zero(&self) -> bool {
        self.0.as_chunks().0.iter().fold(0, |all, &bytes| all | u64::from_ne_bytes(bytes)) == 0
    }
}

/// Cells `at..at + W` as an array, so that what follows needs no further bounds checks.
#[inline(always)]
pub(crate) fn array_mut<const W: usize>(cells: &mut [Cell], at: usize) -> &mut [Cell; W] {
    cells[at..].first_chunk_mut().expect("a tile lies within its memory")
}
