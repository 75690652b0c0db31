//! A stopwatch that leaves out the time for which the gate was suspended.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// A gate that has not read its watch for this long was suspended by Ctrl-Z or together with its machine, because it
/// reads the watch every tenth of a second while a command runs. If it was only kept waiting, no harm is done: it
/// repeats a run.
const SUSPENDED: Duration = Duration::from_secs(2);

/// A stopwatch that stands still while the gate is suspended. It treats a long gap between two readings as a
/// suspension.
pub(crate) struct Watch {
    seen: Cell<Instant>,
    ran: Cell<Duration>,
    stops: Cell<usize>,
}

impl Watch {
    pub(crate) fn start() -> Self {
        Self { seen: Cell::new(Instant::now()), ran: Cell::default(), stops: Cell::default() }
    }

    /// Returns the time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        let now = Instant::now();
        let passed = now - self.seen.replace(now);
        if passed < SUSPENDED {
            self.ran.set(self.ran.get() + passed);
        } else {
            self.stops.set(self.stops.get() + 1);
        }
        self.ran.get()
    }

    /// Returns how often the gate was suspended.
    pub(crate) fn stops(&self) -> usize {
        self.elapsed();
        self.stops.get()
    }
}
