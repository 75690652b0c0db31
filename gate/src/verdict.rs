//! The verdict on a pair or a gate, its reason, and its exit status.

/// The exit status if the outcome cannot be written.
pub(crate) const CANNOT_WRITE: u8 = 74;

/// A verdict, from best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// Only the head can run the command, and `--skip-new` allows that because the command may be new.
    Skipped,
    /// The head is not slower, or slower by less than the threshold.
    Pass,
    /// Only more rounds or a quieter machine can decide.
    Inconclusive,
    /// The budget was used up or the gate was interrupted or suspended before there were enough rounds for a verdict.
    NotMeasured,
    /// The head is slower by more than the threshold.
    Regression,
    /// The head cannot be run, fails, takes longer than the budget, prints something other than the base, or leaves a
    /// process running.
    Failed,
    /// The base or the preparation cannot be run, fails, or leaves a process running; the base does not print the same
    /// each time; or the gate cannot save an output.
    NotCompared,
}

/// The verdict on a pair, and its reason.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) verdict: Verdict,
    pub(crate) reason: String,
}

impl Verdict {
    /// Returns the name of the verdict in text and JSON.
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

    /// Returns what is said of one pair or of several with this verdict.
    pub(crate) fn clause(self, pairs: usize) -> &'static str {
        let [of_one, of_several] = match self {
            Self::Skipped => ["was skipped", "were skipped"],
            Self::Pass => ["passes", "pass"],
            Self::Inconclusive => ["is inconclusive", "are inconclusive"],
            Self::NotMeasured => ["was not measured", "were not measured"],
            Self::Regression => ["is a regression", "are regressions"],
            Self::Failed => ["failed"; 2],
            Self::NotCompared => ["was not compared", "were not compared"],
        };
        if pairs == 1 { of_one } else { of_several }
    }

    /// Returns the exit status.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_and_the_page_list_every_exit_status() {
        use Verdict::*;
        use clap::CommandFactory;
        let verdicts = [Skipped, Pass, Inconclusive, NotMeasured, Regression, Failed, NotCompared];
        let mut all: Vec<u8> = verdicts.map(Verdict::status).into_iter().chain([CANNOT_WRITE]).collect();
        all.sort_unstable();
        all.dedup();
        let listed = |lines: &str| {
            let numbers =
                lines.lines().filter_map(|line| line.trim_start_matches(['|', ' ']).split(' ').next()?.parse().ok());
            let mut numbers: Vec<u8> = numbers.collect();
            numbers.sort_unstable();
            numbers.dedup();
            numbers
        };
        let help = crate::Args::command().render_help().to_string();
        let page = include_str!("../README.md").split("| exit status |").nth(1).unwrap().split("\n\n").next().unwrap();
        assert_eq!(listed(help.split("Exit status:").nth(1).unwrap()), all);
        assert_eq!(listed(page), all);
    }
}
