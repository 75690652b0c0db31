//! When a process of a run stops.

use std::thread::sleep;
use std::time::{Duration, Instant};

use nqueens::CancelToken;

use crate::terminal::signals;

/// The interval at which a pause checks for a stop.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// The reasons to stop a process: a signal, the end of its time, or an error of one of its threads.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stop {
    pub(crate) deadline: Option<Instant>,
    pub(crate) cancel: CancelToken,
}

impl Stop {
    /// Returns whether the process has to stop.
    pub(crate) fn has_come(&self) -> bool {
        signals::is_over(self.deadline) || self.cancel.is_cancelled()
    }

    /// Waits for this time, or until a stop.
    pub(crate) fn wait(&self, time: Duration) {
        let end = Instant::now() + time;
        while Instant::now() < end && !self.has_come() {
            sleep(CHECK_INTERVAL.min(end.saturating_duration_since(Instant::now())));
        }
    }
}
