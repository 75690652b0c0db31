//! What a unit of work may be expected to cost, as a whole number.
//!
//! The units are numbered in the order of these costs, and a unit's number must mean the same on every machine. So no
//! power or logarithm is taken here, which mathematical libraries round in different ways: IEEE 754 prescribes every bit
//! of the products and square roots that stand in for them.

use super::occupancy::Occupancy;
use super::order::{chain, free_product};

/// About how many queens are placed below a start, in proportion: at least 1, and comparable among the starts of one size
/// only. At n = 16 and 18 eight starts of ten are within a quarter of what was counted.
///
/// Where predicting would take a notable part of the count's time, and where there are so many starts that it would take
/// seconds, and counting lifetimes, the product of free squares must do: at n = 16 six starts of ten are within a quarter.
pub(super) fn predicted_cost(board: Occupancy) -> u128 {
    let queens = match board.n {
        18..=24 => seven_eighths(f64::from(chain(board).1.min(chain(board.transposed()).1))),
        _ => nineteen_32nds(free_product(board)),
    };
    // In sixteenths, so that small trees differ too. At n = 32 the product's power passes 64 bits.
    ((16.0 * queens) as u128).max(1)
}

/// To the power of 7/8: the look-ahead of the walk spares more of the larger trees.
fn seven_eighths(x: f64) -> f64 {
    let half = x.sqrt();
    let quarter = half.sqrt();
    half * quarter * quarter.sqrt()
}

/// To the power of 19/32: the product counts no attacks among the queens to come.
fn nineteen_32nds(x: f64) -> f64 {
    let half = x.sqrt();
    let sixteenth = half.sqrt().sqrt().sqrt();
    half * sixteenth * sixteenth.sqrt()
}
