//! Predicts the cost of a unit. Predictions decide how a count is cut and ordered, but never what it counts.
//!
//! The *order* of units follows the [`estimate`], which must not change, because saved lines name units by number. All
//! of its constants belong to the plan version. The *cost* of a unit is this estimate times the [`correction`] of its
//! class, which may be fitted again.

use std::ops::RangeInclusive;

use super::class::{Class, Side};
use crate::color::split::{Color, Geometry, Sides, SubBoard, Subset};

/// Estimates the number of placements on `rows` of a sub-board: all choices of distinct columns, times the share of
/// choices without an attack. The estimate treats pairs of rows as independent, so it is too large if the rows nearly
/// fill the sub-board.
fn estimated_placements(geometry: Geometry, board: SubBoard, rows: Subset) -> f64 {
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
/// their estimates, and `powi` does not guarantee that.
fn power(base: f64, exponent: u32) -> f64 {
    (0..exponent).fold(1.0, |product, _| product * base)
}

/// The work that a side does in a term, or in the terms of a unit. It depends on E.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Amounts {
    /// Number of leaves of the side's walks.
    leaves: f64,
    /// Number of packs, divided by the number of sets E with the same prefix, which share them.
    packs: f64,
}

/// What the work of a side costs. It depends on O.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prices {
    /// The cost of a leaf.
    leaf: f64,
    /// The cost of making a pack.
    pack: f64,
    /// The cost of the list.
    list: f64,
}

// The estimated times of five kinds of work, in arbitrary units. They were fitted to families of n = 14 to 24.

/// A leaf of a walk, for each block.
const PER_BLOCK: f64 = 2.2;
/// A leaf of a walk, for each 512 keys that are alive.
const ALIVE: f64 = 1.1;
/// Packing one of the keys that [`prices_of_side`] predicts to be alive.
const PACKED: f64 = 1.3;
/// Listing a placement, including the dead ends of the search.
const LISTED: f64 = 110.0;
/// Clearing and turning the table of a term.
const TABLE: f64 = 2500.0;

/// Number of lanes of a block. Estimates keep these two numbers, even if `simd/` gets words of another size.
const LANES: f64 = 64.0;
/// Number of keys of a word.
const KEYS: f64 = 512.0;

/// Roughly how many squares a prefix queen attacks in each row of a list.
const ATTACKED_IN_A_ROW: f64 = 1.6;

/// Returns the amounts of both sides for each set E of a class.
pub(super) fn amounts(class: &Class) -> Vec<Sides<Amounts>> {
    let Sides { filling, summing } = &class.sides;
    let both = amounts_of_side(class, filling).into_iter().zip(amounts_of_side(class, summing));
    both.map(|(filling, summing)| Sides { filling, summing }).collect()
}

/// Returns the amounts of one side for each set E.
fn amounts_of_side(class: &Class, side: &Side) -> Vec<Amounts> {
    let (geometry, board) = (class.geometry, side.color.walked());
    let columns = geometry.columns(board) as f64;
    let prefixes: f64 = (0..side.prefix_length).map(|taken| columns - taken as f64).product();
    let mut amounts = Vec::with_capacity(class.even_sets.len());
    for alike in class.even_sets.chunk_by(|&a, &b| class.same_prefix(side, [a, b])) {
        amounts.extend(alike.iter().map(|&e| Amounts {
            leaves: estimated_placements(geometry, board, side.color.own(e, geometry.even_rows)),
            packs: prefixes / alike.len() as f64,
        }));
    }
    amounts
}

/// Returns the prices of both sides for a set O.
pub(super) fn prices(class: &Class, o: Subset) -> Sides<Prices> {
    let (sides, kept) = (&class.sides, class.kept_fractions(o));
    Sides {
        filling: prices_of_side(class, o, &sides.filling, [kept.filling, kept.summing]),
        summing: prices_of_side(class, o, &sides.summing, [kept.summing, kept.filling]),
    }
}

/// Returns the prices of one side. `own` is the fraction of this side's walk sets that are counted with O, and `other`
/// is the fraction of the other side's, which are the list sets of this side.
fn prices_of_side(class: &Class, o: Subset, side: &Side, [own, other]: [f64; 2]) -> Prices {
    let (geometry, board) = (class.geometry, side.color.listed());
    let rows = side.color.own(o, geometry.odd_rows);
    let listed = estimated_placements(geometry, board, rows);
    let spared = 1.0 - ATTACKED_IN_A_ROW / geometry.columns(board) as f64;
    let alive = other * listed * power(spared, rows.count_ones() * side.prefix_length as u32);
    let sets = if side.color == Color::White { &class.odd_sets } else { &class.even_sets };
    let blocks = (other * sets.len() as f64 / LANES).ceil();
    Prices { leaf: own * (PER_BLOCK * blocks + ALIVE * alive / KEYS), pack: PACKED * alive, list: LISTED * listed }
}

/// Estimates the time of the terms of a class with one O. `of_terms` yields the amounts of their sets E, and `prices`
/// are those of O.
pub(super) fn estimate<'a>(
    class: &Class,
    of_terms: impl Iterator<Item = &'a Sides<Amounts>>,
    prices: &Sides<Prices>,
) -> f64 {
    // Units are numbered by their estimates, so the order of all these additions is part of a plan.
    let mut sum = Sides::<Amounts>::default();
    let (mut lists, mut tables) = (0.0, 0.0);
    for of_term in of_terms {
        sum.filling.leaves += of_term.filling.leaves;
        sum.summing.leaves += of_term.summing.leaves;
        sum.filling.packs += of_term.filling.packs;
        sum.summing.packs += of_term.summing.packs;
        // The cost of the lists is divided evenly among the sets E, as if one family had all of them.
        lists += 1.0 / class.even_sets.len() as f64;
        tables += 1.0;
    }
    sum.filling.leaves * prices.filling.leaf
        + sum.summing.leaves * prices.summing.leaf
        + sum.filling.packs * prices.filling.pack
        + sum.summing.packs * prices.summing.pack
        + lists * (prices.filling.list + prices.summing.list)
        + tables * TABLE
}

/// The constant of the correction. If the summing side has d more queens than the filling side, the cost of a unit is
/// its estimate times (1 - 0.034 (n - 20))^d, with n limited to 20 to 24 ([`CORRECTED`]): with more queens, the keys of
/// the summing side attack each other more often.
///
/// Fitted with docs/color-split/costs.py to n = 20 to 28 on a Xeon. Within a class, times still differ from predictions
/// by about a fifth.
const PER_SURPLUS: f64 = 0.034;

/// The sizes over which the correction grows. Above the last of them, packs and tables exceed the near caches.
const CORRECTED: RangeInclusive<usize> = 20..=24;

/// Returns the cost of a class's units, divided by their [`estimate`].
pub(super) fn correction(class: &Class) -> f64 {
    let n = class.geometry.n;
    let surplus = n.abs_diff(2 * (class.white_evens + class.white_odds));
    let sizes = n.clamp(*CORRECTED.start(), *CORRECTED.end()) - CORRECTED.start();
    power(1.0 - PER_SURPLUS * sizes as f64, surplus as u32)
}

/// Predicts the number of leaves in the programs of each set E. `amounts` are those of the sets E, and `highest` is the
/// family's set O of the highest rank.
pub(super) fn leaves(class: &Class, amounts: &[Sides<Amounts>], highest: Subset) -> Vec<u64> {
    let kept = class.kept_fractions(highest);
    let leaves = |of_e: &Sides<Amounts>| of_e.filling.leaves * kept.filling + of_e.summing.leaves * kept.summing;
    amounts.iter().map(|of_e| leaves(of_e).round() as u64).collect()
}
