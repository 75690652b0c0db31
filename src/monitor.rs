//! The line between a running count and whoever waits for it: progress one way, cancellation the other.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Shared by the threads of a count and by the caller. Share it in an `Arc` to watch or cancel from elsewhere.
#[derive(Debug, Default)]
pub struct Monitor {
    cancelled: AtomicBool,
    units: AtomicUsize,
    units_done: AtomicUsize,
    /// Predicted costs, in thousandths of the plan's unit of cost.
    cost: AtomicU64,
    cost_done: AtomicU64,
}

/// How far a count is.
#[derive(Debug, Clone, Copy, PartialEq)]
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

    /// Asks the count to stop; it does within a fraction of a second.
    pub fn cancel(&self) {
        self.cancelled.store(true, Relaxed);
    }

    /// Whether [`Monitor::cancel`] was called. Solvers ask this every few milliseconds of work.
    #[inline]
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Relaxed)
    }

    /// How far the count is.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let (cost, done) = (self.cost.load(Relaxed), self.cost_done.load(Relaxed));
        Progress {
            units: self.units.load(Relaxed),
            units_done: self.units_done.load(Relaxed),
            fraction: if cost == 0 { 0.0 } else { (done as f64 / cost as f64).min(1.0) },
        }
    }

    /// Starts the progress of a plan with so many units of so much predicted cost together.
    pub(crate) fn begin(&self, units: usize, cost: f64) {
        self.units.store(units, Relaxed);
        self.units_done.store(0, Relaxed);
        self.cost.store((cost * 1000.0) as u64, Relaxed);
        self.cost_done.store(0, Relaxed);
    }

    /// Notes that one unit of this predicted cost is complete.
    pub(crate) fn finish_unit(&self, cost: f64) {
        self.cost_done.fetch_add((cost * 1000.0) as u64, Relaxed);
        self.units_done.fetch_add(1, Relaxed);
    }
}
