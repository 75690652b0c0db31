//! The constants of the color split that change its speed and not its result. `diary.md` has the trials behind them.
//!
//! Tuned on one core of an AMD EPYC 9004 (Zen 4: 32 KiB L1, 1 MiB L2, 32 MiB L3) with AVX-512.

use crate::solver::Isa;
use crate::solver::simd::WORD_BYTES;

/// The choices that depend on the code that counts.
struct Code {
    /// A threshold, `[even n, odd n]`: packs are flat if walks of the summing side have at least threshold * n / 2000
    /// queens.
    sparse_per_mille: [usize; 2],
    /// Reduction of the threshold for a family that keeps no column set. Linear in between.
    slope: usize,
    /// Lower bound of `sparse_per_mille` after the reduction.
    least: usize,
    /// Replaces the three fields above for n = 16 to 21: the fewest queens of a walk whose packs are flat.
    from_16_to_21: Option<[usize; 6]>,
}

const PORTABLE: Code = Code { sparse_per_mille: [586, 600], slope: 150, least: 0, from_16_to_21: None };

/// AVX2 and NEON.
const VECTORS: Code =
    Code { sparse_per_mille: [624, 640], slope: 150, least: 0, from_16_to_21: Some([6, 6, 6, 6, 6, 7]) };

/// Two blocks share words, so words are fuller and fewer classes are flat.
const AVX512_BITALG: Code =
    Code { sparse_per_mille: [652, 672], slope: 240, least: 575, from_16_to_21: Some([6, 7, 7, 7, 7, 7]) };

impl Code {
    fn new(isa: Isa) -> &'static Self {
        match isa {
            Isa::Portable => &PORTABLE,
            Isa::Avx512Bitalg => &AVX512_BITALG,
            _ => &VECTORS,
        }
    }

    /// Queens of the summing side's walks from which on packs are flat. The family keeps the share `kept` of the column
    /// sets.
    ///
    /// Families that keep fewer sets have lower ranks. Queens on their rows attack each other more, so lists are
    /// shorter.
    fn sparse_from(&self, n: usize, kept: f64) -> usize {
        match self.from_16_to_21 {
            Some(queens) if (16..=21).contains(&n) => queens[n - 16],
            _ => {
                let kept = (self.slope as f64 * (1.0 - kept)) as usize;
                ((self.sparse_per_mille[n % 2] - kept).max(self.least) * n).div_ceil(2000)
            }
        }
    }
}

/// The fewest rows of a walk below its prefix. More: fewer packs, with more words alive in each.
const ROWS_LEFT: usize = 4;

/// Bytes of a thread's turned tables (low bytes). More: packs are built less often; no effect from 32 MiB on at n = 26.
const TABLE_BYTES: usize = 32 << 20;

/// Bytes of the summing side's packs that are kept. More: built less often, but they leave the near caches.
const PACK_BYTES: usize = 4 << 20;

/// Bytes of the filling side's packs that are kept. Fewer: dense classes at n = 26 pack them again for each E.
const FILLING_PACK_BYTES: usize = 128 << 20;

/// Bytes of a table that are used at a time. More: the range leaves L2. Fewer: programs are read more often.
const RANGE_BYTES: usize = 384 << 10;

/// Cost of replaying a walk on one more tile, in words. More: larger tiles, with more empty words. 1 to 4 are equal.
pub(crate) const TILE_COST: usize = 2;

/// The most blocks of a tile. Wider tiles do not occur with words of AVX-512. 2 is up to 2.5 % slower.
pub(crate) const TILE_BLOCKS: usize = 4;

/// The most words of a flat tile. Its words are stored one by one and need no registers.
pub(crate) const FLAT_TILE_WORDS: usize = 8;

/// Partial sums of a dot, because an addition waits for the addition before. One is 2 % slower, four are equal.
pub(crate) const SUMS: usize = 2;

/// Cells of a chunk of a store (1 MiB). Fewer: more of a chunk stays empty behind its last pack.
pub(crate) const CHUNK: usize = 1 << 14;

/// Groups from the prefetch of a table row to its use. 12 are equal on Zen 5 and slower on Zen 4.
pub(crate) const GROUPS_AHEAD: usize = 6;

/// Cells of the filling side's next tile that are prefetched with each group, because its packs are in a far cache.
pub(crate) const FILL_CELLS_AHEAD: usize = 4;

/// How a count is cut and packed. `None` is the measured choice.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tuning {
    /// Queens in a prefix of the filling side. More: fewer words a leaf, more packs.
    pub fill_depth: Option<usize>,
    /// Queens in a prefix of the summing side. More: fewer words a leaf, more packs.
    pub dot_depth: Option<usize>,
    /// Sets of odd rows that share programs. More: programs are written less often, and have more leaves that a set
    /// drops.
    pub family: Option<usize>,
    /// Leaves of the programs of one family, 6 bytes each. More: packs are shared by more E, programs need more memory.
    pub program_leaves: Option<u64>,
    /// Terms that are summed together. More: packs are built less often, more tables are kept.
    pub terms_together: Option<usize>,
    /// Bytes of the summing side's packs that are kept. More: packs are built less often, and leave the near caches.
    pub pack_bytes: Option<usize>,
    /// Bytes of the filling side's packs that each thread keeps. More: packs are built less often.
    pub filling_pack_bytes: Option<usize>,
    /// The most elements of a part of a walk (states, or groups with equally many leaves). 2 to `u16::MAX`, the
    /// default. Fewer: more programs get longer prefixes.
    pub longest_part: Option<u16>,
    /// Queens of the summing side's walks from which on its packs are flat.
    pub sparse_from: Option<usize>,
    /// Bytes of a table that all packs use before the next range. More: programs are read less, the range leaves L2.
    pub range_bytes: Option<usize>,
    /// A factor that numbers the orbits, made odd. Any numbering is right: it changes the units, the weights and the
    /// column sets that are dropped, and not the count. Tests count with random factors.
    pub numbering: Option<u32>,
    /// Whether the rows and columns of odd boards are numbered from 0. Plans up to version 2 did that.
    pub from_0: bool,
}

impl Tuning {
    /// Returns the number of queens of the prefixes, `[filling, summing]`. Whole walks have `queens` queens. Shorter
    /// prefixes: fewer and fuller packs.
    pub(crate) fn depths(&self, n: usize, queens: [usize; 2]) -> [usize; 2] {
        let deepest = match n {
            0..=15 => [1, 1],
            16..=19 => [2, 1],
            20 => [2, 2],
            21 => [3, 2],
            22..=23 => [3, 3],
            _ => [4, 4],
        };
        let given = [self.fill_depth, self.dot_depth];
        std::array::from_fn(|side| {
            let depth = queens[side].saturating_sub(ROWS_LEFT).min(deepest[side]);
            given[side].unwrap_or(depth).min(queens[side])
        })
    }

    /// Terms that are summed together, with tables of `bytes` bytes each. More: fewer packs are built, more memory.
    pub(crate) fn terms_together(&self, n: usize, bytes: usize) -> usize {
        let most = if n < 24 { 16 } else { 64 };
        self.terms_together.unwrap_or(most).min(TABLE_BYTES / bytes.max(1)).max(1)
    }

    /// Cells of the summing side's packs, `[in a batch, kept]`, with tables of `bytes` bytes each.
    ///
    /// A larger batch leaves L2 before it is walked. For a smaller one the tables are read again more often.
    pub(crate) fn summing_packs(&self, n: usize, bytes: usize) -> [usize; 2] {
        let tables = if n < 24 { 4 } else { 8 };
        let kept = self.pack_bytes.unwrap_or(PACK_BYTES);
        [(tables * bytes).clamp(kept / 8, kept), kept].map(|bytes| bytes / WORD_BYTES)
    }

    /// Whether the summing side's packs are flat. Its walks have `queens` queens, and the family keeps the share `kept`
    /// of the column sets.
    pub(crate) fn is_sparse(&self, n: usize, queens: usize, kept: f64, isa: Isa) -> bool {
        queens >= self.sparse_from.unwrap_or_else(|| Code::new(isa).sparse_from(n, kept))
    }

    /// The most elements of a part of a walk, 2 or more.
    ///
    /// A walk without rows below its prefix cannot get a longer prefix. Two elements are enough for it.
    pub(crate) fn longest_part(&self) -> u16 {
        self.longest_part.unwrap_or(u16::MAX).max(2)
    }

    /// Cells of the filling side's packs that are kept for later E. If there are more, each E packs them again, in
    /// batches of this size.
    pub(crate) fn filling_packs(&self) -> usize {
        self.filling_pack_bytes.unwrap_or(FILLING_PACK_BYTES) / WORD_BYTES
    }

    /// Bytes of a table that are used at a time.
    pub(crate) fn range_bytes(&self) -> usize {
        self.range_bytes.unwrap_or(RANGE_BYTES)
    }

    /// Sets O of a family: the square root of `units`, the number of sets O of its class, but at least 32. Fewer:
    /// programs are written more often.
    pub(crate) fn family(&self, units: usize) -> usize {
        let root = units.isqrt();
        let root = if root * root < units { root + 1 } else { root };
        self.family.unwrap_or(root.max(32)).max(1)
    }

    /// Leaves of the programs of one family. More: packs are shared by more E, and threads need more memory.
    pub(crate) fn program_leaves(&self, n: usize) -> u64 {
        let leaves = match n {
            0..=23 => 4_000_000,
            24 | 25 => 16_000_000,
            26 | 27 => 64_000_000,
            // From here on no choice was timed.
            28 | 29 => 200_000_000,
            _ => 1_000_000_000,
        };
        self.program_leaves.unwrap_or(leaves)
    }
}
