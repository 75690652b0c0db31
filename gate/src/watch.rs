//! The time that a gate has had, without that in which it was suspended.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// A gate that does not look for so long was suspended, by Ctrl-Z or with its machine. It looks every tenth of a second,
/// and on a machine with 50 busy processes no look was late by a second.
const SUSPENDED: Duration = Duration::from_secs(2);

/// A stopwatch that stands still while the gate is suspended. Somebody has to look at it all the time.
pub(crate) struct Watch {
    seen: Cell<Instant>,
    ran: Cell<Duration>,
    stops: Cell<usize>,
}

impl Watch {
    pub(crate) fn start() -> Self {
        Self { seen: Cell::new(Instant::now()), ran: Cell::default(), stops: Cell::default() }
    }

    /// The time since the start.
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

    /// How often the gate was suspended.
    pub(crate) fn stops(&self) -> usize {
        self.elapsed();
        self.stops.get()
    }
}
