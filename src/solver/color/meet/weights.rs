//! The weights of the symmetry, for all entries of a table at once.

use crate::solver::color::plan::Class;
use crate::solver::color::split::Subset;
use crate::solver::simd::BLOCK_LANES;

/// How the entries of the turned table are weighted ([`Class::column_weight`], for all of them at once).
#[derive(Debug, Default)]
pub(crate) struct Weights {
    o: Subset,
    /// The column sets of the turned table's rows (the filled one's lanes) and of its lanes (the filled one's rows).
    sides: [Columns; 2],
    /// The weights of a row of the turned table, lane by lane, padded to whole blocks: one such list for each kind of
    /// row. A row's kind is its standing, and four more where its column set stands for two; where none does, the last
    /// four lists are not valid.
    by_lane: [Vec<u8>; 8],
    /// A bound: no weight is larger.
    largest: u8,
}

/// The column sets of a table's rows or lanes: all even ones or all odd ones.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    /// Their ranks.
    ranks: Vec<u32>,
    /// How many sets each stands for by reflection.
    factors: Vec<u8>,
    largest_factor: u8,
    /// Whether their ranks are compared with O's: those of odd sets are and, for even n, those of even ones too.
    meets_odds: bool,
    /// For the term at hand, how each rank compares with E's: 0 below, 1 equal, 2 above; or [`EQUAL_TO_O`]. (None is
    /// above O's.)
    standings: Vec<u8>,
}

impl Columns {
    /// The odd sets G for rows with this O.
    pub(crate) fn odd(class: &Class, sets: &[Subset], o: Subset) -> Self {
        let ranks = sets.iter().map(|&g| class.rank(g)).collect();
        Self::new(ranks, sets.iter().map(|&g| class.odd_columns(g, o)).collect(), true)
    }

    /// The even sets F.
    pub(crate) fn even(class: &Class, sets: &[Subset]) -> Self {
        Self::new(sets.iter().map(|&f| class.even_rank(f)).collect(), vec![1; sets.len()], class.is_even())
    }

    fn new(ranks: Vec<u32>, factors: Vec<u8>, meets_odds: bool) -> Self {
        let largest_factor = factors.iter().copied().max().unwrap_or(1);
        Self { ranks, factors, largest_factor, meets_odds, standings: Vec::new() }
    }

    fn compare(&mut self, class: &Class, e: Subset, o: Subset) {
        // For odd n, even and odd sets have ranks apart. What an odd one's is to E's means nothing then: all that
        // matters is whether it equals O's, and the other three standings weigh the same.
        let [e, o] = [class.even_rank(e), if self.meets_odds { class.rank(o) } else { u32::MAX }];
        let standing = |&rank: &u32| {
            if rank == o { EQUAL_TO_O } else { u8::from(rank >= e) + u8::from(rank > e) }
        };
        self.standings.clear();
        self.standings.extend(self.ranks.iter().map(standing));
    }
}

/// The standing of column sets whose rank is that of O.
const EQUAL_TO_O: u8 = 3;

impl Weights {
    /// No weight is larger.
    pub(crate) fn largest(&self) -> u32 {
        u32::from(self.largest)
    }

    /// Begins with another O, and these column sets of the turned table's rows and lanes.
    pub(crate) fn begin(&mut self, o: Subset, rows: Columns, lanes: Columns) {
        self.o = o;
        self.largest = 2 * rows.largest_factor * lanes.largest_factor;
        self.sides = [rows, lanes];
    }

    /// Works out the weights for the row coloring (E, O).
    pub(crate) fn compare(&mut self, class: &Class, e: Subset) {
        let o = self.o;
        let [rows, lanes] = &mut self.sides;
        rows.compare(class, e, o);
        lanes.compare(class, e, o);
        // Where F and G both have the rank of O, they count only if E has it too.
        let both = u8::from(class.even_rank(e) == class.rank(o));
        for (kind, by_lane) in (0..4 * rows.largest_factor).zip(&mut self.by_lane) {
            let (row, factor) = (kind % 4, 1 + kind / 4);
            let meets = if row == EQUAL_TO_O { both } else { 2 - row };
            let weight = |(&lane, &of_lane): (&u8, &u8)| {
                let transposed = match lane {
                    EQUAL_TO_O => meets,
                    _ if row == EQUAL_TO_O => 2 - lane,
                    _ => 2,
                };
                transposed * factor * of_lane
            };
            by_lane.clear();
            by_lane.extend(lanes.standings.iter().zip(&lanes.factors).map(weight));
            by_lane.resize(lanes.ranks.len().next_multiple_of(BLOCK_LANES), 0);
        }
    }

    /// The weights of a row of the turned table, at one block of its lanes.
    #[inline(always)]
    pub(super) fn of(&self, row: usize, block: usize) -> &[u8; BLOCK_LANES] {
        let rows = &self.sides[0];
        let kind = rows.standings[row] + if rows.factors[row] > 1 { 4 } else { 0 };
        self.by_lane[usize::from(kind)][block * BLOCK_LANES..]
            .first_chunk()
            .expect("weights are padded to whole blocks")
    }
}
