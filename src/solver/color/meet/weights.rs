//! The weights of the symmetry, for all entries of a table at once.

use crate::solver::color::isa::LANES;
use crate::solver::color::plan::Class;
use crate::solver::color::split::Subset;

/// How the entries of the transposed table are weighted ([`Class::column_weight`], for all of them at once).
#[derive(Debug, Default)]
pub(crate) struct Weights {
    o: Subset,
    /// The lanes of the filled table, which become rows, and its rows, which become lanes.
    sides: [Columns; 2],
    /// The weights by lane of the transposed table, padded to whole blocks, for each kind of row: a standing and, times
    /// four, whether it stands for two; those where no row does are not valid.
    by_lane: [Vec<u8>; 8],
    /// No weight is larger.
    largest: u8,
}

/// Some column sets of one parity.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    /// The numbers of their orbits.
    ranks: Vec<u32>,
    /// How many sets each stands for by reflection.
    factors: Vec<u8>,
    largest_factor: u8,
    /// Whether O is compared with them: the odd ones and, for even n, the even ones.
    meets_odds: bool,
    /// For the term at hand, how each stands to E: 0 below, 1 equal, 2 above; or 3 where it is equal to O, above which
    /// there is none.
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
        // For odd n, E's number is one among even sets: odd ones are only asked whether they equal O, the other
        // standings weigh the same.
        let [e, o] = [class.even_rank(e), if self.meets_odds { class.rank(o) } else { u32::MAX }];
        let standing = |&rank: &u32| {
            if rank == o { EQUAL_TO_O } else { u8::from(rank >= e) + u8::from(rank > e) }
        };
        self.standings.clear();
        self.standings.extend(self.ranks.iter().map(standing));
    }
}

/// The standing of column sets whose orbit is that of O.
const EQUAL_TO_O: u8 = 3;

impl Weights {
    /// No weight is larger.
    pub(crate) fn largest(&self) -> u32 {
        u32::from(self.largest)
    }

    /// Weights for these columns in the filled table's lanes (the transposed one's rows) and in its rows (the
    /// transposed one's lanes), and for rows with this O.
    pub(crate) fn begin(&mut self, o: Subset, rows: Columns, lanes: Columns) {
        self.o = o;
        self.largest = 2 * rows.largest_factor * lanes.largest_factor;
        self.sides = [rows, lanes];
    }

    /// Puts the weights in for rows (E, O).
    pub(crate) fn compare(&mut self, class: &Class, e: Subset) {
        let o = self.o;
        let [rows, lanes] = &mut self.sides;
        rows.compare(class, e, o);
        lanes.compare(class, e, o);
        // Both sets in the orbit of O: the smaller one is compared with E.
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
            by_lane.resize(lanes.ranks.len().next_multiple_of(LANES), 0);
        }
    }

    /// Those of a row of the transposed table at a block of its lanes.
    #[inline(always)]
    pub(super) fn of(&self, row: usize, block: usize) -> &[u8; LANES] {
        let rows = &self.sides[0];
        let kind = rows.standings[row] + if rows.factors[row] > 1 { 4 } else { 0 };
        self.by_lane[usize::from(kind)][block * LANES..].first_chunk().expect("weights are padded to whole blocks")
    }
}
