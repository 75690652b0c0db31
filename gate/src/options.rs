//! The options of the gate.

use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

use crate::path::plain_path;
use crate::units::length_of_time;
use clap::CommandFactory;
use clap::builder::{NonEmptyStringValueParser, PathBufValueParser, TypedValueParser};
use clap::error::ErrorKind;

use crate::command::CommandLine;
use crate::gate::Pair;
use crate::judge::{Clock, Rules};

/// What stands below the help.
const AFTER_HELP: &str = "\
Exit status:
  0   not slower, or skipped
  1   head failed
  2   base failed, or wrong command line
  4   slower
  5   inconclusive
  74  the page cannot be written

Examples:
  abgate --base 'old/{}' --head 'new/{}' 'sort big.txt' 'sort small.txt' --budget 10m
  abgate --base 'python3 old.py' --head 'python3 new.py' --threshold 5% --clock processor";

/// Finds out whether a new program is slower than the old one
///
/// It runs two commands alternately and compares their processor time, with that of all their threads and child
/// processes, and their elapsed time. To measure noise, it also compares the base with itself. A verdict takes 63 runs or
/// more. With several COMMANDs it judges each, in turn, and the worst verdict gives the exit status. A command is split
/// as a shell does, but no shell runs it: for variables, pipes and ~ give sh -c 'LINE'. Both must print the same.
#[derive(Debug, clap::Parser)]
#[command(name = "abgate", version, after_help = AFTER_HELP)]
pub struct Args {
    /// Command to compare with
    #[arg(long, value_name = "CMD")]
    pub base: String,
    /// Command to judge
    #[arg(long, value_name = "CMD")]
    pub head: String,
    /// Text that replaces {} in --base, --head and --prepare. Each COMMAND is judged by itself
    #[arg(value_name = "COMMAND", value_parser = NonEmptyStringValueParser::new())]
    pub commands: Vec<String>,
    /// Command to run before each run, such as one that restores files. Its time does not count
    #[arg(long, value_name = "CMD")]
    pub prepare: Option<String>,
    /// File that each run reads on standard input. Without it, standard input is empty
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(plain_path).try_map(input_file))]
    pub input: Option<PathBuf>,
    /// Smallest slowdown that fails, in percent
    #[arg(long, value_name = "PERCENT", default_value = "3%", value_parser = threshold, allow_negative_numbers = true)]
    pub threshold: f64,
    /// Time for everything, such as 90s, 5m or 1h; 90 means seconds. After it, the gate ends the current round
    #[arg(long, value_name = "TIME", default_value = "3m", value_parser = length_of_time)]
    pub budget: Duration,
    /// The only clock that decides. Without it, head must not be slower by either
    #[arg(long, value_enum, value_name = "CLOCK")]
    pub clock: Option<Clock>,
    /// Skips a command that base cannot run, or that fails there, if head runs it: it is new
    #[arg(long)]
    pub skip_new: bool,
    /// Lets the commands print different text. It is thrown away
    #[arg(long)]
    pub any_output: bool,
    /// Lets the commands end with a status other than 0. It must be the same for both
    #[arg(long)]
    pub ignore_failure: bool,
    /// Exit status 0 if it is inconclusive. If the budget is too short to measure at all, it stays 5
    #[arg(long)]
    pub allow_inconclusive: bool,
    /// Prints JSON with everything that was measured
    #[arg(long)]
    pub json: bool,
    /// Appends a page for a pull request to FILE, in Markdown
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(plain_path))]
    pub markdown: Option<PathBuf>,
}

impl Args {
    /// The pairs of commands to judge. The name of a pair is its COMMAND; the only pair of a gate without has none.
    ///
    /// An error names a command that cannot be split, or a `{}` that is missing or that nothing replaces.
    pub(crate) fn pairs(&self) -> Result<Vec<Pair>, clap::Error> {
        let filled = |option: &str, line: &str, name: &str| {
            let line = if name.is_empty() { line.to_owned() } else { line.replace("{}", name) };
            line.parse::<CommandLine>().map_err(|why| {
                let hint = if line.contains("{}") { ". Or give a COMMAND, which takes the place of {}" } else { "" };
                Self::command().error(ErrorKind::ValueValidation, format!("{option}: {why}{hint}"))
            })
        };
        let mut lines = [&self.base, &self.head].into_iter();
        if let Some(line) = lines.find(|line| !self.commands.is_empty() && !line.contains("{}")) {
            let why = format!("'{line}' has no {{}}: write {{}} where each COMMAND goes, such as 'old/{{}}'");
            return Err(Self::command().error(ErrorKind::ValueValidation, why));
        }
        let names = if self.commands.is_empty() { &[String::new()][..] } else { &self.commands };
        let pair = |name: &String| {
            let [base, head] =
                [("--base", &self.base), ("--head", &self.head)].map(|(option, line)| filled(option, line, name));
            let prepare = self.prepare.as_ref().map(|line| filled("--prepare", line, name)).transpose()?;
            Ok(Pair::new(name.clone(), base?, head?, prepare))
        };
        names.iter().map(pair).collect()
    }

    /// How each of some pairs is judged. Together their intervals have a confidence of 95 %.
    pub(crate) fn rules(&self, pairs: usize) -> Rules {
        Rules { threshold: self.threshold, clock: self.clock, confidence: 1.0 - 0.05 / pairs as f64 }
    }
}

/// A file that can be read again for each run.
fn input_file(path: PathBuf) -> Result<PathBuf, String> {
    let is_file = File::open(&path).and_then(|file| file.metadata()).map_err(|error| error.to_string())?.is_file();
    if is_file { Ok(path) } else { Err("it is no file, so only one run could read it: give a file".to_owned()) }
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
    use clap::Parser;

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
    fn each_command_fills_the_places_of_a_pair() {
        let pairs = |words: &[&str]| {
            let args = Args::try_parse_from([&["abgate"], words].concat()).unwrap();
            args.pairs().map(|pairs| {
                pairs
                    .iter()
                    .map(|pair| format!("{}: {} | {}", pair.name, pair.base.text, pair.head.text))
                    .collect::<Vec<_>>()
            })
        };
        assert_eq!(pairs(&["--base", "a 'x y'", "--head", "b"]).unwrap(), [": a 'x y' | b"]);
        let many = pairs(&["--base", "sh -c 'cd a; ./{}'", "--head", "b/{}", "sort 1", "sort 2"]).unwrap();
        assert_eq!(many, ["sort 1: sh -c 'cd a; ./sort 1' | b/sort 1", "sort 2: sh -c 'cd a; ./sort 2' | b/sort 2"]);
        for (words, said) in [
            (["--base", "a/{}", "--head", "b", "sort"].as_slice(), "'b' has no {}"),
            (&["--base", "a/{}", "--head", "b/{}"], "Or give a COMMAND, which takes the place of {}"),
            (&["--base", "a/{}", "--head", "b/{}", "sort >x"], "--base: 'a/sort >x' has '>'"),
        ] {
            let error = pairs(words).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn the_command_lines_of_the_page_are_right() {
        let page = include_str!("../README.md");
        let shown = |line: &'static str| line.trim_start_matches(['$', '-', ' ']).strip_prefix("abgate ");
        let mut lines: Vec<_> = page.lines().filter_map(shown).map(|line| shlex::split(line).unwrap()).collect();
        // The action takes an argument from each line.
        let action = page.lines().skip_while(|line| !line.ends_with("arguments: |")).skip(1);
        lines.push(action.take_while(|line| *line != "```").map(|line| line.trim().to_owned()).collect());
        assert_eq!(lines.len(), 3, "{lines:?}");
        for line in lines {
            let args = Args::try_parse_from(["abgate".to_owned()].into_iter().chain(line)).unwrap();
            assert_eq!(args.pairs().unwrap().len(), 2, "{args:?}");
        }
    }
}
