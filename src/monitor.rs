//! How far a running count is, for whoever waits for it.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Shows the progress of one count, shared by its threads and by the caller; in an `Arc` it can be watched from
/// elsewhere. A count that is begun with a monitor begins its progress anew. What is shown decides nothing: two counts
/// with one monitor show a mixture, and are counted right. To stop counts there is [`CancelToken`](crate::CancelToken).
#[derive(Debug, Default)]
pub struct Monitor {
    units: AtomicUsize,
    units_done: AtomicUsize,
    /// The whole predicted cost: an `f64`, as its bits.
    cost: AtomicU64,
    /// The share of it that is complete, in parts of [`WHOLE`].
    share_done: AtomicU64,
}

/// Parts of a share: many, for there may be millions of units, and few enough that their sum cannot overflow.
const WHOLE: f64 = (1u64 << 60) as f64;

/// How far a count is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// Units of work in all; 0 until the plan is made.
    pub units: usize,
    /// Units of work that are complete.
    pub units_done: usize,
    /// Share of the predicted cost that is complete, from 0 to 1.
    pub fraction: f64,
}

impl Monitor {
    /// A monitor for a count that has not begun.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How far the count is.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let (units, units_done) = (self.units.load(Relaxed), self.units_done.load(Relaxed));
        let is_complete = units > 0 && units_done == units;
        let fraction = if is_complete { 1.0 } else { (self.share_done.load(Relaxed) as f64 / WHOLE).min(1.0) };
        Progress { units, units_done, fraction }
    }

    /// Starts the progress of a plan with so many units of so much predicted cost together.
    #[doc(hidden)]
    pub fn begin(&self, units: usize, cost: f64) {
        self.units.store(units, Relaxed);
        self.units_done.store(0, Relaxed);
        self.cost.store(cost.to_bits(), Relaxed);
        self.share_done.store(0, Relaxed);
    }

    /// Notes that one unit of this predicted cost is complete.
    #[doc(hidden)]
    pub fn finish_unit(&self, cost: f64) {
        let share = cost / f64::from_bits(self.cost.load(Relaxed));
        self.share_done.fetch_add((share * WHOLE) as u64, Relaxed);
        self.units_done.fetch_add(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_needs_no_particular_unit_of_cost() {
        for scale in [1e-12, 1.0, 1e30] {
            let monitor = Monitor::new();
            assert_eq!(monitor.progress(), Progress { units: 0, units_done: 0, fraction: 0.0 });
            monitor.begin(3, 10.0 * scale);
            monitor.finish_unit(7.0 * scale);
            let progress = monitor.progress();
            assert_eq!((progress.units, progress.units_done), (3, 1));
            assert!((progress.fraction - 0.7).abs() < 1e-9, "{progress:?}");
            monitor.finish_unit(2.0 * scale);
            monitor.finish_unit(scale);
            assert_eq!(monitor.progress().fraction, 1.0);
        }
    }
}
