//! The options of the gate.

use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{NonEmptyStringValueParser, PathBufValueParser, TypedValueParser};

use crate::judge::Clock;
use crate::path::plain_path;

/// What follows the options in the help.
const AFTER_HELP: &str = "\
Exit status:
  0   not slower, or skipped
  1   head failed
  2   base failed, or wrong command line
  4   slower
  5   inconclusive, or not measured
  74  the page cannot be written

Examples:
  abgate --base 'old/{}' --head 'new/{}' 'sort big.txt' 'sort small.txt' --budget 10m
  abgate --base 'python3 old.py' --head 'python3 new.py' --threshold 5% --clock processor";

/// Find out whether a new program is slower than the old one
///
/// It runs two commands in turn and compares their elapsed time and their processor time, which includes all threads
/// and child processes. It also compares base with itself, which shows the noise of the machine. A pass takes at least
/// 63 runs, a clear regression 23. If you give several COMMANDs, each is judged, and the worst verdict decides the exit
/// status.
///
/// A command is split into words as a shell does it, but no shell runs it: for variables, pipes and ~, write sh -c
/// 'LINE'. Base and head must print the same, at most 64 MiB, and must not leave a process running. Ctrl-C and every
/// signal but SIGKILL end the running command, too.
#[derive(Debug, clap::Parser)]
#[command(name = "abgate", version, after_help = AFTER_HELP)]
pub struct Args {
    /// Command to compare with
    #[arg(long, value_name = "CMD")]
    pub base: String,
    /// Command to judge
    #[arg(long, value_name = "CMD")]
    pub head: String,
    /// Text that replaces {} in --base, --head and --prepare. Each COMMAND is judged on its own
    #[arg(value_name = "COMMAND", value_parser = NonEmptyStringValueParser::new())]
    pub commands: Vec<String>,
    /// Command to run before each run, such as one that restores files. Its time does not count
    #[arg(long, value_name = "CMD")]
    pub prepare: Option<String>,
    /// File that each run reads on standard input. Without it, standard input is empty
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(plain_path).try_map(input_file))]
    pub input: Option<PathBuf>,
    /// Smallest slowdown that fails, in percent
    #[arg(long, value_name = "PERCENT", default_value = "3%", value_parser = threshold, allow_hyphen_values = true)]
    pub threshold: f64,
    /// Time for all COMMANDs, such as 90s, 5m or 1h; 90 means seconds. COMMANDs that are not decided yet share it
    /// equally, so a COMMAND that is hard to judge takes no time from the others. The gate may end a round later
    #[arg(long, value_name = "TIME", default_value = "3m", value_parser = length_of_time, allow_hyphen_values = true)]
    pub budget: Duration,
    /// Let only this clock decide. Without --clock, head must not be slower by either clock
    #[arg(long, value_enum, value_name = "CLOCK")]
    pub clock: Option<Clock>,
    /// Skip a new COMMAND: one that head runs, but that base cannot run or that fails with base
    #[arg(long)]
    pub skip_new: bool,
    /// Let the commands print anything, which is discarded
    #[arg(long)]
    pub any_output: bool,
    /// Let the commands end with a status other than 0. It must be the same for both
    #[arg(long)]
    pub ignore_failure: bool,
    /// Exit with status 0 if the verdict is inconclusive. The status is still 5 if the budget was too short to measure
    /// a COMMAND
    #[arg(long)]
    pub allow_inconclusive: bool,
    /// Print JSON with everything that was measured
    #[arg(long)]
    pub json: bool,
    /// Append a page for a pull request to FILE, in Markdown
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(plain_path).try_map(output_file))]
    pub markdown: Option<PathBuf>,
}

/// A file that can be written. Other programs call standard output `-`, but here it would become a name.
fn output_file(path: PathBuf) -> Result<PathBuf, String> {
    if path.as_os_str() == "-" {
        return Err("it would become a file called '-': give a name, or /dev/stdout for standard output".to_owned());
    }
    Ok(path)
}

/// A file that can be read again for each run.
fn input_file(path: PathBuf) -> Result<PathBuf, String> {
    let is_file = File::open(&path).and_then(|file| file.metadata()).map_err(|error| error.to_string())?.is_file();
    if is_file { Ok(path) } else { Err("it is not a file, so only one run could read it: give a file".to_owned()) }
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

/// Reads a length of time: `90s`, `5m`, `1h 30m`, or `90` for seconds, at most 136 years.
pub(crate) fn length_of_time(text: &str) -> Result<Duration, String> {
    if text.contains('M') {
        return Err(format!("'{text}' has a capital M, which may mean minutes or months: give minutes such as '30m'"));
    }
    let is_seconds = !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    let parsed =
        if is_seconds { text.parse().ok().map(Duration::from_secs) } else { humantime::parse_duration(text).ok() };
    parsed
        .filter(|duration| !duration.is_zero() && duration.as_secs() < 1 << 32)
        .ok_or_else(|| format!("'{text}' is not a length of time: give one such as '90s', '30m' or '1h 30m'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_percent() {
        assert_eq!(threshold("3%"), Ok(0.03));
        assert_eq!(threshold("5"), Ok(0.05));
        assert_eq!(threshold("2.5 %"), Ok(0.025));
        for wrong in ["0.03", "0%", "-3%", "200%", "NaN%", "", "%", "x%"] {
            assert!(threshold(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn lengths_of_time_have_a_unit_or_are_seconds() {
        for (text, seconds) in
            [("90s", 90), ("10", 10), ("5m", 300), ("5 min", 300), ("1h30m", 5400), ("1h 30m", 5400), ("24h", 86_400)]
        {
            assert_eq!(length_of_time(text), Ok(Duration::from_secs(seconds)));
        }
        assert!(length_of_time("1M").unwrap_err().contains("capital M"));
        for wrong in ["", "s", "0", "0s", "1M", "+5", "-5s", "1 fortnight", "1e9h", "1h,", "18446744073709551615h"] {
            assert!(length_of_time(wrong).is_err(), "{wrong}");
        }
    }
}
