//! The constants that tests vary. Most depend on the size, and some also on the instruction set. Other constants are in
//! the files that use them. `diary.md` says which values were tried, and how much longer a count took with them.

use super::split::Sides;
use crate::solver::Isa;

/// The largest size. At n = 31, a table would take hundreds of megabytes, the lists of a thread would take tens of
/// gigabytes, and a weighted entry would take three bytes.
pub(crate) const LARGEST: usize = 30;

/// The constants for each n that decide which units a count has. The plan version must rise whenever one of them
/// changes, because the units then change too. `README.md` lists what else decides them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UnitTuning {
    /// The maximum number of queens in the summing side's prefixes. A larger value means fewer words per leaf, but more
    /// packs.
    pub(crate) longest_prefix: usize,
    /// The minimum number of rows of a walk below its prefix. This value alone decides the prefixes of the filling
    /// side. A larger value means fewer and larger packs, but fewer keys of a word are alive at a leaf.
    pub(crate) rows_below: usize,
    /// The minimum number of sets O that share programs. A larger value means that programs are written less often, but
    /// contain more leaves that an O drops.
    pub(crate) min_sets_of_family: usize,
    /// The average number of estimated leaves in a family's programs above which its class is cut into more families. A
    /// leaf that is written takes 4.3 bytes in a group of seven and 6 alone. A larger value means that more sets E
    /// share packs, but programs take more memory. Up to n = 20, the programs of every family are smaller, so no class
    /// is cut.
    pub(crate) program_leaves: u64,
}

impl UnitTuning {
    /// Returns the measured values for a size.
    pub(crate) fn new(n: usize) -> Self {
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
/// so that small boards have several batches, and boards from n = 20 on several pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PackTuning {
    /// The maximum number of terms that are summed together. A larger value means that packs are built less often, but
    /// more tables are kept.
    pub(crate) terms_together: usize,
    /// Bytes of a batch of packs, for each side. If one batch contains all packs, it is used again by the next E whose
    /// prefixes are on the same rows. A larger value means that packs are built less often, but leave the near caches.
    pub(crate) batch_bytes: Sides<usize>,
    /// Bytes of a thread's turned tables, counting only low bytes. A larger value means that packs are built less
    /// often, because more terms are summed together.
    pub(crate) table_bytes: usize,
    /// Bytes of a piece of a table, whose blocks are packed and walked before the next blocks. A larger value means
    /// that keys are filtered less often, but packs and the piece leave L2.
    pub(crate) piece_bytes: usize,
    /// The minimum number of queens in the summing side's walks for which its packs are sparse, because few keys are
    /// then alive at a leaf.
    pub(crate) sparse_from: usize,
    /// The time to look up one key, divided by the time to count the keys of one lane. A larger value means that fewer
    /// units of a class have sparse packs. With 0, all or none have.
    pub(crate) lanes_per_look_up: u64,
}

impl PackTuning {
    /// Returns the measured values for a size and the instruction set that counts. `forecast.rs` predicts the memory
    /// that they take.
    pub(crate) fn new(n: usize, isa: Isa) -> Self {
        Self {
            terms_together: if n < 24 { 16 } else { 64 },
            batch_bytes: Sides { filling: if n < 26 { 128 << 20 } else { 4 << 20 }, summing: 1 << 20 },
            table_bytes: if n < 28 { 32 << 20 } else { 128 << 20 },
            piece_bytes: if n < 26 { usize::MAX } else { 384 << 10 },
            sparse_from: sparse_from(n, isa),
            lanes_per_look_up: if matches!(isa, Isa::Neon | Isa::Avx2 | Isa::Avx512) { 48 } else { 0 },
        }
    }
}

/// Returns [`PackTuning::sparse_from`]. With BITALG, two blocks share words, so words are fuller and fewer classes are
/// sparse.
fn sparse_from(n: usize, isa: Isa) -> usize {
    match isa {
        // The instruction set of tests, whose words are shared as with BITALG.
        #[cfg(test)]
        Isa::Sharing => sparse_from(n, Isa::Avx512Bitalg),
        Isa::Avx512Bitalg => match n {
            ..=22 => usize::MAX,
            23..=25 => 8,
            26..=27 => 9,
            _ => 10,
        },
        Isa::Portable => match n {
            ..=17 => 5,
            18..=22 => 6,
            23..=25 => 7,
            26..=27 => 8,
            _ => 9,
        },
        // Measured with AVX2, and not with NEON or older AVX-512, whose packs are the same.
        Isa::Neon | Isa::Avx2 | Isa::Avx512 => match n {
            ..=21 => 6,
            22..=25 => 7,
            26..=27 => 8,
            _ => 9,
        },
    }
}
