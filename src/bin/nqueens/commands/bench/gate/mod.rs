//! `nqueens bench gate`: whether one build is slower than another, with exit statuses that a pipeline can act on.

mod tell;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;
use nqueens::solver::Isa;

use super::super::options::{InstructionSet, invalid, length_of_time, range, size_up_to, up_to_a_day};
use crate::bench::gate::task::{GateProgram, PLACE, Task};
use crate::bench::gate::{Settings, Stopped, instructions, run as run_gate};
use crate::bench::verdict::Verdict;
use crate::bench::{WorkloadId, suite};
use crate::exit::Exit;
use crate::terminal::duration::in_words;
use crate::terminal::measured::watched_by;
use crate::terminal::signals::Interrupts;
use crate::terminal::{Streams, settle};
use tell::{show, tell};

/// Finds out whether one build of a program is slower than another
///
/// It runs both builds by turns, and the base against itself to measure the noise of the machine. It always prints its
/// results, even after an error. The exit status is 4 if the new build is slower. Under GitHub Actions it also shows them beside the pull request and in the summary of
/// the step. --sizes compares any two programs: docs/measuring.md.
#[derive(Debug, clap::Args)]
// A style between the braces' letters: clap would make a new line of the three.
#[command(after_help = "\
Examples:
  nqueens bench gate --base old/nqueens --head new/nqueens
  nqueens bench gate --base old/nqueens --head new/nqueens --threshold 5 --budget 2m
  nqueens bench gate --base 'old/queens {\u{1b}[0mn}' --head 'python3 queens.py {\u{1b}[0mn}' --sizes 8,9,10")]
pub(crate) struct Args {
    /// Build to compare with. With --sizes: a command, with the size as n in braces, run without a shell
    #[arg(long, value_name = "PROGRAM")]
    base: PathBuf,
    /// Build to judge, or with --sizes a command
    #[arg(long, value_name = "PROGRAM")]
    head: PathBuf,
    /// Workload to compare, such as count/mask/n=12/t=1. May be repeated. Default: some of each solver
    #[arg(long, value_name = "ID")]
    workload: Vec<WorkloadId>,
    /// Compares two commands on these sizes, such as 8,9,10 or 8..=10. Times the whole process. The last whole number that
    /// it prints is the count
    #[arg(long, value_name = "SIZES", value_delimiter = ',', value_parser = sizes,
          conflicts_with_all = ["workload", "isa", "allow_other_work"])]
    sizes: Vec<CommandSizes>,
    /// Does not check counts, for commands that print none
    #[arg(long, requires = "sizes")]
    no_count: bool,
    /// Smallest slowdown that fails, in percent
    #[arg(long, value_name = "PERCENT", default_value = "3", value_parser = threshold, allow_negative_numbers = true)]
    threshold: f64,
    /// Time for everything, such as 90s, 5m or 1h. Judges the workloads that are finished by then
    #[arg(long, value_name = "TIME", default_value = "3m", value_parser = length_of_time)]
    budget: Duration,
    /// Exit status if the machine is too noisy to tell
    #[arg(long, value_enum, default_value_t = Inconclusive::Fail)]
    inconclusive: Inconclusive,
    /// Program that counts instructions, if times cannot tell, for workloads of one thread
    #[arg(long, value_enum, default_value_t = Counting::Auto)]
    instructions: Counting,
    #[command(flatten)]
    isa: InstructionSet,
    /// Accepts a build that does other work than the base, such as placing fewer queens
    #[arg(long)]
    allow_other_work: bool,
    /// Measures builds that are equal byte for byte. Without it they pass once they count right
    #[arg(long)]
    measure_anyway: bool,
    /// Stops a process that runs longer than TIME
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = up_to_a_day)]
    timeout: Duration,
    /// Format of the result
    #[arg(long, value_enum, default_value_t = GateFormat::Text)]
    format: GateFormat,
    /// Prints JSON: short for --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Appends a summary in Markdown to FILE
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Writes the verdicts to FILE as JUnit's XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

/// How to print what was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GateFormat {
    /// One line for each workload, and one for the whole
    Text,
    /// Everything that was measured
    Json,
    /// A page for a pull request
    Markdown,
    /// JUnit's XML
    Junit,
}

/// What to make of a verdict of inconclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Inconclusive {
    /// Exit status 5
    Fail,
    /// Exit status 0, and a warning
    Warn,
}

/// Who counts instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Counting {
    /// Cachegrind, if it is installed
    Auto,
    /// Valgrind's cachegrind
    Cachegrind,
    /// Counts no instructions
    Off,
}

/// Sizes of boards for commands, one or a range.
#[derive(Debug, Clone)]
struct CommandSizes(Vec<usize>);

fn sizes(text: &str) -> Result<CommandSizes, String> {
    /// More queens than anybody's program places.
    const LARGEST: usize = 1_000_000;
    range(text, |text| size_up_to(LARGEST, text).map_err(|error| error.to_string())).map(CommandSizes)
}

/// Percent, with or without the sign: `3`, `2.5%`.
pub(crate) fn threshold(text: &str) -> Result<f64, String> {
    let error = || {
        format!(
            "'{text}' is not a threshold: give percent from 0.1 to 100, such as 3 or 2.5%, which mean 3 % and 2.5 %"
        )
    };
    let number = text.strip_suffix('%').unwrap_or(text).trim();
    let percent: f64 = number.parse().map_err(|_| error())?;
    if (0.1..=100.0).contains(&percent) { Ok(percent / 100.0) } else { Err(error()) }
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let interrupts = Interrupts::catch_patiently()?;
    let is_default = args.workload.is_empty();
    let mut workloads = if is_default { suite::gate() } else { args.workload.clone() };
    let mut seen = std::collections::HashSet::new();
    workloads.retain(|id| seen.insert(id.clone()));
    let tasks: Vec<Task> = match args.sizes.is_empty() {
        true => workloads.into_iter().map(Task::Workload).collect(),
        false => {
            let sizes: BTreeSet<usize> = args.sizes.iter().flat_map(|sizes| &sizes.0).copied().collect();
            sizes.into_iter().map(Task::Size).collect()
        }
    };
    let [base, head] = args.programs()?;
    let settings = Settings {
        base,
        head,
        tasks,
        has_count: !args.no_count,
        skips_unknown: is_default,
        threshold: args.threshold,
        isa: args.isa.named(),
        allows_other_work: args.allow_other_work,
        measures_anyway: args.measure_anyway,
        timeout: args.timeout,
        budget: args.budget,
        counts_instructions: args.counts_instructions()?,
    };
    streams.note(format_args!(
        "comparing on {} {}{}, in at most {}; instructions counted by {}",
        settings.tasks.len(),
        if args.sizes.is_empty() { "workload" } else { "size" },
        if settings.tasks.len() == 1 { "" } else { "s" },
        in_words(args.budget.as_secs_f64()),
        args.who_counts(settings.counts_instructions)
    ));
    let outcome = watched_by(&interrupts, streams, |cancel, display| {
        run_gate(&settings, cancel, &mut |progress| show(progress, &settings.tasks, display, streams))
    })?;
    // No process under test is left: another signal may end this one now.
    interrupts.obey();
    for skipped in &outcome.skipped {
        streams.note(skipped);
    }
    let told = tell(&outcome, args, streams);
    let exit = match (outcome.stopped, outcome.verdict) {
        (_, Verdict::Wrong) => Exit::Wrong,
        (Some(Stopped::Interrupted), _) => interrupts.caught().unwrap_or(Exit::Interrupted),
        (_, Verdict::Pass) => Exit::Fine,
        (_, Verdict::Regression) => Exit::Regression,
        (_, Verdict::OtherWork) => Exit::OtherWork,
        (_, Verdict::Inconclusive) if args.inconclusive == Inconclusive::Fail => Exit::Inconclusive,
        (_, Verdict::Inconclusive) => Exit::Fine,
        _ => Exit::Failure,
    };
    settle(Ok(exit), told)
}

impl Args {
    /// Both programs under test.
    fn programs(&self) -> anyhow::Result<[GateProgram; 2]> {
        let program = |option: &str, given: &Path| {
            let text = given.to_str().filter(|text| text.contains(PLACE) || !self.sizes.is_empty());
            match text {
                Some(text) if self.sizes.is_empty() && !given.exists() => Err(Exit::Usage
                    .error(format!("'{text}' is a command and no build: say for which sizes, such as --sizes 8,9,10"))),
                Some(text) if !self.sizes.is_empty() => {
                    GateProgram::command(text).map_err(|problem| invalid(text, option, problem))
                }
                _ => Ok(GateProgram::Build(given.to_owned())),
            }
        };
        let [base, head] = [program("--base <PROGRAM>", &self.base)?, program("--head <PROGRAM>", &self.head)?];
        if base == head && !self.measure_anyway && !self.sizes.is_empty() {
            return Err(Exit::Usage.error(format!(
                "base and head are the same command, '{base}': give --measure-anyway to measure it against itself"
            )));
        }
        Ok([base, head])
    }

    fn counts_instructions(&self) -> anyhow::Result<bool> {
        let problem = match self.isa.named() {
            _ if self.instructions == Counting::Off => return Ok(false),
            _ if !self.sizes.is_empty() => "instructions are counted for builds on workloads only, not for commands",
            Some(isa) if !instructions::can_run(isa) => {
                "cachegrind cannot run AVX-512, and what is counted is what is timed: give --isa avx2"
            }
            _ if !instructions::can_be_counted() => "there is no valgrind here: install it",
            _ => return Ok(true),
        };
        match self.instructions {
            Counting::Cachegrind => {
                let exit = if problem.contains("valgrind") { Exit::Failure } else { Exit::Usage };
                Err(exit.error(format!("{problem}, or give --instructions auto")))
            }
            _ => Ok(false),
        }
    }

    /// Who counts instructions, and of what, in words.
    fn who_counts(&self, counts: bool) -> String {
        if !counts {
            return "nobody".to_owned();
        }
        let less =
            Isa::available().last().filter(|_| self.isa.named().is_none()).and_then(|&best| instructions::isa(best));
        let less = less.map_or_else(String::new, |isa| format!(", with {isa}, which it can run, counted and timed"));
        format!("cachegrind on one thread{less}")
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
