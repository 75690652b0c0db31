//! Classes, which group the row colorings by their number of white even rows, and the two sides of a class.

use std::cmp::Reverse;

use super::rows::{WalkRows, row_order, sort_by_rows};
use crate::color::split::{Color, Geometry, Sides, Subset, full, reversed, subsets};
use crate::color::tuning::UnitTuning;

/// All row colorings with `white_evens` white even rows.
#[derive(Debug, Clone)]
pub struct Class {
    /// The size of the board, and how many of its rows are even and odd.
    pub geometry: Geometry,
    /// Number of elements of each E and each F.
    pub(crate) white_evens: usize,
    /// Number of elements of each O and each G: `white_evens` for even n, and one more for odd n.
    pub(super) white_odds: usize,
    /// The order in which walks take the even rows.
    pub row_order: Vec<usize>,
    /// The two sides: the color with fewer queens fills the table, because its walk is shorter, or white if both have
    /// equally many. The other color sums.
    pub sides: Sides<Side>,
    /// All sets of `white_evens` even rows or columns, sorted by their first rows in `row_order`.
    pub(crate) even_sets: Vec<Subset>,
    /// All sets of `white_odds` odd rows or columns, in ascending order of rank.
    pub(crate) odd_sets: Vec<Subset>,
    /// The rank of each set of odd rows or columns. For even n, a set of even rows has the rank of the set of odd rows
    /// with the same mask, and complements have equal ranks.
    pub(super) odd_rank: Vec<u32>,
    /// Whether the class consists of the images of a counted class: see `symmetry.rs`.
    pub(super) is_image: bool,
}

/// One side of a class: a color and its walks.
#[derive(Debug, Clone, Copy)]
pub struct Side {
    /// The color.
    pub color: Color,
    /// Number of queens of each of its walks.
    pub(crate) queens: usize,
    /// How many of these queens form the prefix.
    pub(crate) prefix_length: usize,
}

impl Side {
    /// Returns the sides of a class with these numbers of white even and white odd rows.
    fn both(geometry: Geometry, [white_evens, white_odds]: [usize; 2], tuning: UnitTuning) -> Sides<Self> {
        let is_white = 2 * (white_evens + white_odds) <= geometry.n;
        let filling = if is_white { Color::White } else { Color::Black };
        let queens = |color: Color| if color == Color::White { white_evens } else { geometry.even_rows - white_evens };
        let queens = Sides { filling: queens(filling), summing: queens(filling.other()) };
        let lengths = tuning.prefix_lengths(queens);
        Sides {
            filling: Self { color: filling, queens: queens.filling, prefix_length: lengths.filling },
            summing: Self { color: filling.other(), queens: queens.summing, prefix_length: lengths.summing },
        }
    }
}

impl Class {
    /// Iterates over the classes of a size, in ascending order of `white_evens`. For even n, a class also represents
    /// its complement.
    pub(crate) fn all(n: usize, tuning: UnitTuning) -> impl Iterator<Item = Self> {
        let geometry = Geometry::new(n);
        let most = if n.is_multiple_of(2) { geometry.even_rows / 2 } else { geometry.even_rows };
        // The corners of an odd board are white, so it has one more white odd row than white even rows.
        (0..=most).map(move |white| Self::new(geometry, white, white + n % 2, tuning))
    }

    fn new(geometry: Geometry, white_evens: usize, white_odds: usize, tuning: UnitTuning) -> Self {
        let mut odd_sets = subsets(geometry.odd_rows, white_odds);
        let odd_rank = ranks(geometry, &odd_sets);
        odd_sets.sort_unstable_by_key(|&subset| (odd_rank[subset as usize], subset));
        let (row_order, mut even_sets) = (row_order(geometry.even_rows), subsets(geometry.even_rows, white_evens));
        sort_by_rows(&mut even_sets, &row_order);
        let sides = Side::both(geometry, [white_evens, white_odds], tuning);
        Self { geometry, white_evens, white_odds, row_order, sides, even_sets, odd_sets, odd_rank, is_image: false }
    }

    /// Returns the rows of a side's walks for E. Sets E with equal prefixes share packs of this side.
    pub(crate) fn walk_rows(&self, side: &Side, e: Subset) -> WalkRows<'_> {
        let rows = side.color.own(e, self.geometry.even_rows);
        WalkRows::new(self.geometry, side.color.walked(), rows, side.prefix_length, &self.row_order)
    }

    /// Returns whether a side's walks for two sets E have their prefixes on the same rows.
    pub(crate) fn same_prefix(&self, side: &Side, [a, b]: [Subset; 2]) -> bool {
        let prefix =
            |e| WalkRows::first_rows(side.color.own(e, self.geometry.even_rows), side.prefix_length, &self.row_order);
        prefix(a) == prefix(b)
    }

    /// Returns a value for each side, given those for white and for black.
    pub(crate) fn by_side<T>(&self, white: T, black: T) -> Sides<T> {
        match self.sides.filling.color {
            Color::White => Sides { filling: white, summing: black },
            Color::Black => Sides { filling: black, summing: white },
        }
    }

    /// Returns whether the size of the board is even.
    pub fn is_even(&self) -> bool {
        self.geometry.n.is_multiple_of(2)
    }
}

/// Returns the rank of each set of odd rows or columns in `odd_sets` and, for even n, of each complement.
///
/// Any order of the orbits gives the right count. Column sets of high rank are dropped most often, so it saves the most
/// time to give high ranks to the sets with the most placements: those whose queens seldom attack each other.
fn ranks(geometry: Geometry, odd_sets: &[Subset]) -> Vec<u32> {
    let mut orbits: Vec<Subset> = odd_sets.iter().map(|&subset| smallest_image(geometry, subset)).collect();
    orbits.sort_unstable_by_key(|&orbit| (Reverse(attacks(geometry.odd_rows, orbit)), orbit));
    orbits.dedup();
    let mut ranks = vec![u32::MAX; 1 << geometry.odd_rows];
    for (&orbit, rank) in orbits.iter().zip(0..) {
        ranks[orbit as usize] = rank;
    }
    for &subset in odd_sets {
        let rank = ranks[smallest_image(geometry, subset) as usize];
        ranks[subset as usize] = rank;
        if geometry.n.is_multiple_of(2) {
            ranks[(subset ^ full(geometry.odd_rows)) as usize] = rank;
        }
    }
    ranks
}

/// Returns how many pairs of squares attack each other on the rows of a set, in each diagonal direction. On two rows a
/// distance d apart, these are size - d pairs. Of a set and its complement, the larger one is judged, because more
/// queens attack each other there.
fn attacks(size: usize, subset: Subset) -> usize {
    let dense = if subset.count_ones() as usize * 2 >= size { subset } else { subset ^ full(size) };
    (1..size).map(|distance| (size - distance) * (dense & dense >> distance).count_ones() as usize).sum()
}

/// Returns the smallest image of a set of odd rows or columns under reversal and, for even n, complement.
fn smallest_image(geometry: Geometry, odd: Subset) -> Subset {
    let size = geometry.odd_rows;
    let smaller = |subset: Subset| subset.min(reversed(subset, size));
    if geometry.n.is_multiple_of(2) { smaller(odd).min(smaller(odd ^ full(size))) } else { smaller(odd) }
}
