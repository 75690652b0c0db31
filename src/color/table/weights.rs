//! The weights of all entries of a turned table: [`Class::column_weight`] for each pair of column sets.
//!
//! A row coloring (E, O) is counted together with its transpose, where columns (F, G) take the place of the rows. Of the two,
//! the one whose rows have the higher ranks is counted, so the weight of (F, G) is 2, 1 or 0 if its ranks are below, equal to
//! or above those of (E, O). Column sets of a rank above O have no row and no lane. So three comparisons decide:
//!
//! - Is the rank of the row's set that of O? Then the lane's set is compared with E.
//! - Else, is the rank of the lane's set that of O? Then the row's set is compared with E.
//! - Else both ranks are below O, and the weight is 2.
//!
//! On an odd board only G is compared with O, and only F with E.

use crate::Result;
use crate::color::plan::Class;
use crate::color::simd::BLOCK_LANES;
use crate::color::split::Subset;
use crate::memory::{collect, grow, refill};

/// The weights of a turned table's entries.
#[derive(Debug, Default)]
pub(crate) struct Weights {
    rows: ColumnSets,
    lanes: ColumnSets,
}

/// The column sets of a table's rows or of its lanes: all are sets of even columns, or all are sets of odd columns. They are
/// padded to whole blocks, with sets of factor 0.
#[derive(Debug, Default)]
pub(crate) struct ColumnSets {
    ranks: Vec<u32>,
    /// How many sets each set stands for by reflection.
    factors: Vec<u8>,
    /// Whether the rank of a set is that of O.
    equals_o: Vec<bool>,
    /// For the E at hand: 2, 1 or 0 if the rank of a set is below, equal to or above the rank of E.
    against_e: Vec<u8>,
}

impl ColumnSets {
    /// The sets G of odd columns, for rows with `o`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn odd(class: &Class, sets: &[Subset], o: Subset) -> Result<Self> {
        let ranks = collect(sets.iter().map(|&g| class.rank(g)))?;
        let factors = collect(sets.iter().map(|&g| class.odd_column_factor(g, o)))?;
        Self::new(ranks, factors, |rank| rank == class.rank(o))
    }

    /// The sets F of even columns, for rows with `o`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn even(class: &Class, sets: &[Subset], o: Subset) -> Result<Self> {
        let ranks = collect(sets.iter().map(|&f| class.even_rank(f)))?;
        let factors = collect(sets.iter().map(|_| 1))?;
        Self::new(ranks, factors, |rank| class.is_even() && rank == class.rank(o))
    }

    fn new(mut ranks: Vec<u32>, mut factors: Vec<u8>, equals_o: impl Fn(u32) -> bool) -> Result<Self> {
        let padded = ranks.len().next_multiple_of(BLOCK_LANES);
        grow(&mut ranks, padded, 0)?;
        grow(&mut factors, padded, 0)?;
        let equals_o = collect(ranks.iter().map(|&rank| equals_o(rank)))?;
        Ok(Self { ranks, factors, equals_o, against_e: Vec::new() })
    }

    fn compare(&mut self, e: u32) -> Result<()> {
        let against_e = |&rank: &u32| u8::from(rank <= e) + u8::from(rank < e);
        refill(&mut self.against_e, self.ranks.iter().map(against_e))
    }
}

impl Weights {
    /// The weights for the column sets of the turned table's rows and lanes.
    pub(crate) fn new(rows: ColumnSets, lanes: ColumnSets) -> Self {
        Self { rows, lanes }
    }

    /// Upper bound of the weights.
    pub(crate) fn largest(&self) -> u32 {
        let largest = |sets: &ColumnSets| u32::from(sets.factors.iter().copied().max().unwrap_or(1));
        2 * largest(&self.rows) * largest(&self.lanes)
    }

    /// Prepares the weights for the row coloring (E, O).
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn compare(&mut self, class: &Class, e: Subset) -> Result<()> {
        let e = class.even_rank(e);
        self.rows.compare(e)?;
        self.lanes.compare(e)
    }

    /// The weights of a row of the turned table in one block.
    #[inline(always)]
    pub(super) fn of(&self, row: usize, block: usize) -> [u8; BLOCK_LANES] {
        let Self { rows, lanes } = self;
        let first = block * BLOCK_LANES;
        let against_e: &[u8; BLOCK_LANES] = lanes.against_e[first..].first_chunk().expect("blocks are whole");
        let equals_o: &[bool; BLOCK_LANES] = lanes.equals_o[first..].first_chunk().expect("blocks are whole");
        let factors: &[u8; BLOCK_LANES] = lanes.factors[first..].first_chunk().expect("blocks are whole");
        let (row_equals_o, row_against_e, row_factor) = (rows.equals_o[row], rows.against_e[row], rows.factors[row]);
        let mut weights = [0; BLOCK_LANES];
        for lane in 0..BLOCK_LANES {
            let transposed = match (row_equals_o, equals_o[lane]) {
                (true, _) => against_e[lane],
                (false, true) => row_against_e,
                (false, false) => 2,
            };
            weights[lane] = row_factor * factors[lane] * transposed;
        }
        weights
    }
}
