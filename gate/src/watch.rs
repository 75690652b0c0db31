//! The time that a gate has run, without the time for which it was suspended.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// A gate that did not look at its watch for this long was suspended, by Ctrl-Z or together with its machine: it looks
/// every tenth of a second. If it was only kept waiting, all that happens is that a run is repeated.
const SUSPENDED: Duration = Duration::from_secs(2);

/// A stopwatch that stands still while the gate is suspended, which it notices because somebody looks at it all the
/// time.
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
