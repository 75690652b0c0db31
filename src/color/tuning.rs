//! The constants of the color split that change its speed and not its result. Those of the cut (`longest_prefixes`,
//! `rows_left`, `min_sets_of_family`, `program_leaves`, `numbering`, `from_0`) also change the units, so a change of
//! them raises the plan version. `diary.md` has the trials behind them.
//!
//! Tuned on one core of an AMD EPYC 9004 (Zen 4: 32 KiB L1, 1 MiB L2, 32 MiB L3) with AVX-512.

use crate::color::simd::WORD_BYTES;
use crate::solver::Isa;

/// Bytes of a thread's turned tables (low bytes). More: packs are built less often; no effect from 32 MiB on at n = 26.
const TABLE_BYTES: usize = 32 << 20;

/// Cost of replaying a walk on one more tile, in words. More: larger tiles, with more empty words. 1 to 4 are equal.
pub(crate) const TILE_COST: usize = 2;

/// The most blocks of a tile. Wider tiles do not occur with words of AVX-512. 2 is up to 2.5 % slower.
pub(crate) const TILE_BLOCKS: usize = 4;

/// The most words of a sparse tile. Its words are stored one by one and need no registers.
pub(crate) const SPARSE_TILE_WORDS: usize = 8;

/// Partial sums of a dot, because an addition waits for the addition before. One is 2 % slower, four are equal.
pub(crate) const SUMS: usize = 2;

/// Cells of a chunk of a store (1 MiB). Fewer: more of a chunk stays empty behind its last pack.
pub(crate) const CHUNK: usize = 1 << 14;

/// Groups from the prefetch of a table row to its use. 12 are equal on Zen 5 and slower on Zen 4.
pub(crate) const GROUPS_AHEAD: usize = 6;

/// Cells of the filling side's next tile that are prefetched with each group, because its packs are in a far cache.
pub(crate) const FILL_CELLS_AHEAD: usize = 4;

/// How a count is cut and packed. Tests replace single values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tuning {
    /// The most queens of a prefix, `[filling, summing]`. More: fewer words a leaf, more packs.
    pub longest_prefixes: [usize; 2],
    /// The fewest rows of a walk below its prefix. More: fewer packs, with more words alive in each.
    pub rows_left: usize,
    /// The fewest sets of odd rows that share programs. More: programs are written less often, and have more leaves
    /// that a set drops.
    pub min_sets_of_family: usize,
    /// Leaves of the programs of one family, 6 bytes each. More: packs are shared by more E, programs need more memory.
    pub program_leaves: u64,
    /// The most terms that are summed together. More: packs are built less often, more tables are kept.
    pub terms_together: usize,
    /// A batch of packs has about the memory of this many tables. A larger batch leaves L2 before it is walked. For a
    /// smaller one the tables are read again more often.
    pub tables_together: usize,
    /// Bytes of the summing side's packs that are kept. More: packs are built less often, and leave the near caches.
    pub summing_pack_bytes: usize,
    /// Bytes of the filling side's packs that each thread keeps. Fewer: dense classes at n = 26 pack them again for
    /// each E.
    pub filling_pack_bytes: usize,
    /// The most elements of a part of a walk (states, or groups with equally many leaves), at least 16. Fewer: more
    /// walks are divided.
    pub longest_part: u16,
    /// Queens of the summing side's walks from which on its packs are sparse. `None`: by `sparse_threshold`.
    pub sparse_from: Option<usize>,
    /// The threshold for sparse packs, without `sparse_from`.
    pub sparse_threshold: SparseThreshold,
    /// Bytes of a table that all packs use before the next range. More: programs are read less, the range leaves L2.
    pub range_bytes: usize,
    /// A factor that numbers the orbits, made odd. Any numbering is right: it changes the units, the weights and the
    /// column sets that are dropped, and not the count. Tests count with random factors.
    pub numbering: Option<u32>,
    /// Whether the rows and columns of odd boards are numbered from 0. Plans up to version 2 did that.
    pub from_0: bool,
}

/// Packs are sparse if walks of the summing side have at least a threshold, in thousandths of n / 2 queens. The
/// threshold is linear in the share of the column sets that a family keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SparseThreshold {
    /// The threshold for a family that keeps all column sets.
    pub keeps_all: usize,
    /// How much lower it is for a family that keeps none.
    pub reduction: usize,
    /// The lower bound of the threshold.
    pub least: usize,
}

impl Tuning {
    /// The measured values for a size and the instruction set that counts.
    #[must_use]
    pub fn new(n: usize, isa: Isa) -> Self {
        // With BITALG two blocks share words, so words are fuller and fewer classes are sparse.
        let sparse_from = match (isa, n) {
            (Isa::Portable, _) => None,
            (Isa::Avx512Bitalg, 17..=21) | (_, 21) => Some(7),
            (_, 16..=20) => Some(6),
            _ => None,
        };
        let (even, odd, reduction, least) = match isa {
            Isa::Portable => (586, 600, 150, 0),
            Isa::Avx512Bitalg => (652, 672, 240, 575),
            _ => (624, 640, 150, 0),
        };
        let keeps_all = if n.is_multiple_of(2) { even } else { odd };
        // No choice for n = 28 and more was timed.
        Self {
            longest_prefixes: match n {
                0..=15 => [1, 1],
                16..=19 => [2, 1],
                20 => [2, 2],
                21 => [3, 2],
                22..=23 => [3, 3],
                _ => [4, 4],
            },
            rows_left: 4,
            min_sets_of_family: 32,
            program_leaves: match n {
                0..=23 => 4_000_000,
                24..=25 => 16_000_000,
                26..=27 => 64_000_000,
                28..=29 => 200_000_000,
                _ => 1_000_000_000,
            },
            terms_together: if n < 24 { 16 } else { 64 },
            tables_together: if n < 24 { 4 } else { 8 },
            summing_pack_bytes: 4 << 20,
            filling_pack_bytes: 128 << 20,
            longest_part: u16::MAX,
            sparse_from,
            sparse_threshold: SparseThreshold { keeps_all, reduction, least },
            range_bytes: 384 << 10,
            numbering: None,
            from_0: false,
        }
    }

    /// Returns the number of queens of the prefixes of a side: 0 is the filling side, 1 the summing side. Whole walks
    /// have `queens` queens.
    pub(crate) fn prefix_length(&self, side: usize, queens: usize) -> usize {
        queens.saturating_sub(self.rows_left).min(self.longest_prefixes[side])
    }

    /// Sets O of a family: the square root of `units`, the number of sets O of its class, rounded up.
    pub(crate) fn sets_of_family(&self, units: usize) -> usize {
        let root = units.isqrt();
        (root + usize::from(root * root < units)).max(self.min_sets_of_family).max(1)
    }

    /// Terms that are summed together, with tables of `bytes` bytes each.
    pub(crate) fn terms_with_tables(&self, bytes: usize) -> usize {
        self.terms_together.min(TABLE_BYTES / bytes.max(1)).max(1)
    }

    /// Cells of the summing side's packs, `[in a batch, kept]`, with tables of `bytes` bytes each.
    pub(crate) fn summing_packs(&self, bytes: usize) -> [usize; 2] {
        let kept = self.summing_pack_bytes;
        [self.tables_together.saturating_mul(bytes).clamp(kept / 8, kept), kept].map(|bytes| bytes / WORD_BYTES)
    }

    /// Whether the summing side's packs are sparse. Its walks have `queens` queens, and the family keeps the share
    /// `kept` of the column sets.
    ///
    /// Families that keep fewer sets have lower ranks. Queens on their rows attack each other more, so lists are
    /// shorter.
    pub(crate) fn is_sparse(&self, n: usize, queens: usize, kept: f64) -> bool {
        if let Some(fewest) = self.sparse_from {
            return queens >= fewest;
        }
        let SparseThreshold { keeps_all, reduction, least } = self.sparse_threshold;
        let threshold = keeps_all.saturating_sub((reduction as f64 * (1.0 - kept)) as usize).max(least);
        2000 * queens >= threshold.saturating_mul(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The forecast of memory rests on it.
    #[test]
    fn the_tables_of_terms_that_are_summed_together_have_a_limit() {
        let tuning = Tuning { terms_together: 64, ..Tuning::new(26, Isa::Portable) };
        for (bytes, terms) in [(0, 64), (1 << 10, 64), (1 << 20, 32), (32 << 20, 1), (33 << 20, 1)] {
            assert_eq!(tuning.terms_with_tables(bytes), terms, "{bytes} bytes");
        }
    }
}
