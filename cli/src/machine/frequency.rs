//! The frequency of a core, by a loop whose cycles are known.

use std::hint::black_box;

use super::stopwatch::Stopwatch;

/// Steps of a loop, about 2 ms.
const STEPS: u64 = 1 << 22;

/// Cycles of a step: a rotation and an addition, each of which waits for the one before. Both take one cycle on every
/// processor that the program runs on.
const CYCLES_PER_STEP: f64 = 2.0;

/// The loops of a measurement: the fastest is the frequency, because whatever disturbs a loop makes it slower.
const LOOPS: usize = 8;

/// The frequency of the core that this thread runs on, in GHz with three digits. `None` if the clock did not move.
pub(crate) fn gigahertz() -> Option<f64> {
    let fastest = (0..LOOPS).map(|_| seconds_of_a_loop()).fold(f64::INFINITY, f64::min);
    let gigahertz = STEPS as f64 * CYCLES_PER_STEP / fastest / 1e9;
    let is_plausible = (0.05..20.0).contains(&gigahertz);
    is_plausible.then(|| (1000.0 * gigahertz).round() / 1000.0)
}

/// Seconds of a core for the steps.
fn seconds_of_a_loop() -> f64 {
    let (watch, add) = (Stopwatch::start(), black_box(0x9e37_79b9_7f4a_7c15));
    let last = (0..STEPS).fold(1u64, |value, _| value.rotate_left(5).wrapping_add(add));
    black_box(last);
    watch.core_seconds()
}
