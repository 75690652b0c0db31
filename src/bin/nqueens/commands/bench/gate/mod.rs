//! `nqueens bench gate`: whether one command is slower than another, with an exit status for each verdict.

mod tell;

use std::path::PathBuf;
use std::time::Duration;

use super::super::options::length_of_time;
use crate::bench::gate::{Clock, CommandLine, Doubt, Settings, Verdict, pairs, run as run_gate};
use crate::exit::Exit;
use crate::terminal::task::Task;
use crate::terminal::units::{in_words, plural};
use crate::terminal::{Streams, settle, signals};

/// Finds out whether one command is slower than another
///
/// It runs both commands alternately and compares their processor time, with that of all their threads and child
/// processes. To measure noise, it also compares the base with itself. A verdict takes 35 runs or more. A command is split
/// as a shell does, but no shell runs it: for variables, pipes and ~ give sh -c 'LINE'. Both must print the same. Two bare programs of this project are compared by a default set of counts. Under
/// GitHub Actions the verdict is also shown beside the pull request and in the summary of the step.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit status: 0 not slower, 4 slower, 5 inconclusive, 1 head failed, 2 base failed or wrong command line, 74 the page
cannot be written.

Examples:
  nqueens bench gate --base 'old/sort big.txt' --head 'new/sort big.txt'
  nqueens bench gate --base 'python3 old.py' --head 'python3 new.py' --threshold 5% --budget 10m
  nqueens bench gate --base old/nqueens --head new/nqueens")]
pub(crate) struct Args {
    /// Command to compare with
    #[arg(long, value_name = "CMD")]
    base: CommandLine,
    /// Command to judge
    #[arg(long, value_name = "CMD")]
    head: CommandLine,
    /// Smallest slowdown that fails, in percent
    #[arg(long, value_name = "PERCENT", default_value = "3%", value_parser = threshold, allow_negative_numbers = true)]
    threshold: f64,
    /// Time for everything, such as 90s, 5m or 1h. After it, the gate finishes the current round
    #[arg(long, value_name = "TIME", default_value = "3m", value_parser = length_of_time)]
    budget: Duration,
    /// Judges elapsed time instead of processor time: with it, waiting counts, and so do other programs
    #[arg(long)]
    elapsed: bool,
    /// Lets the commands print different text. It is thrown away
    #[arg(long)]
    any_output: bool,
    /// Exit status 0 if the machine is too noisy to tell. If head is probably slower, mostly waits or was not measured, it
    /// stays 5
    #[arg(long)]
    allow_inconclusive: bool,
    /// Stops a run that takes longer than TIME, as failed
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = length_of_time)]
    timeout: Duration,
    /// Prints JSON with everything that was measured
    #[arg(long)]
    json: bool,
    /// Appends a page for a pull request to FILE, in Markdown
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
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

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    signals::catch_patiently()?;
    let settings = args.settings();
    let places = tell::Places::prepare(args)?;
    streams.note(format_args!(
        "comparing {} for up to {}, by {} time",
        plural(settings.pairs.len(), "command"),
        in_words(args.budget.as_secs_f64()),
        if settings.clock == Clock::Processor { "processor" } else { "elapsed" },
    ));
    if args.base == args.head {
        streams.note("base and head are the same command: this shows the noise of the machine and no change");
    }
    let outcome = Task::new("measuring", streams)?.measure(|task| {
        run_gate(&settings, &task.cancel, &mut |fraction, name, rounds| {
            task.show(fraction, || format!("{name}, round {rounds}"));
        })
    })?;
    // No command runs any more: the next signal may end this process.
    signals::obey();
    let exit = match outcome.verdict {
        Verdict::Pass => Exit::Fine,
        Verdict::Inconclusive(Doubt::Noise) if args.allow_inconclusive => Exit::Fine,
        Verdict::Inconclusive(_) => Exit::Inconclusive,
        Verdict::Regression => Exit::Regression,
        Verdict::Failed => Exit::Failed,
    };
    let told = tell::tell(&outcome, args.json, exit, places, streams);
    settle(Ok(exit), told)
}

impl Args {
    fn settings(&self) -> Settings {
        // Only Unix reports the processor time of children.
        let is_elapsed = self.elapsed || !cfg!(unix);
        Settings {
            pairs: pairs(&self.base, &self.head),
            threshold: self.threshold,
            clock: if is_elapsed { Clock::Elapsed } else { Clock::Processor },
            allows_any_output: self.any_output,
            timeout: self.timeout,
            budget: self.budget,
        }
    }
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
