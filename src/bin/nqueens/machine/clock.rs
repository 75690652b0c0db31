//! The clock of the core that this runs on, measured and not read: what systems tell of clocks is a wish, an average or
//! nothing at all in a virtual machine.

use std::hint::black_box;
use std::time::Instant;

/// Steps in a measurement: two dependent operations each, of one cycle on every processor that this program knows.
const STEPS: u32 = 150_000;

/// Operations of a step.
const CYCLES: f64 = 2.0;

/// Measurements, of which the fastest counts: interruptions only ever add time.
const REPETITIONS: usize = 3;

/// The clock in MHz, in about a quarter of a millisecond. `None` where the result is none that a processor has.
pub(crate) fn measured_mhz() -> Option<f64> {
    let seconds = (0..REPETITIONS).map(|_| chain()).fold(f64::INFINITY, f64::min);
    let mhz = f64::from(STEPS) * CYCLES / seconds / 1e6;
    (200.0..=10_000.0).contains(&mhz).then_some(mhz)
}

/// Seconds for a chain of operations, each of which needs the one before. An exclusive or between two additions keeps
/// compilers from joining them, and registers keep processors from it.
fn chain() -> f64 {
    let (mut x, mask, addend) = (black_box(1u64), black_box(0x9e37_79b9_7f4a_7c15), black_box(0xbf58_476d_1ce4_e5b9));
    let start = Instant::now();
    for _ in 0..STEPS / 10 {
        // Ten steps a turn, so that counting the turns is hidden behind them.
        for _ in 0..10 {
            x = (x ^ mask).wrapping_add(addend);
        }
    }
    black_box(x);
    start.elapsed().as_secs_f64()
}

#[cfg(test)]
mod tests {
    /// Ten times around a clock that no machine of today is far from; the tests' machine may be busy.
    #[test]
    fn the_clock_is_one_that_processors_have() {
        let mhz = super::measured_mhz().expect("a clock");
        assert!((300.0..=8000.0).contains(&mhz), "{mhz}");
    }
}
