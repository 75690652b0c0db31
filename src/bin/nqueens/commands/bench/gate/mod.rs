//! `nqueens bench gate`: whether one build is slower than another, with an exit status for each verdict.

mod tell;

use std::path::PathBuf;
use std::time::Duration;

use super::super::options::{InstructionSet, length_of_time, up_to_a_day};
use crate::bench::gate::{Settings, instructions, run as run_gate};
use crate::bench::verdict::Verdict;
use crate::bench::{WorkloadId, suite};
use crate::exit::Exit;
use crate::terminal::duration::in_words;
use crate::terminal::measured::watched_by;
use crate::terminal::plural::plural;
use crate::terminal::signals::Interrupts;
use crate::terminal::{Streams, settle};

/// Finds out whether one build of a program is slower than another
///
/// It runs both builds alternately. To measure noise, it also runs the base against itself. It always prints its
/// results, even after an error. The exit status is 4 if the new build is slower. Under GitHub Actions it also shows
/// them beside the pull request and in the summary of the step. docs/measuring.md says how it can gate any program.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens bench gate --base old/nqueens --head new/nqueens
  nqueens bench gate --base old/nqueens --head new/nqueens --threshold 5 --budget 2m
  nqueens bench gate --base ./old.py --head ./new.py --workload count/mine/n=8/t=1")]
pub(crate) struct Args {
    /// Build to compare with
    #[arg(long, value_name = "PROGRAM")]
    base: PathBuf,
    /// Build to judge
    #[arg(long, value_name = "PROGRAM")]
    head: PathBuf,
    /// Workload to compare, such as count/bitmask/n=12/t=1. May be repeated. Default: some of each solver
    #[arg(long, value_name = "ID")]
    workload: Vec<WorkloadId>,
    /// Smallest slowdown that fails, in percent
    #[arg(long, value_name = "PERCENT", default_value = "3", value_parser = threshold, allow_negative_numbers = true)]
    threshold: f64,
    /// Time for everything, such as 90s, 5m or 1h. After it, the gate finishes the current round
    #[arg(long, value_name = "TIME", default_value = "3m", value_parser = length_of_time)]
    budget: Duration,
    /// Exit status 0 if the machine is too noisy to tell
    #[arg(long)]
    allow_inconclusive: bool,
    /// Counts no instructions. By default valgrind's cachegrind counts them for workloads of one thread, if it is
    /// installed. The gate uses them if times cannot decide
    #[arg(long)]
    no_instructions: bool,
    #[command(flatten)]
    isa: InstructionSet,
    /// Accepts a build that does different work than the base, such as placing fewer queens
    #[arg(long)]
    allow_other_work: bool,
    /// Stops a process that runs longer than TIME
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = up_to_a_day)]
    timeout: Duration,
    /// Prints JSON with everything that was measured
    #[arg(long)]
    json: bool,
    /// Appends a page for a pull request to FILE, in Markdown
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Writes the verdicts to FILE as JUnit's XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
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
    let interrupts = Interrupts::catch_patiently()?;
    let settings = args.settings();
    let places = tell::Places::prepare(args)?;
    streams.note(format_args!(
        "comparing on {}, for about {}{}",
        plural(settings.workloads.len(), "workload"),
        in_words(args.budget.as_secs_f64()),
        if settings.counts_instructions { "; cachegrind counts instructions" } else { "" }
    ));
    if args.base == args.head {
        streams.note("base and head are the same file: this shows the noise of the machine and no change");
    }
    let outcome = watched_by(&interrupts, streams, |cancel, display| {
        Ok(run_gate(&settings, cancel, &mut |fraction, workload, rounds| {
            display.show(fraction, || format!("{workload}, round {rounds}"));
        }))
    })?;
    // No build runs any more: the next signal may end this process.
    interrupts.obey();
    let told = tell::tell(&outcome, args, places, streams);
    let exit = match (outcome.verdict, interrupts.caught()) {
        (Verdict::Wrong, _) => Exit::Wrong,
        (_, Some(exit)) => exit,
        (Verdict::Skipped | Verdict::Pass, _) => Exit::Fine,
        (Verdict::Regression, _) => Exit::Regression,
        (Verdict::OtherWork, _) => Exit::OtherWork,
        (Verdict::Inconclusive, _) if args.allow_inconclusive => Exit::Fine,
        (Verdict::Inconclusive, _) => Exit::Inconclusive,
        (Verdict::Failed, _) => Exit::Failure,
    };
    settle(Ok(exit), told)
}

impl Args {
    fn settings(&self) -> Settings {
        let is_default = self.workload.is_empty();
        Settings {
            base: self.base.clone(),
            head: self.head.clone(),
            workloads: if is_default { suite::gate() } else { suite::custom(&self.workload).workloads },
            skips_unknown: is_default,
            threshold: self.threshold,
            isa: self.isa.named(),
            allows_other_work: self.allow_other_work,
            timeout: self.timeout,
            budget: self.budget,
            counts_instructions: !self.no_instructions && instructions::can_be_counted(),
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
