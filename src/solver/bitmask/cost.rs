//! What a unit of work may be expected to cost.

use super::occupancy::Occupancy;
use super::order::{chain, free_product};

/// About how many queens are placed below a start, in proportion: for eight starts of ten within a quarter of what was
/// counted at n = 16. Where predicting would take a notable part of the count's time, and where there are so many
/// starts that it would take seconds, and counting lifetimes, the product of free squares must do, and does worse.
pub(super) fn predicted_cost(board: Occupancy) -> f32 {
    match board.n {
        0 => 1.0,
        18..=24 => chain(board).1.min(chain(board.transposed()).1).max(1.0).powf(0.88),
        _ => free_product(board).max(1.0).powf(0.6) as f32,
    }
}
