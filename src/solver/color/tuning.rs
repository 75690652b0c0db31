//! The constants of the color split that change its speed and not its result, in one place.
//!
//! Tuned on one core of an AMD EPYC 9004 (Zen 4: 32 KiB L1, 1 MiB L2, 32 MiB L3) with AVX-512.

use super::family::Side;
use super::symmetry::Class;
use super::walk::MAX_TERMS;

/// Rows that a walk has below its prefix.
const ROWS_LEFT: usize = 4;

/// Memory for the tables of one thread.
const TABLE_BYTES: usize = 64 << 20;

/// How a count is cut and packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tuning {
    /// Queens that a pack of the filling side has behind it, `None` for the measured choice. One more: fewer words a leaf,
    /// more packs.
    pub fill_depth: Option<usize>,
    /// The same for the summing side.
    pub dot_depth: Option<usize>,
    /// Sets of odd rows that share programs, `None` for the measured choice. More: programs are written less often, more of
    /// their leaves are wasted on sets that drop them, more of a unit's neighbours must be counted together to gain.
    pub family: Option<usize>,
    /// Leaves of the programs of one family, 6 bytes each, `None` for the measured choice; the sets E are cut into ranges to
    /// stay below. More: packs are shared by more E, programs need more memory.
    pub program_leaves: Option<u64>,
    /// Terms whose walks are replayed on a tile before the next tile's turn, `None` for the measured choice. More: a tile's
    /// planes are read less often, the tables of more terms must be kept.
    pub terms_together: Option<usize>,
}

impl Tuning {
    /// Queens of the prefixes on the filling and on the summing side.
    ///
    /// Four rows left to walk was best nearly everywhere from n = 16 to 22, one more or fewer up to 1.6 times slower; where
    /// the lists are short, deep prefixes leave packs with next to nothing in them (n = 19, a = 7: 0.52 s with 2 queens,
    /// 0.72 s with 3).
    pub(super) fn depths(&self, class: &Class) -> [usize; 2] {
        // The fewer queens before the walk that fills, the more one pack adds to one entry of a byte: with one queen n = 26
        // ended in an overflow.
        let (fewest_filling, deepest) = match class.geometry.n {
            0..=15 => (0, 1),
            16..=20 => (0, 2),
            21..=23 => (0, 3),
            24 | 25 => (2, 4),
            _ => (3, 4),
        };
        let queens = Side::both(class).map(|side| side.queens(class));
        let [fill, dot] = queens.map(|queens| queens.saturating_sub(ROWS_LEFT).min(deepest));
        [
            self.fill_depth.unwrap_or(fill.max(fewest_filling)).min(queens[0]),
            self.dot_depth.unwrap_or(dot).min(queens[1]),
        ]
    }

    /// Terms that are walked together, with tables of so many bytes. All eight where memory allows: at n = 24 with 5 white
    /// rows of 12, 2 together took 18 % less time than one by one, 8 together 27 %; at n = 20 and below it makes no difference.
    pub(super) fn terms_together(&self, bytes: usize) -> usize {
        // There is a filled and a transposed table for each.
        self.terms_together.unwrap_or(TABLE_BYTES / (2 * bytes).max(1)).clamp(1, MAX_TERMS)
    }

    /// Sets of odd rows in a family, of so many in their class.
    pub(super) fn family(&self, units: usize) -> usize {
        self.family.unwrap_or_else(|| ((units as f64).sqrt().ceil() as usize).max(16)).max(1)
    }

    /// Leaves of the programs of one family.
    pub(super) fn program_leaves(&self, n: usize) -> f64 {
        let leaves = match n {
            0..=20 => 12_000_000,
            21..=23 => 4_000_000,
            24..=27 => 24_000_000,
            28 | 29 => 400_000_000,
            // Out of reach: as few units as there are O.
            _ => u64::MAX,
        };
        self.program_leaves.unwrap_or(leaves) as f64
    }
}
