//! Estimates the work of a size, for forecasts. No count depends on it.

use crate::board::Size;

/// Base-10 logarithms of the number of queens that a row-by-row search places, for n = 0, 2, 4, ..., 28. Known values
/// are from A319283, larger ones are extrapolated.
const LOG_NODES: [f64; 15] =
    [0.0, 0.4, 1.2, 2.2, 3.31, 4.54, 5.93, 7.43, 9.057, 10.773, 12.577, 14.458, 16.410, 18.430, 20.519];

/// Estimates the number of queens that a row-by-row search without symmetry places.
#[must_use]
pub fn backtracking_nodes(size: Size) -> f64 {
    interpolate(&LOG_NODES, size)
}

/// Returns 10 to the power of the table's value for `size`, interpolated. The table has a value for n = 0, 2, 4 and so
/// on.
#[must_use]
pub fn interpolate(logarithms: &[f64], size: Size) -> f64 {
    let position = size.get() as f64 / 2.0;
    let below = (position as usize).min(logarithms.len() - 2);
    let slope = logarithms[below + 1] - logarithms[below];
    10f64.powf(logarithms[below] + slope * (position - below as f64))
}
