//! The verdict of a gate, and its exit status.

/// A verdict, from best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// Only the head can run the command, which may be new, as `--skip-new` says.
    Skipped,
    /// The head is not slower, or slower by less than the threshold.
    Pass,
    /// Only more rounds, or a quieter machine, can decide.
    Inconclusive,
    /// The budget was over, or the gate was interrupted, before there were enough rounds for a verdict.
    NotMeasured,
    /// The head is slower by more than the threshold.
    Regression,
    /// The head cannot be run, fails, takes longer than the budget, prints something other than the base, or leaves a
    /// process running.
    Failed,
    /// The base or the preparation cannot be run, fails, or leaves a process running, or the base does not print the
    /// same each time.
    NotCompared,
}

impl Verdict {
    /// The verdict in words and in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Skipped => "skipped",
            Self::Pass => "pass",
            Self::Inconclusive => "inconclusive",
            Self::NotMeasured => "not measured",
            Self::Regression => "regression",
            Self::Failed => "failed",
            Self::NotCompared => "not compared",
        }
    }

    /// The exit status.
    pub(crate) fn status(self) -> u8 {
        match self {
            Self::Skipped | Self::Pass => 0,
            Self::Failed => 1,
            Self::NotCompared => 2,
            Self::Regression => 4,
            Self::Inconclusive | Self::NotMeasured => 5,
        }
    }
}
