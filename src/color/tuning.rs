//! What is chosen by the size and the instruction set. `diary.md` has the trials. Constants that are equal for all sizes
//! stand where they are used.
//!
//! Tuned on one core of an AMD EPYC 9004 (Zen 4: 32 KiB L1, 1 MiB L2, 32 MiB L3) with AVX-512.

use crate::color::split::Sides;
use crate::solver::Isa;

/// What decides which units a count has. Another value changes the units, so it raises the plan version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitTuning {
    /// The most queens of a prefix. More: fewer words a leaf, more packs. Measured at n = 16 to 24.
    pub longest_prefixes: Sides<usize>,
    /// The fewest sets of odd rows that share programs. More: programs are written less often, and have more leaves that a
    /// set drops. Measured at n = 16 to 20.
    pub min_sets_of_family: usize,
    /// Leaves of the programs of one family, 6 bytes each. More: packs are shared by more E, programs need more memory.
    /// Measured at n = 22 to 26.
    pub program_leaves: u64,
}

impl UnitTuning {
    /// The measured values for a size. No choice for n = 28 and more was timed.
    #[must_use]
    pub fn new(n: usize) -> Self {
        let [filling, summing] = match n {
            0..=15 => [1, 1],
            16..=19 => [2, 1],
            20 => [2, 2],
            21 => [3, 2],
            22..=23 => [3, 3],
            _ => [4, 4],
        };
        Self {
            longest_prefixes: Sides { filling, summing },
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
}

/// How units are packed. It changes the speed and the memory, and no unit. Tests set small limits, so that small boards have
/// several batches and ranges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackTuning {
    /// The most terms that are summed together. More: packs are built less often, more tables are kept. Measured at n = 22
    /// to 26.
    pub terms_together: usize,
    /// A batch of packs has about the memory of this many tables. A larger batch leaves L2 before it is walked. For a
    /// smaller one the tables are read again more often. Measured at n = 22 to 26.
    pub tables_together: usize,
    /// Bytes of each side's packs that a thread keeps. More: packs are built less often, and leave the near caches. With
    /// fewer, dense classes at n = 26 pack the filling side again for each E.
    pub kept_bytes: Sides<usize>,
    /// Bytes of a table that all packs use before the next range. More: programs are read less, the range leaves L2.
    /// Measured at n = 24 and 26.
    pub range_bytes: usize,
    /// When the summing side's packs are sparse.
    pub sparse: Sparse,
}

/// When the summing side's packs are sparse: its walks have many queens, so that few keys are alive at a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sparse {
    /// From this many queens on.
    FromQueens(usize),
    /// From a share of n / 2 queens on, in thousandths. It is linear in the share of the column sets that a family keeps:
    /// families that keep fewer sets have lower ranks. Queens on their rows attack each other more, so lists are shorter.
    FromShare {
        /// The threshold for a family that keeps all column sets.
        keeps_all: usize,
        /// How much lower it is for a family that keeps none.
        reduction: usize,
        /// The lower bound of the threshold.
        least: usize,
    },
}

impl PackTuning {
    /// The measured values for a size and the instruction set that counts. No choice for n = 28 and more was timed.
    #[must_use]
    pub fn new(n: usize, isa: Isa) -> Self {
        Self {
            terms_together: if n < 24 { 16 } else { 64 },
            tables_together: if n < 24 { 4 } else { 8 },
            kept_bytes: Sides { filling: 128 << 20, summing: 4 << 20 },
            range_bytes: 384 << 10,
            sparse: Sparse::new(n, isa),
        }
    }
}

impl Sparse {
    /// Measured at each n from 16 to 21, and at 22, 24 and 26.
    fn new(n: usize, isa: Isa) -> Self {
        // With BITALG two blocks share words, so words are fuller and fewer classes are sparse.
        match (isa, n) {
            (Isa::Avx512Bitalg, 17..=21) => return Self::FromQueens(7),
            (Isa::Avx2 | Isa::Avx512 | Isa::Neon, 21) => return Self::FromQueens(7),
            (Isa::Avx512Bitalg, 16) | (Isa::Avx2 | Isa::Avx512 | Isa::Neon, 16..=20) => return Self::FromQueens(6),
            _ => {}
        }
        let [even, odd, reduction, least] = match isa {
            Isa::Portable => [586, 600, 150, 0],
            Isa::Avx512Bitalg => [652, 672, 240, 575],
            Isa::Avx2 | Isa::Avx512 | Isa::Neon => [624, 640, 150, 0],
        };
        Self::FromShare { keeps_all: if n.is_multiple_of(2) { even } else { odd }, reduction, least }
    }

    /// Whether packs are sparse. The summing side's walks have `queens` queens, and the family keeps the share `kept` of the
    /// column sets.
    pub(crate) fn holds(self, n: usize, queens: usize, kept: f64) -> bool {
        match self {
            Self::FromQueens(fewest) => queens >= fewest,
            Self::FromShare { keeps_all, reduction, least } => {
                let threshold = keeps_all.saturating_sub((reduction as f64 * (1.0 - kept)) as usize).max(least);
                2000 * queens >= threshold.saturating_mul(n)
            }
        }
    }
}
