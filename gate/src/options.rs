//! The options of `abgate`, and its help.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{NonEmptyStringValueParser, PathBufValueParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::clock::Clock;

/// The end of the help.
const AFTER_HELP: &str = "\
Exit status:
  0   not slower, or skipped
  1   head failed
  2   base or --prepare failed, the command line is wrong, or the gate cannot work here
  4   slower
  5   inconclusive, or not measured
  74  the page or standard output cannot be written

Examples:
  abgate --base 'old/{}' --head 'new/{}' 'sort big.txt' 'sort small.txt' --budget 10m
  abgate --base 'python3 old.py' --head 'python3 new.py' --threshold 5% --clock processor";

/// Without it, clap lists every option or makes CASE mandatory in the usage that some errors show.
const USAGE: &str = "abgate [OPTIONS] --base <CMD> --head <CMD> [CASE]...";

/// Find out whether a new program is slower than the old one
///
/// abgate runs two commands alternately and compares their elapsed time and their processor time, which includes all
/// threads and child processes. To learn the noise of the machine, it also compares base with itself. If you give
/// several cases, each is judged, and the worst verdict decides the exit status. A pass takes at least 63 runs for each
/// case; a clear regression takes at least 23 (27 with four to 23 cases, and more beyond).
///
/// A command is split into words the way a shell does it, but no shell runs it: for variables, pipes and ~, write sh -c
/// 'LINE'. Base and head must print the same text on standard output, must not print more than 64 MiB, must not leave a
/// process running, and cannot use the terminal. Ctrl-C, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2 and
/// SIGXCPU also end the command that is running.
#[derive(Debug, clap::Parser)]
#[command(name = "abgate", version, after_help = AFTER_HELP, override_usage = USAGE)]
pub(crate) struct Args {
    /// Command to compare with
    #[arg(long, value_name = "CMD")]
    pub(crate) base: String,
    /// Command to judge
    #[arg(long, value_name = "CMD")]
    pub(crate) head: String,
    /// Text that replaces {} in --base, --head and --prepare. Each case is judged on its own
    #[arg(value_name = "CASE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) cases: Vec<String>,
    /// Command to run before each run, such as one that restores files. Its time does not count
    #[arg(long, value_name = "CMD")]
    pub(crate) prepare: Option<String>,
    /// File that each run reads as its standard input, which is empty without this option
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(input_file))]
    pub(crate) input: Option<PathBuf>,
    /// Smallest slowdown that fails, in percent
    #[arg(long, value_name = "PERCENT", default_value = "3%", value_parser = threshold, allow_hyphen_values = true)]
    pub(crate) threshold: f64,
    /// Time for all cases together, such as 90s, 5m or 1h; 90 means seconds. Undecided cases share it equally, so a
    /// case that is hard to judge takes no time from the others. The last round may end later
    #[arg(long, value_name = "TIME", default_value = "3m", value_parser = duration, allow_hyphen_values = true)]
    pub(crate) budget: Duration,
    /// Let only this clock decide. The other one is still reported. Without --clock, head must not be slower by either
    /// clock
    #[arg(long, value_enum, value_name = "CLOCK")]
    pub(crate) clock: Option<Clock>,
    /// Skip a case that base does not know yet: head succeeds, while base fails or is missing in a folder that exists
    #[arg(long)]
    pub(crate) skip_new: bool,
    /// Discard the standard output of the commands instead of comparing it
    #[arg(long)]
    pub(crate) any_output: bool,
    /// Accept exit statuses other than 0, as long as both commands end with the same status
    #[arg(long)]
    pub(crate) ignore_failure: bool,
    /// Exit with status 0 if the verdict is inconclusive, but still with 5 if the budget was too short to measure a
    /// case
    #[arg(long)]
    pub(crate) allow_inconclusive: bool,
    /// Print everything that was measured as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Append a page in Markdown, for a pull request, to FILE
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(page_file))]
    pub(crate) markdown: Option<PathBuf>,
}

/// Replaces clap's tip for an option that does not exist, which is to type it as a CASE.
pub(crate) fn with_tip(mut error: clap::Error) -> clap::Error {
    let (ErrorKind::UnknownArgument, Some(ContextValue::String(typed))) =
        (error.kind(), error.get(ContextKind::InvalidArg))
    else {
        return error;
    };
    let takes_value = |name: &str| {
        <Args as clap::CommandFactory>::command().get_opts().any(|option| option.get_long() == name.strip_prefix("--"))
    };
    let tip = match typed.split_once(' ').filter(|(name, _)| takes_value(name)) {
        Some((name, value)) => format!("'{typed}' is one argument, so type '{name}={value}'"),
        None if error.get(ContextKind::SuggestedArg).is_some() => return error,
        None => "only --budget limits the number of runs; if this is a CASE, type '--' before it".to_owned(),
    };
    error.remove(ContextKind::SuggestedArg);
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    error
}

/// Returns the path if it can be read in one way only.
///
/// # Errors
/// Rejects `-`, which means a standard stream to other programs, with `advice`, and a `~` or a variable that the shell
/// has left as it is.
fn named_path(path: PathBuf, advice: &str) -> Result<PathBuf, String> {
    if path.to_str() == Some("-") {
        return Err(format!("{advice}, or ./- for a file called '-'"));
    }
    refuse_unexpanded(path)
}

/// Returns the path, unless the shell left a `~` or a variable in it, which would become part of a file name.
fn refuse_unexpanded(path: PathBuf) -> Result<PathBuf, String> {
    let text = path.to_string_lossy();
    let character = if text.starts_with('~') { '~' } else { '$' };
    let is_unexpanded = character == '~' || text.split('/').any(|name| name.starts_with('$'));
    if !is_unexpanded || path.exists() {
        return Ok(path);
    }
    Err(format!(
        "your shell did not expand '{character}': type the whole path, or \"$HOME/...\" in double quotes, after a space"
    ))
}

/// Returns the path of a page.
fn page_file(path: PathBuf) -> Result<PathBuf, String> {
    named_path(path, "give /dev/stdout for standard output")
}

/// Returns the path if each run can read the file from its beginning.
fn input_file(path: PathBuf) -> Result<PathBuf, String> {
    let path = named_path(path, "give a file, because each run reads its input from the beginning")?;
    let error = |error: io::Error| error.to_string();
    // Opening a pipe would wait for its writer.
    if !path.metadata().map_err(error)?.is_file() {
        return Err("it is not a file that each run can read from its beginning: give a regular file".to_owned());
    }
    File::open(&path).map_err(error)?;
    Ok(path)
}

/// Parses percent with or without the sign, such as `3` or `2.5%`, and returns a share.
fn threshold(text: &str) -> Result<f64, String> {
    let percent: Option<f64> = text.strip_suffix('%').unwrap_or(text).trim().parse().ok();
    match percent {
        Some(percent) if (0.1..=100.0).contains(&percent) => Ok(percent / 100.0),
        // It may be meant as a share, such as 0.03 for 3 %.
        Some(share) if (0.001..0.1).contains(&share) && !text.ends_with('%') => {
            let meant = (1e4 * share).round() / 100.0;
            Err(format!("give a percentage from 0.1 to 100, not a share: {meant} means {meant} %"))
        }
        _ => Err("give a percentage from 0.1 to 100, such as 3 for 3 %".to_owned()),
    }
}

/// Parses a duration, such as `90s`, `5m`, `1h 30m`, or `90` for seconds, up to 136 years.
fn duration(text: &str) -> Result<Duration, String> {
    if text.contains('M') {
        return Err("a capital M may mean minutes or months: give minutes such as '30m'".to_owned());
    }
    let is_seconds = !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    let parsed =
        if is_seconds { text.parse().ok().map(Duration::from_secs) } else { humantime::parse_duration(text).ok() };
    parsed
        .filter(|duration| !duration.is_zero() && duration.as_secs() < 1 << 32)
        .ok_or_else(|| "give a duration above 0, such as '90s', '30m' or '1h 30m'".to_owned())
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
        assert!(threshold("0.03").unwrap_err().ends_with(": 3 means 3 %"));
    }

    #[test]
    fn durations_have_a_unit_or_are_seconds() {
        for (text, seconds) in
            [("90s", 90), ("10", 10), ("5m", 300), ("5 min", 300), ("1h30m", 5400), ("1h 30m", 5400), ("24h", 86_400)]
        {
            assert_eq!(duration(text), Ok(Duration::from_secs(seconds)));
        }
        assert!(duration("1M").unwrap_err().contains("capital M"));
        for wrong in ["", "s", "0", "0s", "1M", "+5", "-5s", "1 fortnight", "1e9h", "1h,", "18446744073709551615h"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}
