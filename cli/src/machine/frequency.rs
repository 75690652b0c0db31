//! The frequency of a core, timed with a loop of a known number of cycles.

use std::hint::black_box;

use super::stopwatch::Stopwatch;

/// The number of steps in a loop, which takes about 2 ms.
const STEPS: u64 = 1 << 22;

/// The number of cycles in a step, which is a rotation and an addition. Each of these waits for the one before, and
/// takes one cycle on every processor that the program runs on.
const CYCLES_PER_STEP: f64 = 2.0;

/// The number of loops in a measurement. The fastest loop shows the frequency, because any disturbance makes a loop
/// slower.
const LOOPS: usize = 8;

/// Returns the frequency of the core that this thread runs on, in GHz with three decimals. `None` if it is implausible,
/// as with a clock that does not move.
pub(crate) fn gigahertz() -> Option<f64> {
    let fastest = (0..LOOPS).map(|_| seconds_of_a_loop()).fold(f64::INFINITY, f64::min);
    let gigahertz = STEPS as f64 * CYCLES_PER_STEP / fastest / 1e9;
    let is_plausible = (0.05..20.0).contains(&gigahertz);
    is_plausible.then(|| (1000.0 * gigahertz).round() / 1000.0)
}

/// Returns the core seconds that a loop takes.
fn seconds_of_a_loop() -> f64 {
    let watch = Stopwatch::start();
    let add = black_box(0x9e37_79b9_7f4a_7c15);
    let last = (0..STEPS).fold(1u64, |value, _| value.rotate_left(5).wrapping_add(add));
    black_box(last);
    watch.core_seconds()
}
