//! Estimates the number of placements on a set of rows, and the cost of a unit. Estimates decide how a count is cut and
//! ordered, but never what it counts.
//!
//! The *order* of units follows [`cost`], which must not change, because saved lines name units by number. The
//! predicted time of a unit is this cost times the [`correction`] of its class, which may be fitted again.

use std::ops::RangeInclusive;

use super::class::{Class, Side};
use crate::color::split::{Color, Geometry, Sides, SubBoard, Subset};
use crate::simd::{BLOCK_LANES, KEYS_PER_BYTE, WORD_BYTES};

/// Estimates the number of placements on `rows` of a sub-board: all choices of distinct columns, times the share of
/// choices without an attack. The estimate treats pairs of rows as independent, so it is too large if the rows nearly
/// fill the sub-board.
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

/// Returns `base` to the power of `exponent`. The result must be equal on every machine, because units are numbered by
/// their costs, and `powi` does not guarantee that.
fn power(base: f64, exponent: u32) -> f64 {
    (0..exponent).fold(1.0, |product, _| product * base)
}

/// One of the two vectors whose dot product is the cost of a term. The vector of E contains quantities, such as the
/// number of leaves, and the vector of O contains the cost of each.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Factors {
    /// Leaves of the filling side's walk.
    filling_leaves: f64,
    /// Leaves of the summing side's walk.
    summing_leaves: f64,
    /// Packing the keys of the filling side.
    filling_keys: f64,
    /// Packing the keys of the summing side.
    summing_keys: f64,
    /// Listing the placements of both sides.
    lists: f64,
    /// Clearing and turning the table.
    table: f64,
}

// Fitted to families of n = 14 to 24, in arbitrary units.

/// A leaf of a walk, for each block.
const PER_BLOCK: f64 = 2.2;
/// A leaf of a walk, for each 512 keys that are alive.
const ALIVE: f64 = 1.1;
/// Packing one of the keys that [`side_of_odd_set`] predicts to be alive.
const PACKED: f64 = 1.3;
/// Listing a placement, including the dead ends of the search.
const LISTED: f64 = 110.0;
/// Clearing and turning the table.
const TERM: f64 = 2500.0;

/// Returns the factors of each set E of a class.
pub(super) fn of_even_sets(class: &Class) -> Vec<Factors> {
    let Sides { filling, summing } = &class.sides;
    let both = side_of_even_sets(class, filling).into_iter().zip(side_of_even_sets(class, summing));
    let lists = 1.0 / class.even_sets.len() as f64;
    both.map(|([filling_leaves, filling_keys], [summing_leaves, summing_keys])| Factors {
        filling_leaves,
        summing_leaves,
        filling_keys,
        summing_keys,
        lists,
        table: 1.0,
    })
    .collect()
}

/// Returns, for each set E, the number of leaves and of packs of one side. Neighbors with equal prefixes share packs.
fn side_of_even_sets(class: &Class, side: &Side) -> Vec<[f64; 2]> {
    let geometry = class.geometry;
    let columns = geometry.columns(side.color.walked()) as f64;
    let prefixes: f64 = (0..side.prefix_length).map(|taken| columns - taken as f64).product();
    let mut factors = Vec::with_capacity(class.even_sets.len());
    for some in class.even_sets.chunk_by(|&a, &b| class.same_prefix(side, [a, b])) {
        factors.extend(some.iter().map(|&e| {
            let leaves = placements(geometry, side.color.walked(), side.color.own(e, geometry.evens));
            [leaves, prefixes / some.len() as f64]
        }));
    }
    factors
}

/// Returns the factors of a set O.
pub(super) fn of_odd_set(class: &Class, o: Subset) -> Factors {
    let (sides, shares) = (&class.sides, class.kept_shares(o));
    let filling = side_of_odd_set(class, o, &sides.filling, shares.filling, shares.summing);
    let summing = side_of_odd_set(class, o, &sides.summing, shares.summing, shares.filling);
    Factors {
        filling_leaves: filling[0],
        summing_leaves: summing[0],
        filling_keys: filling[1],
        summing_keys: summing[1],
        lists: filling[2] + summing[2],
        table: TERM,
    }
}

/// Returns the cost of a leaf, of a pack, and of the list of one side. `own` is the share of this side's walk sets that
/// are counted, and `other` is the share of the other side's.
fn side_of_odd_set(class: &Class, o: Subset, side: &Side, own: f64, other: f64) -> [f64; 3] {
    let geometry = class.geometry;
    let rows = side.color.own(o, geometry.odds);
    let columns = geometry.columns(side.color.listed()) as f64;
    let listed = placements(geometry, side.color.listed(), rows);
    // A side's list sets are the other side's walk sets. A queen of a prefix attacks about 1.6 squares of each row.
    let alive = other * listed * power(1.0 - 1.6 / columns, rows.count_ones() * side.prefix_length as u32);
    let sets = if side.color == Color::White { &class.odd_sets } else { &class.even_sets };
    let blocks = (other * sets.len() as f64 / BLOCK_LANES as f64).ceil();
    let walk = own * (PER_BLOCK * blocks + ALIVE * alive / (WORD_BYTES * KEYS_PER_BYTE) as f64);
    [walk, PACKED * alive, LISTED * listed]
}

/// Predicts the cost of the terms with one O. `of_e` yields the factors of their sets E, and `of_o` are the factors of
/// O.
pub(super) fn cost<'a>(of_e: impl Iterator<Item = &'a Factors>, of_o: &Factors) -> f64 {
    let mut sum = Factors::default();
    for of_e in of_e {
        sum.filling_leaves += of_e.filling_leaves;
        sum.summing_leaves += of_e.summing_leaves;
        sum.filling_keys += of_e.filling_keys;
        sum.summing_keys += of_e.summing_keys;
        sum.lists += of_e.lists;
        sum.table += of_e.table;
    }
    // Units are numbered by their costs, so the order of these additions is part of a plan.
    sum.filling_leaves * of_o.filling_leaves
        + sum.summing_leaves * of_o.summing_leaves
        + sum.filling_keys * of_o.filling_keys
        + sum.summing_keys * of_o.summing_keys
        + sum.lists * of_o.lists
        + sum.table * of_o.table
}

/// The share by which a unit is cheaper than its cost, for each queen by which the summing side outnumbers the filling
/// side, and for each n above the first of [`CORRECTED`], up to the last. With more queens, the keys of the summing
/// side attack each other more often. Above the last of these sizes, the share no longer grows, because packs and
/// tables exceed the near caches.
///
/// Fitted with docs/color-split/costs.py to n = 20 to 28 on a Xeon. Within a class, times still differ from predictions
/// by about a fifth.
const PER_SURPLUS: f64 = 0.034;
const CORRECTED: RangeInclusive<usize> = 20..=24;

/// Returns the predicted time of a class's units, divided by their [`cost`].
pub(super) fn correction(class: &Class) -> f64 {
    let n = class.geometry.n;
    let surplus = n.abs_diff(2 * (class.white_evens + class.white_odds));
    let sizes = n.clamp(*CORRECTED.start(), *CORRECTED.end()) - CORRECTED.start();
    power(1.0 - PER_SURPLUS * sizes as f64, surplus as u32)
}

/// Predicts the number of leaves in the programs of each set E. `of_even_sets` are the factors of these sets, and
/// `highest` is the family's set O of the highest rank.
pub(super) fn leaves(class: &Class, of_even_sets: &[Factors], highest: Subset) -> Vec<u64> {
    let Sides { filling, summing } = class.kept_shares(highest);
    of_even_sets
        .iter()
        .map(|of_e| (of_e.filling_leaves * filling + of_e.summing_leaves * summing).round() as u64)
        .collect()
}
