//! The verdict of a gate, and its exit status.

/// The verdict of a gate, from best to worst. All but the first and the last three are inconclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// The head is not slower, or by less than the threshold.
    Pass,
    /// The times differ too much from run to run.
    Noise,
    /// There are too few rounds.
    NotMeasured,
    /// A command leaves processes running, whose time nobody can measure.
    LeftRunning,
    /// The mean or the fastest run is above the threshold and the noise, but the median is not.
    Uneven,
    /// The head is slower by one clock only.
    OneClock,
    /// The whole interval is above the threshold, but not above the noise.
    ProbablySlower,
    /// The head is slower by more than the threshold.
    Regression,
    /// The head cannot be run, fails, takes too long or prints something else than the base.
    Failed,
    /// The base or the preparation fails, or standard input cannot be read.
    NotCompared,
}

impl Verdict {
    /// The verdict in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Noise => "noise",
            Self::NotMeasured => "not-measured",
            Self::LeftRunning => "left-running",
            Self::Uneven => "uneven",
            Self::OneClock => "one-clock",
            Self::ProbablySlower => "probably-slower",
            Self::Regression => "regression",
            Self::Failed => "failed",
            Self::NotCompared => "not-compared",
        }
    }

    /// The verdict in words.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Pass | Self::Regression | Self::Failed => self.name(),
            Self::Noise | Self::NotMeasured | Self::LeftRunning | Self::Uneven => "inconclusive",
            Self::OneClock => "inconclusive, slower by one clock",
            Self::ProbablySlower => "inconclusive, probably slower",
            Self::NotCompared => "nothing can be compared",
        }
    }

    /// The exit status. `allows_noise` says whether a noisy machine is no failure.
    pub(crate) fn status(self, allows_noise: bool) -> u8 {
        match self {
            Self::Pass => 0,
            Self::Noise if allows_noise => 0,
            Self::Failed => 1,
            Self::NotCompared => 2,
            Self::Regression => 4,
            _ => 5,
        }
    }
}
