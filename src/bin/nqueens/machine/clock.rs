//! Measures the clock of the core. What systems report is a maximum, an average or, in a virtual machine, nothing.

use std::hint::black_box;
use std::time::Instant;

/// Steps in a measurement. Each has two dependent operations of one cycle.
const STEPS: u32 = 150_000;

/// Cycles of a step.
const CYCLES: f64 = 2.0;

/// Number of measurements. The fastest counts, because interruptions only add time.
const REPETITIONS: usize = 3;

/// The clock in MHz; `None` if the result is outside the range of processors. It takes about a quarter of a
/// millisecond.
pub(crate) fn measured_mhz() -> Option<f64> {
    let seconds = (0..REPETITIONS).map(|_| chain()).fold(f64::INFINITY, f64::min);
    let mhz = f64::from(STEPS) * CYCLES / seconds / 1e6;
    (200.0..=10_000.0).contains(&mhz).then_some(mhz)
}

/// Seconds of a chain of operations, each of which needs the one before. The exclusive or keeps compilers from joining
/// the additions.
fn chain() -> f64 {
    let (mut x, mask, addend) = (black_box(1u64), black_box(0x9e37_79b9_7f4a_7c15), black_box(0xbf58_476d_1ce4_e5b9));
    let start = Instant::now();
    for _ in 0..STEPS / 10 {
        // Ten steps in a turn hide the cost of counting the turns.
        for _ in 0..10 {
            x = (x ^ mask).wrapping_add(addend);
        }
    }
    black_box(x);
    start.elapsed().as_secs_f64()
}
