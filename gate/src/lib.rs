//! `nqueens bench gate`: runs two commands in turn, the base and the head, and judges whether the head is slower.
//!
//! A head that fails, hangs or prints something else is a verdict. A base that does so is an error: nothing can be
//! compared with it. If the gate is interrupted or its time is over, the outcome says what was not measured.

mod command;
mod pair;
mod tell;
mod verdict;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde::Serialize;

use super::super::options::length_of_time;
use crate::exit::Exit;
use crate::machine;
use crate::terminal::task::Task;
use crate::terminal::units::{in_words, percent, plural};
use crate::terminal::{Streams, settle, signals};
use command::CommandLine;
use pair::Pair;
use verdict::{FEWEST_ROUNDS, Verdict};

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

/// The result of a gate, as JSON has it.
#[derive(Debug, Serialize)]
struct Outcome {
    /// The version, 1. It changes when a reader of the old format would misread the new one.
    schema: u64,
    /// Always `nqueens-gate`.
    kind: &'static str,
    /// The worst verdict of all commands.
    verdict: Verdict,
    reason: String,
    threshold: f64,
    /// The clock of all times: `processor` or `elapsed`.
    clock: &'static str,
    seconds: f64,
    /// The processor's model.
    processor: String,
    commands: Vec<Pair>,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> Result<Exit> {
    signals::catch_patiently()?;
    let (start, mut commands) = (Instant::now(), Pair::all(&args.base, &args.head));
    let places = tell::Places::prepare(args)?;
    streams.note(format_args!(
        "comparing {} for up to {}, by {} time",
        plural(commands.len(), "command"),
        in_words(args.budget.as_secs_f64()),
        args.clock(),
    ));
    if args.base == args.head {
        streams.note("base and head are the same command: this shows the noise of the machine and no change");
    }
    Task::new("measuring", streams)?.measure(|task| args.compare_all(&mut commands, task))?;
    // No command runs any more: the next signal may end this process.
    signals::obey();
    let (verdict, reason) = concluded(&commands, args.threshold);
    let outcome = Outcome {
        schema: 1,
        kind: "nqueens-gate",
        verdict,
        reason,
        threshold: args.threshold,
        clock: args.clock(),
        seconds: start.elapsed().as_secs_f64(),
        processor: machine::facts().cpu_model,
        commands,
    };
    let exit = match verdict {
        Verdict::Pass => Exit::Fine,
        Verdict::Noise if args.allow_inconclusive => Exit::Fine,
        Verdict::Noise | Verdict::NotMeasured | Verdict::MostlyWaits | Verdict::ProbablySlower => Exit::Inconclusive,
        Verdict::Regression => Exit::Regression,
        Verdict::Failed => Exit::Failed,
    };
    let told = outcome.tell(args.json, exit, &places, streams);
    settle(Ok(exit), told)
}

impl Args {
    /// Only Unix reports the processor time of children.
    fn is_elapsed(&self) -> bool {
        self.elapsed || !cfg!(unix)
    }

    /// The clock that decides.
    fn clock(&self) -> &'static str {
        if self.is_elapsed() { "elapsed" } else { "processor" }
    }

    /// Compares the commands, one pair after the other. The error is of a base.
    fn compare_all(&self, pairs: &mut [Pair], task: &Task) -> Result<()> {
        let (deadline, all) = (Instant::now() + self.budget, pairs.len());
        let mut has_failed = false;
        for (index, pair) in pairs.iter_mut().enumerate() {
            let now = Instant::now();
            // An equal share of the time that is left. Time that a command does not need goes to the others.
            let left = deadline.saturating_duration_since(now);
            let until = now + left / u32::try_from(all - index).unwrap_or(u32::MAX);
            if task.cancel.is_cancelled() {
                pair.leave_out("the gate was interrupted");
            } else if has_failed {
                // A head that cannot run one command seldom runs the next, and may hang again.
                pair.leave_out("a command before it failed");
            } else if index > 0 && left.is_zero() {
                pair.leave_out("the time was over, so raise --budget");
            } else {
                let name = pair.name.clone();
                pair.compare(self, until, all, &task.cancel, |rounds| {
                    let within = (rounds as f64 / FEWEST_ROUNDS as f64).min(1.0);
                    task.show((index as f64 + within) / all as f64, || format!("{name}, round {rounds}"));
                })?;
                has_failed = pair.verdict == Verdict::Failed;
            }
        }
        Ok(())
    }
}

/// Verdict and reason of the whole: those of the worst command.
fn concluded(commands: &[Pair], threshold: f64) -> (Verdict, String) {
    let Some(worst) = commands.iter().rev().max_by_key(|pair| pair.verdict) else {
        return (Verdict::Failed, "there is no command to compare".to_owned());
    };
    let alike = commands.iter().filter(|pair| pair.verdict == worst.verdict).count();
    let reason = match (worst.verdict, commands.len()) {
        (_, 1) => worst.reason.clone(),
        (Verdict::Pass, all) => format!("head is not slower by {} in any of {all} commands", percent(threshold)),
        (_, all) => format!("{alike} of {all} commands: {}: {}", worst.name, worst.reason),
    };
    (worst.verdict, reason)
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
