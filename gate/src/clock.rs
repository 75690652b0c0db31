//! The two clocks by which every run is timed.

use serde::Serialize;

/// A way to measure the time of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Clock {
    /// The time that processors spend on the process and its children. Other programs hardly affect it
    Processor,
    /// The time from start to end. On Linux, without the time for which the main thread waits for a free processor
    Elapsed,
}

impl Clock {
    /// All clocks, in the order of all tables.
    pub(crate) const ALL: [Self; 2] = [Self::Processor, Self::Elapsed];

    /// Returns the name, which JSON uses as well.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Processor => "processor",
            Self::Elapsed => "elapsed",
        }
    }
}
