//! The predicted cost of a unit of work, as a whole number.
//!
//! Units are numbered in the order of these costs, and a unit's number must mean the same on every machine. So there
//! are no powers and logarithms here, because mathematical libraries round them in different ways. IEEE 754 prescribes
//! every bit of the products and square roots that are used in their place.

use super::occupancy::Occupancy;
use super::order::{chain, free_product};

/// Predicts a number in proportion to the queens placed below a start, at least 1. Compare starts of one size only. At
/// n = 16 and 18 the error is below a quarter for eight of ten starts.
///
/// A good prediction takes too long on small boards, and on boards above 24, which have many starts. There it is the
/// product of free squares.
pub(super) fn predicted_cost(board: Occupancy) -> u128 {
    let queens = match board.n {
        18..=24 => seven_eighths(f64::from(chain(board).1.min(chain(board.transposed()).1))),
        _ => nineteen_32nds(free_product(board)),
    };
    // Times 16, so that the costs of small trees differ too. At n = 32 the power of the product exceeds 64 bits.
    ((16.0 * queens) as u128).max(1)
}

/// Returns `x` to the power of 7/8, because the look-ahead of the walk prunes larger trees more.
fn seven_eighths(x: f64) -> f64 {
    let root = x.sqrt();
    let fourth_root = root.sqrt();
    root * fourth_root * fourth_root.sqrt()
}

/// Returns `x` to the power of 19/32, because the product ignores attacks among later queens.
fn nineteen_32nds(x: f64) -> f64 {
    let root = x.sqrt();
    let sixteenth_root = root.sqrt().sqrt().sqrt();
    root * sixteenth_root * sixteenth_root.sqrt()
}
