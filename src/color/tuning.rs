//! What is chosen by the size and the instruction set. `diary.md` has the trials. Constants that are equal for all sizes
//! stand where they are used.
//!
//! Tuned on one core of an AMD EPYC 9004 (Zen 4: 32 KiB L1, 1 MiB L2, 32 MiB L3) with AVX-512.

use crate::color::split::Sides;
use crate::solver::Isa;

/// What decides which units a count has. Another value changes the units, so it raises the plan version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitTuning {
    /// The most queens of a prefix. More: fewer words a leaf, more packs. Measured at n = 16 to 28.
    pub longest_prefixes: Sides<usize>,
    /// The fewest rows of a walk below its prefix. More: fewer packs, with more words alive in each. Measured at n = 16 to 28.
    pub rows_below: usize,
    /// The fewest sets of odd rows that share programs. More: programs are written less often, and have more leaves that a
    /// set drops. Measured at n = 16 to 20.
    pub min_sets_of_family: usize,
    /// Leaves of the programs of one family, 6 bytes each. More: packs are shared by more E, programs need more memory.
    /// Measured at n = 22 to 26.
    pub program_leaves: u64,
}

impl UnitTuning {
    /// The measured values for a size.
    #[must_use]
    pub fn new(n: usize) -> Self {
        let [filling, summing] = match n {
            0..=15 => [1, 1],
            16..=19 => [2, 1],
            20 => [2, 2],
            21 => [3, 2],
            22..=23 => [3, 3],
            24..=27 => [4, 4],
            _ => [3, 6],
        };
        Self {
            longest_prefixes: Sides { filling, summing },
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
        let Sides { filling, summing } = self.longest_prefixes;
        Sides {
            filling: filling.min(queens.filling.saturating_sub(self.rows_below)),
            summing: summing.min(queens.summing.saturating_sub(self.rows_below)),
        }
    }
}

/// How units are packed. It changes the speed and the memory, and no unit. Tests set small limits, so that small boards have
/// several batches and ranges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PackTuning {
    /// The most terms that are summed together. More: packs are built less often, more tables are kept. Measured at n = 22
    /// to 26: with 1, a unit of n = 22 or 24 takes three times as long (a Xeon).
    pub terms_together: usize,
    /// A batch of packs has about the memory of this many tables. A larger batch leaves L2 before it is walked. For a
    /// smaller one the tables are read again more often. Measured at n = 22 to 26.
    pub tables_together: usize,
    /// Bytes of each side's packs that a thread keeps. More: packs are built less often, and leave the near caches.
    pub kept_bytes: Sides<usize>,
    /// Bytes of a thread's turned tables (low bytes). More: packs are built less often. Measured at n = 26 and 28.
    pub table_bytes: usize,
    /// Bytes of a table that all packs use before the next range. More: programs are read less, the range leaves L2.
    /// Measured at n = 24 and 26.
    pub range_bytes: usize,
    /// Bytes of a table whose blocks are packed and walked before the next blocks are packed. More: keys are filtered less
    /// often, packs and the part of the table leave L2. Measured at n = 24 to 28.
    pub piece_bytes: usize,
    /// When the summing side's packs are sparse.
    pub sparse: Sparse,
}

/// Says when the summing side's packs are sparse: if its walks have many queens, because few keys are alive at a leaf then.
///
/// A family of lower rank keeps fewer column sets, and its lists are shorter. So its packs are sparse from fewer queens on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sparse {
    /// The fewest queens, for a family that keeps all column sets.
    pub fewest: f64,
    /// How many fewer for a family that keeps none. It is linear in the share that is kept.
    pub reduction: f64,
    /// The lower bound of the fewest queens.
    pub least: f64,
}

impl PackTuning {
    /// The measured values for a size and the instruction set that counts.
    #[must_use]
    pub fn new(n: usize, isa: Isa) -> Self {
        Self {
            terms_together: if n < 24 { 16 } else { 64 },
            tables_together: if n < 24 { 4 } else { 8 },
            kept_bytes: Sides { filling: if n < 26 { 128 << 20 } else { 4 << 20 }, summing: 4 << 20 },
            table_bytes: if n < 28 { 32 << 20 } else { 128 << 20 },
            range_bytes: 384 << 10,
            piece_bytes: if n < 26 { usize::MAX } else { 384 << 10 },
            sparse: Sparse::new(n, isa),
        }
    }
}

impl Sparse {
    /// Sparse from this number of queens on.
    #[must_use]
    pub fn from_queens(fewest: usize) -> Self {
        Self { fewest: fewest as f64, reduction: 0.0, least: 0.0 }
    }

    /// Measured at each n from 16 to 21, and at 22, 24, 26 and 28.
    fn new(n: usize, isa: Isa) -> Self {
        // With BITALG two blocks share words, so words are fuller and fewer classes are sparse.
        let thousandths = match (isa, n) {
            (Isa::Avx512Bitalg, 17..=21) => return Self::from_queens(7),
            (Isa::Avx2 | Isa::Avx512 | Isa::Neon, 21) => return Self::from_queens(7),
            (Isa::Avx512Bitalg, 16) | (Isa::Avx2 | Isa::Avx512 | Isa::Neon, 16..=20) => return Self::from_queens(6),
            // Sparse packs look entries up far away, in tables that no near cache holds.
            (Isa::Avx512Bitalg, 26..) if n.is_multiple_of(2) => [675, 170, 575],
            (Isa::Avx512Bitalg, _) => [if n.is_multiple_of(2) { 652 } else { 672 }, 240, 575],
            (Isa::Portable, _) => [if n.is_multiple_of(2) { 586 } else { 600 }, 150, 0],
            (Isa::Avx2 | Isa::Avx512 | Isa::Neon, _) => [if n.is_multiple_of(2) { 624 } else { 640 }, 150, 0],
        };
        let [fewest, reduction, least] = thousandths.map(|thousandths: u32| f64::from(thousandths) * n as f64 / 2000.0);
        Self { fewest, reduction, least }
    }

    /// Whether packs are sparse. The summing side's walks have `queens` queens, and the family keeps the share `kept` of the
    /// column sets.
    pub(crate) fn holds(self, queens: usize, kept: f64) -> bool {
        queens as f64 >= (self.fewest - self.reduction * (1.0 - kept)).max(self.least)
    }
}
