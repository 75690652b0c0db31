//! Estimates the number of placements on a set of rows, and the cost of a unit. Estimates decide how a count is cut and
//! ordered, and never what it counts.

use super::class::Class;
use crate::color::simd::{BLOCK_LANES, KEYS_PER_BYTE, WORD_BYTES};
use crate::color::split::{Color, Geometry, SubBoard, Subset};

/// Estimates the number of placements of a sub-board on `rows`: all choices of distinct columns, times the share
/// without an attack. Pairs of rows count as independent. If the rows nearly fill the sub-board, the estimate is too
/// large.
pub(crate) fn placements(geometry: Geometry, board: SubBoard, rows: Subset) -> f64 {
    let columns = geometry.columns(board) as f64;
    let queens = rows.count_ones();
    let choices: f64 = (0..queens).map(|taken| columns - f64::from(taken)).product();
    let mut share = 1.0;
    for distance in 1..geometry.n.div_ceil(2) as u32 {
        let pairs = (rows & rows >> distance).count_ones();
        let attacked = 2.0 * (columns - f64::from(distance)).max(0.0) / (columns * (columns - 1.0)).max(1.0);
        share *= power((1.0 - attacked).max(0.05), pairs);
    }
    choices * share
}

/// A power that is the same on every machine, unlike `powi`. Units are numbered by their costs.
fn power(base: f64, exponent: u32) -> f64 {
    (0..exponent).fold(1.0, |product, _| product * base)
}

/// The factors of a term's cost. The cost is a sum of parts. Each part is a factor that depends on E, times a factor
/// that depends on O.
pub(super) type Factors = [f64; 6];

// The parts. The walks and the packs have two each, for the filling and for the summing side.
const WALKS: usize = 0;
const PACKS: usize = 2;
const LISTS: usize = 4;
const TABLE: usize = 5;

// Fitted to families of n = 14 to 24, in nanoseconds of slower code. Families are predicted within 30 %. The measure
// stays, because costs order the units.

/// A leaf of a walk in one block.
const PER_BLOCK: f64 = 2.2;
/// A leaf of a walk for each 512 keys that are alive.
const ALIVE: f64 = 1.1;
/// Packing one key of those that [`of_odd_set`] predicts to be alive.
const PACKED: f64 = 1.3;
/// Listing a placement, including the dead ends of the search.
const LISTED: f64 = 110.0;
/// Clearing and turning the table.
const TERM: f64 = 2500.0;

/// For each set E of a class, the factors that depend on it. Neighbors with equal first rows share packs.
pub(super) fn of_even_sets(class: &Class) -> Vec<Factors> {
    let (geometry, even_sets) = (class.geometry, &class.even_sets);
    let mut alone = Factors::default();
    (alone[LISTS], alone[TABLE]) = (1.0 / even_sets.len() as f64, 1.0);
    let mut factors = vec![alone; even_sets.len()];
    for (at, color) in [class.filling(), class.summing()].into_iter().enumerate() {
        let columns = geometry.columns(color.walked()) as f64;
        let prefixes: f64 = (0..class.prefix_length(color)).map(|taken| columns - taken as f64).product();
        let rows = |e: Subset| class.prefix_rows(color, e);
        let mut start = 0;
        for some in even_sets.chunk_by(|&a, &b| rows(a) == rows(b)) {
            for (factors, &e) in factors[start..].iter_mut().zip(some) {
                factors[WALKS + at] = placements(geometry, color.walked(), color.own(e, geometry.evens));
                factors[PACKS + at] = prefixes / some.len() as f64;
            }
            start += some.len();
        }
    }
    factors
}

/// The factors that depend on O.
pub(super) fn of_odd_set(class: &Class, o: Subset) -> Factors {
    let geometry = class.geometry;
    let shares = shares(class, o);
    let mut factors = Factors::default();
    factors[TABLE] = TERM;
    for (at, color) in [class.filling(), class.summing()].into_iter().enumerate() {
        let rows = color.own(o, geometry.odds);
        let columns = geometry.columns(color.listed()) as f64;
        let listed = placements(geometry, color.listed(), rows);
        // The lanes of a color are the column sets that the other side's walks end on. A queen of a prefix attacks
        // about 1.6 squares of each row.
        let kept = shares[1 - at];
        let alive = kept * listed * power(1.0 - 1.6 / columns, rows.count_ones() * class.prefix_length(color) as u32);
        let sets = if color == Color::White { &class.odd_sets } else { &class.even_sets };
        let blocks = (kept * sets.len() as f64 / BLOCK_LANES as f64).ceil();
        factors[WALKS + at] = shares[at] * (PER_BLOCK * blocks + ALIVE * alive / (WORD_BYTES * KEYS_PER_BYTE) as f64);
        factors[PACKS + at] = PACKED * alive;
        factors[LISTS] += LISTED * listed;
    }
    factors
}

/// Predicts the cost of terms with one O. `of_e` has the factors of their sets E, `of_o` those of O.
pub(super) fn cost<'a>(of_e: impl Iterator<Item = &'a Factors>, of_o: &Factors) -> f64 {
    let of_e = of_e.fold(Factors::default(), |sum, factors| std::array::from_fn(|part| sum[part] + factors[part]));
    of_e.iter().zip(of_o).map(|(of_e, of_o)| of_e * of_o).sum()
}

/// Predicts the number of leaves of the programs of each set E. `of_even_sets` has their factors, and `highest` is the
/// highest set O of the family.
pub(super) fn leaves(class: &Class, of_even_sets: &[Factors], highest: Subset) -> Vec<u64> {
    let [fill, dot] = shares(class, highest);
    of_even_sets.iter().map(|of_e| (of_e[WALKS] * fill + of_e[WALKS + 1] * dot).round() as u64).collect()
}

/// The share of a walk's leaves whose column sets are counted for O, `[filling, summing]`.
fn shares(class: &Class, o: Subset) -> [f64; 2] {
    let (evens, odds) = (class.kept_evens(o), class.kept_odds(o));
    if class.filling() == Color::White { [evens, odds] } else { [odds, evens] }
}
