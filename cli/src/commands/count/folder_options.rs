//! The options of a count that is saved in a folder.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use crate::commands::options::{self, duration_or_zero, is_digits, named_path_parser, parse_machine_name};
use crate::exit;
use crate::run::RunPlan;

/// The folder and the plan of a run, and the share of this process.
#[derive(Debug, clap::Args)]
pub(super) struct FolderOptions {
    /// Count in shards (parts) and save each in this folder. Type the same command again to continue, or on other
    /// machines to join
    #[arg(long, value_name = "RUN", value_parser = named_path_parser(), conflicts_with = "what")]
    pub(super) dir: Option<PathBuf>,
    /// Join a run and never plan one, for machines where the mount of the folder may be missing
    #[arg(long, requires = "dir")]
    pub(super) join: bool,
    /// Count only these shards, numbered from 0, such as 5 or 0..=2,5..=7. Then print the count only if no other shard
    /// is missing
    #[arg(long, value_name = "SHARDS", value_parser = shard_ranges, requires = "dir")]
    only: Option<ShardRanges>,
    /// Stop after TIME, such as 90s, 1h 30m or 1-04:00:00, with exit status 75. With 0s, only plan the run
    #[arg(long = "for", value_name = "TIME", value_parser = time_to_count, allow_hyphen_values = true, requires = "dir")]
    pub(super) for_time: Option<Duration>,
    /// Number of shards of a new run. Default: enough that the forecast for one core is about six minutes or less per
    /// shard
    #[arg(long, value_name = "K", value_parser = options::number_parser(1usize..), allow_negative_numbers = true, requires = "dir")]
    pub(super) shards: Option<usize>,
    /// Name of this machine in results. Default: the host name
    #[arg(long, value_name = "NAME", value_parser = parse_machine_name, requires = "dir")]
    pub(super) machine: Option<String>,
}

/// Ranges of shards as they were typed, in any order and possibly overlapping.
#[derive(Debug, Clone)]
struct ShardRanges(Vec<RangeInclusive<usize>>);

/// Parses ranges of shards, in the form in which `status` lists unclaimed ones.
fn shard_ranges(text: &str) -> Result<ShardRanges, String> {
    let range = |part| {
        options::parse_range(part).ok_or_else(|| match options::meant_range::<usize>(part) {
            Some([least, most]) => format!("type '{least}..={most}' for the shards from {least} to {most}"),
            None => "give shards or ranges of shards, such as 5 or 0..=2,5..=7".to_owned(),
        })
    };
    text.split(',').map(range).collect::<Result<_, _>>().map(ShardRanges)
}

/// Reads a duration, including the forms that schedulers use. Zero is allowed, because it only plans a run. Fails
/// for a number without a unit, which schedulers read as minutes and `sleep` as seconds.
fn time_to_count(text: &str) -> Result<Duration, String> {
    if text.contains(':') {
        return scheduler_time(text);
    }
    match duration_or_zero(text)? {
        Duration::ZERO => Ok(Duration::ZERO),
        _ if is_digits(text) => Err(format!("this could be seconds or minutes: give '{text}s' or '{text}m'")),
        time => Ok(time),
    }
}

/// Reads `HH:MM:SS` or `D-HH:MM:SS`. Fails for two numbers, which could be hours and minutes or minutes and seconds.
fn scheduler_time(text: &str) -> Result<Duration, String> {
    let number = |text: &str| text.parse::<u64>().ok().filter(|_| is_digits(text) && text.len() <= 6);
    let (days, clock) = text.split_once('-').map_or((Some(0), text), |(days, clock)| (number(days), clock));
    let has_days = clock.len() < text.len();
    // Every part except the first has two digits.
    let is_part = |place: usize, part: &str, value: u64| place == 0 || (part.len() == 2 && value < 60);
    let parts = clock.split(':').enumerate();
    let parts = parts.map(|(place, part)| number(part).filter(|&value| is_part(place, part, value)));
    let seconds = match (days, parts.collect::<Option<Vec<u64>>>().as_deref()) {
        (_, Some(&[first, second])) if !has_days => {
            return Err(format!(
                "this could be hours and minutes or minutes and seconds: give '{first:02}:{second:02}:00' or \
                 '{:02}:{:02}:{second:02}'",
                first / 60,
                first % 60
            ));
        }
        (Some(days), Some(&[hours, minutes, seconds])) if !has_days || hours < 24 => {
            Some(86_400 * days + 3600 * hours + 60 * minutes + seconds)
        }
        _ => None,
    };
    let duration = seconds.filter(|&seconds| seconds < 1 << 32).map(Duration::from_secs);
    let error = "give a duration such as '4h', '04:00:00' or '1-04:00:00' (a day and four hours)";
    duration.ok_or_else(|| error.to_owned())
}

impl FolderOptions {
    /// Returns the shards that this process may count, in order. Fails if `--only` names a shard that does not exist.
    pub(super) fn chosen_shards(&self, run_plan: &RunPlan) -> anyhow::Result<Vec<usize>> {
        let shards = run_plan.shards();
        let Some(ShardRanges(ranges)) = &self.only else { return Ok((0..shards).collect()) };
        if let Some(last) = ranges.iter().map(RangeInclusive::end).find(|&&last| last >= shards) {
            return Err(exit::Kind::Usage.error(format!("there is no shard {last}: the last is {}", shards - 1)));
        }
        let chosen: BTreeSet<usize> = ranges.iter().cloned().flatten().collect();
        Ok(chosen.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_schedulers_is_read_in_one_way_or_not_at_all() {
        for (text, seconds) in [
            ("04:00:00", 14_400),
            ("4:00:30", 14_430),
            ("100:00:00", 360_000),
            ("1-04:00:00", 100_800),
            ("0-00:00:01", 1),
            ("1h 30m", 5400),
            ("0", 0),
            ("0m", 0),
            ("00:00:00", 0),
            ("0-00:00:00", 0),
        ] {
            assert_eq!(time_to_count(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        for (text, says) in [
            ("04:00", "give '04:00:00' or '00:04:00'"),
            ("90:30", "give '90:30:00' or '01:30:30'"),
            ("1-04:00", "give a duration"),
            ("1-24:00:00", "give a duration"),
            ("00:60:00", "give a duration"),
            ("1:2:3", "give a duration"),
            ("999999-00:00:00", "give a duration"),
            ("60", "give '60s' or '60m'"),
            ("", "give a duration"),
            ("+1:00:00", "give a duration"),
            ("-1-00:00:00", "give a duration"),
            ("1:", "give a duration"),
            (":", "give a duration"),
        ] {
            let error = time_to_count(text).unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
