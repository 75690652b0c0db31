//! The options of the gate.

use clap::builder::{PathBufValueParser, TypedValueParser};
use n_queens_terminal::path::plain_path;
use std::path::PathBuf;
use std::time::Duration;

use n_queens_terminal::units::length_of_time;

use crate::command::CommandLine;
use crate::judge::Clock;

/// Finds out whether one command is slower than another
///
/// It runs both commands alternately and compares their processor time, with that of all their threads and child
/// processes, and their elapsed time. To measure noise, it also compares the base with itself. A pass takes 43 runs or
/// more. A command is split as a shell does, but no shell runs it: for variables, pipes and ~ give sh -c 'LINE'. Both
/// must print the same. Each run reads the file on standard input, if there is one.
/// Under GitHub Actions the verdict is also shown beside the pull request and in the summary of the step.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Command to compare with
    #[arg(long, value_name = "CMD")]
    pub base: CommandLine,
    /// Command to judge
    #[arg(long, value_name = "CMD")]
    pub head: CommandLine,
    /// Command to run before each run, such as one that restores files. Its time does not count
    #[arg(long, value_name = "CMD")]
    pub prepare: Option<CommandLine>,
    /// Smallest slowdown that fails, in percent
    #[arg(long, value_name = "PERCENT", default_value = "3%", value_parser = threshold, allow_negative_numbers = true)]
    pub threshold: f64,
    /// Time for everything, such as 90s, 5m or 1h; 90 means seconds. After it, the gate finishes the current round
    #[arg(long, value_name = "TIME", default_value = "3m", value_parser = length_of_time)]
    pub budget: Duration,
    /// The only clock that decides. Without it, head must not be slower by either
    #[arg(long, value_enum, value_name = "CLOCK")]
    pub clock: Option<Clock>,
    /// Lets the commands print different text. It is thrown away
    #[arg(long)]
    pub any_output: bool,
    /// Lets the commands end with a status other than 0. It must be the same for both
    #[arg(long)]
    pub ignore_failure: bool,
    /// Exit status 0 if the machine is too noisy to tell. If head is slower by one clock, at times or probably, or was not
    /// measured, it stays 5
    #[arg(long)]
    pub allow_inconclusive: bool,
    /// Stops a run that takes longer than TIME, as failed
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = length_of_time)]
    pub timeout: Duration,
    /// Prints JSON with everything that was measured
    #[arg(long)]
    pub json: bool,
    /// Appends a page for a pull request to FILE, in Markdown
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(plain_path))]
    pub markdown: Option<PathBuf>,
}

/// Reads percent with or without the sign, such as `3` or `2.5%`, as a share.
fn threshold(text: &str) -> Result<f64, String> {
    let percent: Option<f64> = text.strip_suffix('%').unwrap_or(text).trim().parse().ok();
    percent.filter(|percent| (0.1..=100.0).contains(percent)).map(|percent| percent / 100.0).ok_or_else(|| {
        format!(
            "'{text}' is not a threshold: give percent from 0.1 to 100, such as 3 or 2.5%, which mean 3 % and 2.5 %"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::threshold;

    #[test]
    fn thresholds_are_percent() {
        assert_eq!(threshold("3%"), Ok(0.03));
        assert_eq!(threshold("5"), Ok(0.05));
        assert_eq!(threshold("2.5 %"), Ok(0.025));
        for wrong in ["0.03", "0%", "-3%", "200%", "NaN%", "", "%", "x%"] {
            assert!(threshold(wrong).is_err(), "{wrong}");
        }
    }
}
