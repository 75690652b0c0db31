//! How much work a size is, for warnings before a count begins. Nothing here enters a count.

use crate::board::Size;

/// Base-10 logarithms of the queens a row-by-row search places, at the sizes 0, 2, 4, ..., 28 (A319283 as far as it
/// goes, its growth continued from there), interpolated between.
const LOG_NODES: [f64; 15] =
    [0.0, 0.4, 1.2, 2.2, 3.31, 4.54, 5.93, 7.43, 9.057, 10.773, 12.577, 14.458, 16.410, 18.430, 20.519];

/// About how many queens a row-by-row backtracking search without symmetry places.
#[must_use]
pub fn backtracking_nodes(size: Size) -> f64 {
    interpolate(&LOG_NODES, size)
}

/// Ten to the power of a table of logarithms given for every second size from 0 on.
#[must_use]
pub fn interpolate(logarithms: &[f64], size: Size) -> f64 {
    let position = size.get() as f64 / 2.0;
    let below = (position as usize).min(logarithms.len() - 2);
    let slope = logarithms[below + 1] - logarithms[below];
    10f64.powf(logarithms[below] + slope * (position - below as f64))
}
