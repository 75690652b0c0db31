//! The weights of all entries of a turned table: [`Class::column_weight`] for each pair of column sets.

use crate::Result;
use crate::color::plan::Class;
use crate::color::simd::BLOCK_LANES;
use crate::color::split::Subset;
use crate::memory::{collect, grow, refill};

/// The weights of a turned table's entries.
#[derive(Debug, Default)]
pub(crate) struct Weights {
    o: Subset,
    /// The column sets of the turned table's rows and of its lanes.
    axes: [RankedSets; 2],
    /// For each kind of row, the weights of its lanes, padded to whole blocks. A row's kind is its standing, plus 4 if
    /// its column set stands for two. If no set stands for two, the last four lists are invalid.
    by_lane: [Vec<u8>; 8],
    /// Upper bound of the weights.
    largest: u8,
}

/// The column sets of a table's rows or of its lanes. They are all sets of even columns or all sets of odd columns.
#[derive(Debug, Default)]
pub(crate) struct RankedSets {
    /// The rank of each set.
    ranks: Vec<u32>,
    /// How many sets each set stands for by reflection.
    factors: Vec<u8>,
    largest_factor: u8,
    /// Whether ranks are compared with the rank of O: for sets of odd columns, and for even n also for even columns.
    meets_odds: bool,
    /// For each set and the E at hand: 0, 1 or 2 if its rank is below, equal to or above the rank of E. [`EQUAL_TO_O`]
    /// if it is equal to the rank of O. No rank is above the rank of O.
    standings: Vec<u8>,
}

impl RankedSets {
    /// The sets G of odd columns, for rows with `o`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn odd(class: &Class, sets: &[Subset], o: Subset) -> Result<Self> {
        let ranks = collect(sets.iter().map(|&g| class.rank(g)))?;
        Ok(Self::new(ranks, collect(sets.iter().map(|&g| class.odd_column_factor(g, o)))?, true))
    }

    /// The sets F of even columns.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn even(class: &Class, sets: &[Subset]) -> Result<Self> {
        let ranks = collect(sets.iter().map(|&f| class.even_rank(f)))?;
        Ok(Self::new(ranks, collect(sets.iter().map(|_| 1))?, class.is_even()))
    }

    fn new(ranks: Vec<u32>, factors: Vec<u8>, meets_odds: bool) -> Self {
        let largest_factor = factors.iter().copied().max().unwrap_or(1);
        Self { ranks, factors, largest_factor, meets_odds, standings: Vec::new() }
    }

    fn compare(&mut self, class: &Class, e: Subset, o: Subset) -> Result<()> {
        // For odd n, ranks of even sets and of odd sets are independent numbers. So an odd set's rank is compared with
        // the rank of E without a meaning, but standings 0, 1 and 2 have equal weights then.
        let [e, o] = [class.even_rank(e), if self.meets_odds { class.rank(o) } else { u32::MAX }];
        let standing = |&rank: &u32| {
            if rank == o { EQUAL_TO_O as u8 } else { u8::from(rank >= e) + u8::from(rank > e) }
        };
        refill(&mut self.standings, self.ranks.iter().map(standing))
    }
}

/// The standing of column sets whose rank equals the rank of O.
const EQUAL_TO_O: usize = 3;

/// How many of a term and its transpose a column coloring counts, by the standings of the table's row and lane:
///
/// | row \ lane | below E | equal to E | above E | equal to O |
/// | --- | --- | --- | --- | --- |
/// | below E, equal to it or above it | 2 | 2 | 2 | 2, 1 or 0 |
/// | equal to O | 2 | 1 | 0 | 1 if E has the rank of O too, else 0 |
///
/// It counts both if neither rank is that of O: then the rows have the higher ranks. If one is that of O, the other rank
/// decides. [`Weights::compare`] sets the last number.
const TRANSPOSED: [[u8; 4]; 4] = [[2, 2, 2, 2], [2, 2, 2, 1], [2, 2, 2, 0], [2, 1, 0, 0]];

impl Weights {
    /// Upper bound of the weights.
    pub(crate) fn largest(&self) -> u32 {
        u32::from(self.largest)
    }

    /// Begins another O. `rows` and `lanes` are the column sets of the turned table's rows and lanes.
    pub(crate) fn begin(&mut self, o: Subset, rows: RankedSets, lanes: RankedSets) {
        self.o = o;
        self.largest = 2 * rows.largest_factor * lanes.largest_factor;
        self.axes = [rows, lanes];
    }

    /// Computes the weights for the row coloring (E, O).
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn compare(&mut self, class: &Class, e: Subset) -> Result<()> {
        let o = self.o;
        let [rows, lanes] = &mut self.axes;
        rows.compare(class, e, o)?;
        lanes.compare(class, e, o)?;
        let mut transposed = TRANSPOSED;
        transposed[EQUAL_TO_O][EQUAL_TO_O] = u8::from(class.even_rank(e) == class.rank(o));
        for (kind, by_lane) in (0..4 * rows.largest_factor).zip(&mut self.by_lane) {
            let (of_row, factor) = (transposed[usize::from(kind) % 4], 1 + kind / 4);
            let weight = |(&lane, &of_lane): (&u8, &u8)| of_row[usize::from(lane)] * factor * of_lane;
            refill(by_lane, lanes.standings.iter().zip(&lanes.factors).map(weight))?;
            grow(by_lane, lanes.ranks.len().next_multiple_of(BLOCK_LANES), 0)?;
        }
        Ok(())
    }

    /// The weights of a row of the turned table in one block.
    #[inline(always)]
    pub(super) fn of(&self, row: usize, block: usize) -> &[u8; BLOCK_LANES] {
        let rows = &self.axes[0];
        let kind = rows.standings[row] + if rows.factors[row] > 1 { 4 } else { 0 };
        self.by_lane[usize::from(kind)][block * BLOCK_LANES..]
            .first_chunk()
            .expect("weights are padded to whole blocks")
    }
}
