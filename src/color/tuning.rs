//! The constants that depend on the size and the instruction set. Other constants are in the files that use them. A
//! ratio here is the time with another value divided by the time with this one (Xeon, BITALG); `diary.md` lists more
//! ratios.
//!
//! Up to n = 27, the constants that decide the units were chosen on one core of an AMD EPYC 9004 (Zen 4, 1 MiB of L2).
//! All others, and those for larger n, were chosen on a Xeon (2 MiB of L2) too. Both have AVX-512 BITALG.

use super::split::Sides;
use crate::solver::Isa;

/// The largest size. At n = 31, a table would take hundreds of megabytes, the lists of a thread would take gigabytes,
/// and a weighted entry would take three bytes.
pub(crate) const LARGEST: usize = 30;

/// The constants that decide which units a count has. The plan version must rise whenever one of them changes, because
/// the units then change too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitTuning {
    /// The maximum number of queens in the summing side's prefixes. A larger value means fewer words per leaf, but more
    /// packs. One more gives the ratios 1.11, 1.20 and 1.06 at n = 16, 18 and 20; one fewer gives 1.19 at n = 20.
    pub longest_prefix: usize,
    /// The minimum number of rows of a walk below its prefix. This value alone decides the prefixes of the filling
    /// side. A larger value means fewer packs, with more words alive in each. At n = 16, 18 and 20, 3 rows give the
    /// ratios 1.20, 1.11 and 1.23, and 5 rows give 0.97, 1.12 and 1.13.
    pub rows_below: usize,
    /// The minimum number of sets O that share programs. A larger value means that programs are written less often, but
    /// contain more leaves that an O drops. At n = 16, 18 and 20, half of this value gives the ratios 1.06, 1.05 and
    /// 1.02, and twice this value gives 0.98, 1.00 and 1.04.
    pub min_sets_of_family: usize,
    /// The maximum number of leaves in the programs of a family, on average; a leaf takes 6 bytes. A larger value means
    /// that more sets E share packs, but programs take more memory. The value matters from n = 20 on: half of it gives
    /// the ratios 1.03 at n = 20 and 1.09 at n = 22 (Zen 4).
    pub program_leaves: u64,
}

impl UnitTuning {
    /// Returns the measured values for a size.
    #[must_use]
    pub fn new(n: usize) -> Self {
        Self {
            longest_prefix: match n {
                0..=19 => 1,
                20..=21 => 2,
                22..=23 => 3,
                24..=27 => 4,
                _ => 6,
            },
            rows_below: 4,
            min_sets_of_family: 32,
            program_leaves: match n {
                0..=23 => 4_000_000,
                24..=25 => 16_000_000,
                26..=27 => 64_000_000,
                28..=29 => 200_000_000,
                _ => 1_000_000_000,
            },
        }
    }

    /// Returns the number of queens of each side's prefixes, if its walks have `queens` queens.
    pub(crate) fn prefix_lengths(&self, queens: Sides<usize>) -> Sides<usize> {
        let [filling, summing] = [queens.filling, queens.summing].map(|queens| queens.saturating_sub(self.rows_below));
        Sides { filling, summing: summing.min(self.longest_prefix) }
    }
}

/// The constants that decide how units are packed. They change speed and memory, but no unit. Tests set small limits,
/// so that small boards have several batches and pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackTuning {
    /// The maximum number of terms that are summed together. A larger value means that packs are built less often, but
    /// more tables are kept. Half of this value gives ratios from 0.98 to 1.01 at n = 16 to 24, and twice this value
    /// gives 1.04 at n = 16.
    pub terms_together: usize,
    /// Bytes of a batch of packs, for each side. If one batch contains all packs, the next E uses it again. A larger
    /// value means that packs are built less often, but leave the near caches. Building the filling side's packs again
    /// for each E gives ratios of 1.15 to 1.18 at n = 16 to 22, and 1.4 at n = 24. Half of the summing side's batch, or
    /// twice as much, gives ratios from 0.94 to 1.11 at n = 24.
    pub batch_bytes: Sides<usize>,
    /// Bytes of a thread's turned tables, counting only low bytes. A larger value means that packs are built less
    /// often. Measured at n = 26 and 28.
    pub table_bytes: usize,
    /// Bytes of a piece of a table, whose blocks are packed and walked before the next blocks. A larger value means
    /// that keys are filtered less often, but packs and the piece leave L2. Measured at n = 24 to 28.
    pub piece_bytes: usize,
    /// The minimum number of queens in the summing side's walks for which its packs are sparse, because few keys are
    /// then alive at a leaf.
    pub sparse_from: usize,
}

impl PackTuning {
    /// Returns the measured values for a size and the instruction set that counts.
    #[must_use]
    pub fn new(n: usize, isa: Isa) -> Self {
        Self {
            terms_together: if n < 24 { 16 } else { 64 },
            batch_bytes: Sides { filling: if n < 26 { 128 << 20 } else { 4 << 20 }, summing: 1 << 20 },
            table_bytes: if n < 28 { 32 << 20 } else { 128 << 20 },
            piece_bytes: if n < 26 { usize::MAX } else { 384 << 10 },
            sparse_from: sparse_from(n, isa),
        }
    }
}

/// Returns [`PackTuning::sparse_from`]. It was measured with BITALG at n = 16 to 26 and 28, and with AVX2 and portable
/// code up to n = 25; NEON takes the limits of AVX2.
///
/// With BITALG, a limit of 7 gives ratios of 1.04 and 1.03 at n = 18 and 19, where sparse packs gain nothing, and 1.5
/// and 1.6 in the classes with 7 queens at n = 23 and 24. One queen fewer or more gives 1.01 to 1.19 with AVX2 at
/// n = 22 to 25, and 0.98 to 1.08 with portable code at n = 17 to 24.
fn sparse_from(n: usize, isa: Isa) -> usize {
    match (isa, n) {
        // With BITALG, two blocks share words, so words are fuller and fewer classes are sparse.
        (Isa::Avx512Bitalg, ..=22) => usize::MAX,
        (Isa::Portable, ..=17) => 5,
        (Isa::Portable, ..=22) | (Isa::Avx2 | Isa::Avx512 | Isa::Neon, ..=20) => 6,
        (Isa::Portable, ..=25) | (Isa::Avx2 | Isa::Avx512 | Isa::Neon, ..=24) => 7,
        (Isa::Portable | Isa::Avx2 | Isa::Avx512 | Isa::Neon, ..=27) | (Isa::Avx512Bitalg, ..=25) => 8,
        (Isa::Avx512Bitalg, 28..) => 10,
        _ => 9,
    }
}
