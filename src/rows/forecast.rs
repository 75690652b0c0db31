//! Estimates the work of a size, for forecasts. No count depends on it.

use crate::board::Size;

/// Base-10 logarithms of the number of queens that a row-by-row search places, for n = 0, 2, 4, ..., 28. Known values
/// are from A319283, larger ones are extrapolated.
const LOG_NODES: [f64; 15] =
    [0.0, 0.4, 1.2, 2.2, 3.31, 4.54, 5.93, 7.43, 9.057, 10.773, 12.577, 14.458, 16.410, 18.430, 20.519];

/// Estimates the number of queens that a row-by-row search without symmetry places. Between the sizes of the table, and
/// above them, the logarithm is linear.
pub(crate) fn backtracking_nodes(size: Size) -> f64 {
    let position = size.get() as f64 / 2.0;
    let below = (position as usize).min(LOG_NODES.len() - 2);
    let slope = LOG_NODES[below + 1] - LOG_NODES[below];
    10f64.powf(LOG_NODES[below] + slope * (position - below as f64))
}
