//! What is chosen by the size and the instruction set. Constants that are equal for all sizes stand where they are
//! used. Ratios here are times with another value divided by times with this one (Xeon, BITALG); `diary.md` has more of
//! them.
//!
//! Up to n = 27 the units were tuned on one core of an AMD EPYC 9004 (Zen 4, 1 MiB of L2). Everything else, and larger
//! n, was also tuned on a Xeon (2 MiB of L2). Both have AVX-512 BITALG.

use crate::color::split::Sides;
use crate::solver::Isa;

/// The largest size. At n = 31 a table would take hundreds of megabytes, the lists of a thread gigabytes, and a
/// weighted entry three bytes.
pub(crate) const LARGEST: usize = 30;

/// What decides which units a count has. Another value changes the units, so it raises the plan version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitTuning {
    /// The most queens of the summing side's prefixes. A larger value means fewer words per leaf, but more packs. At
    /// n = 16, 18, 20, one more takes 1.11, 1.20, 1.06, and one fewer 1.19 at 20.
    pub longest_prefix: usize,
    /// The fewest rows of a walk below its prefix. Only this value decides the filling side's prefixes. A larger value
    /// means fewer packs, with more words alive in each. At n = 16, 18, 20, 3 rows take 1.20, 1.11, 1.23, and 5 rows
    /// 0.97, 1.12, 1.13.
    pub rows_below: usize,
    /// The fewest sets of odd rows that share programs. With a larger value, programs are written less often, but have
    /// more leaves that a set drops. At n = 16, 18, 20, half takes 1.06, 1.05, 1.02, and double 0.98, 1.00, 1.04.
    pub min_sets_of_family: usize,
    /// Leaves of the programs of one family, 6 bytes each. With a larger value, more sets E share packs, but programs
    /// need more memory. It serves n = 20 and more: half takes 1.03 at n = 20, 1.09 at 22 (Zen 4).
    pub program_leaves: u64,
}

impl UnitTuning {
    /// The measured values for a size.
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

    /// Number of queens of each side's prefixes, if its walks have this many queens.
    pub(crate) fn prefix_lengths(&self, queens: Sides<usize>) -> Sides<usize> {
        let [filling, summing] = [queens.filling, queens.summing].map(|queens| queens.saturating_sub(self.rows_below));
        Sides { filling, summing: summing.min(self.longest_prefix) }
    }
}

/// How units are packed. It changes the speed and the memory, and no unit. Tests set small limits, so that small boards
/// have several batches and pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackTuning {
    /// The most terms that are summed together. With a larger value, packs are built less often, but more tables are
    /// kept. Half takes 0.98 to 1.01 at n = 16 to 24, double 1.04 at 16.
    pub terms_together: usize,
    /// Bytes of each side's packs that a thread keeps. With a larger value, packs are built less often, but leave the
    /// near caches. Filling packs that are not kept take 1.15 at n = 16 to 22, 1.4 at 24. Half or double of the summing
    /// side's, whose batches are a quarter: 0.96 to 1.08.
    pub kept_bytes: Sides<usize>,
    /// Bytes of a thread's turned tables (low bytes). With a larger value, packs are built less often. Measured at
    /// n = 26 and 28.
    pub table_bytes: usize,
    /// Bytes of a table whose blocks are packed and walked before the next blocks are packed. With a larger value, keys
    /// are filtered less often, but packs and the part of the table leave L2. Measured at n = 24 to 28.
    pub piece_bytes: usize,
    /// The summing side's packs are sparse if its walks have this number of queens or more: then few keys are alive at
    /// a leaf.
    pub sparse_from: usize,
}

impl PackTuning {
    /// The measured values for a size and the instruction set that counts.
    #[must_use]
    pub fn new(n: usize, isa: Isa) -> Self {
        Self {
            terms_together: if n < 24 { 16 } else { 64 },
            kept_bytes: Sides { filling: if n < 26 { 128 << 20 } else { 4 << 20 }, summing: 4 << 20 },
            table_bytes: if n < 28 { 32 << 20 } else { 128 << 20 },
            piece_bytes: if n < 26 { usize::MAX } else { 384 << 10 },
            sparse_from: sparse_from(n, isa),
        }
    }
}

/// Measured with BITALG at n = 16 to 26 and 28, with AVX2 and portable code up to 25. NEON takes the limits of AVX2.
/// One queen more or fewer takes up to twice the time in the classes at the limit, from n = 23 on. Up to n = 22 sparse
/// packs gain nothing with BITALG, and a limit of 7 takes 1.03 to 1.04 at n = 18 and 19.
fn sparse_from(n: usize, isa: Isa) -> usize {
    match (isa, n) {
        // With BITALG two blocks share words, so words are fuller and fewer classes are sparse.
        (Isa::Avx512Bitalg, ..=22) => usize::MAX,
        (Isa::Portable, ..=17) => 5,
        (Isa::Portable, ..=22) | (Isa::Avx2 | Isa::Avx512 | Isa::Neon, ..=20) => 6,
        (Isa::Portable, ..=25) | (Isa::Avx2 | Isa::Avx512 | Isa::Neon, ..=24) => 7,
        (Isa::Portable | Isa::Avx2 | Isa::Avx512 | Isa::Neon, ..=27) | (Isa::Avx512Bitalg, ..=25) => 8,
        (Isa::Avx512Bitalg, 28..) => 10,
        _ => 9,
    }
}
