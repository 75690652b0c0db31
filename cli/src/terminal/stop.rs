//! When work stops.

use std::thread::sleep;
use std::time::{Duration, Instant};

use nqueens::CancelToken;

use super::signals;

/// The interval at which a pause checks for a stop.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// The reasons to stop work: a signal, its deadline, or an error of one of its threads.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stop {
    pub(crate) deadline: Option<Instant>,
    pub(crate) cancel: CancelToken,
}

impl Stop {
    /// Returns whether the work has to stop.
    pub(crate) fn has_come(&self) -> bool {
        let is_late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        signals::caught().is_some() || is_late || self.cancel.is_cancelled()
    }

    /// Waits for this time, or until a stop.
    pub(crate) fn wait(&self, time: Duration) {
        let end = Instant::now() + time;
        while Instant::now() < end && !self.has_come() {
            sleep(CHECK_INTERVAL.min(end.saturating_duration_since(Instant::now())));
        }
    }
}
