//! `nqueens bench machine`: runs a suite of workloads and keeps the record.

use std::path::PathBuf;
use std::time::Duration;

use crate::bench;
use crate::bench::measure::{BenchPlan, run as run_plan};
use crate::bench::record::{INTERRUPTED, Sustained};
use crate::bench::statistics::{RANGE_SAMPLES, median};
use crate::bench::{Record, WorkloadId, doubt, export, read, score, suite};
use crate::terminal::units;
use anyhow::Context;
use clap::builder::PossibleValuesParser;
use comfy_table::{Table, presets};
use nqueens::engine;

use super::super::options::{InstructionSet, up_to_a_day};
use crate::exit::Exit;
use crate::terminal::kept::Kept;
use crate::terminal::measured::watched_by;
use crate::terminal::signals::Interrupts;
use crate::terminal::table::{align, trimmed};
use crate::terminal::wrap::wrapped;
use crate::terminal::{Streams, settle};

/// Measures this machine with a suite of workloads, and checks each count
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens bench machine --out here.json            measures this machine and saves the record
  nqueens bench machine --suite standard           measures longer, and 1, 2, 4 threads and so on
  nqueens bench machine --workload count/mask/n=12/t=1
                                                   measures only this workload")]
pub(crate) struct Args {
    /// Workloads to measure. quick: under 20 seconds on 2 cores. standard: about two minutes, also for 1, 2, 4 threads and so
    /// on up to all
    #[arg(long, default_value = "quick", value_parser = PossibleValuesParser::new(suite::NAMES))]
    suite: String,
    /// Measures this workload instead of a suite, such as count/mask/n=12/t=1, without a score. May be repeated
    #[arg(long, value_name = "ID", conflicts_with = "suite")]
    workload: Vec<WorkloadId>,
    /// Time for samples, such as 30s. Each workload gets at least five
    #[arg(long, value_name = "TIME", value_parser = up_to_a_day)]
    budget: Option<Duration>,
    /// Keeps the machine busy afterwards for TIME, such as 90s, 10m or 1h, and reports whether it slows down
    #[arg(long, value_name = "TIME", value_parser = up_to_a_day)]
    sustain: Option<Duration>,
    /// Saves the record in FILE, for 'bench compare', 'bench report' and 'bench export'
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Runs the suite TIMES times, so that intervals include differences between starts
    #[arg(long, value_name = "TIMES", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    repeat: u16,
    /// Name of this machine in the record. Default: its processor's model
    #[arg(long)]
    name: Option<String>,
    #[command(flatten)]
    isa: InstructionSet,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let mut suite = match &args.workload[..] {
        [] => suite::find(&args.suite).context("this suite is not there")?,
        workloads => suite::custom(workloads),
    };
    if let Some(budget) = args.budget {
        suite.budget = budget;
    }
    let isa = args.isa.checked()?;
    // What would make the record unreadable is refused before minutes are spent.
    if let Some(Err(problem)) = args.name.as_deref().map(read::validate_name) {
        return Err(Exit::Usage.error(format!("the name cannot be used: {problem}, or leave --name out")));
    }
    // Before minutes are spent: can the record be kept?
    let kept = args.out.as_deref().map(|path| Kept::prepare(path, "the record")).transpose()?;
    streams.note(format_args!(
        "suite {suite}: {} workloads{}, about {} s, 'all' threads are {}",
        suite.workloads.len(),
        if args.repeat > 1 { format!(", {} times", args.repeat) } else { String::new() },
        u64::from(args.repeat) * suite.budget.as_secs() + args.sustain.map_or(0, |time| time.as_secs()),
        engine::default_threads()
    ));
    let plan = BenchPlan { suite, isa, name: args.name.clone(), sustain: args.sustain, repeat: args.repeat.into() };
    let interrupts = Interrupts::catch()?;
    let record = watched_by(&interrupts, streams, |cancel, display| {
        run_plan(&plan, cancel, &mut |progress| {
            let bench::measure::BenchProgress { workload, samples, fraction, .. } = progress;
            display.show(fraction, || format!("{:.0} %, {workload}, sample {samples}", 100.0 * fraction));
        })
    })?;
    let is_partial = record.warnings.iter().any(|warning| warning.kind == INTERRUPTED);
    for warning in &record.warnings {
        streams.note(format_args!("warning: {}", warning.message));
    }
    // What was measured is printed whatever becomes of the file.
    streams.out.write_all(table(&record).as_bytes())?;
    streams.out.flush()?;
    let kept = kept.map(|kept| kept.write(&export::json(&record)));
    if kept.is_none() {
        streams.note("the record was not kept: give --out FILE to compare it later");
    }
    let done = match interrupts.caught().filter(|_| is_partial) {
        Some(exit) => {
            Err(exit.error("stopped before everything was measured: the result is only of the workloads that were"))
        }
        None => Ok(Exit::Fine),
    };
    settle(done, kept.unwrap_or(Ok(())))
}

/// What the table's marks mean: shorter than elsewhere, for 80 columns.
const SPREAD_DEFINED: &str = "± %: half the 95 % interval of the median in percent of it; r: of five \
     samples or fewer, half the distance from the least to the greatest; ~: too wide to say much";

/// A record for people.
fn table(record: &Record) -> String {
    let anchor = score::anchor();
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["workload", "solutions", "time", "± %", "samples", "speed"]);
    for workload in &record.workloads {
        let estimate = workload.estimate();
        let base = anchor.iter().flat_map(|anchor| &anchor.workloads).find(|base| base.id == workload.id);
        let mark = if doubt::is_wide(workload) { "~" } else { "" };
        let range = if workload.seconds.len() <= RANGE_SAMPLES { "r" } else { "" };
        table.add_row([
            workload.id.to_string(),
            workload.count.to_string(),
            units::seconds(estimate.value),
            format!("{mark}{:.1}{range}", 50.0 * estimate.relative_width()),
            workload.seconds.len().to_string(),
            base.map_or_else(|| "-".to_owned(), |base| format!("{:.2}", base.median_seconds() / estimate.value)),
        ]);
    }
    align(&mut table);
    let mut text = format!("{}\n\n{}\n", trimmed(&table), wrapped(SPREAD_DEFINED, 0, 0));
    let scores = score::of(record);
    if let Some(anchor) = anchor.filter(|_| scores.iter().any(Option::is_some)) {
        text.push('\n');
        for (threads, found) in score::THREADS.into_iter().zip(scores) {
            let found = found.map_or_else(
                || "none".to_owned(),
                |found| {
                    let [value, low, high] = [found.value, found.low, found.high].map(score::points);
                    format!("{value} points (95 % interval {low} to {high})")
                },
            );
            text += &format!("score, {:<11}  {found}\n", score::title(threads));
        }
        let (suite, anchor) = (&record.suite, &anchor.name);
        let against =
            format!("suite {suite}, the frozen solvers; the anchor {anchor} has speed 1 and {} points", score::POINTS);
        text += &format!("{}\n", wrapped(&against, 0, 0));
    }
    if let Some(sustained) = &record.sustained {
        text += &format!("\n{}\n", wrapped(&lasting(sustained), 0, 0));
    }
    if let Some(line) = doubt::line(&doubt::of_record(record)) {
        text += &format!("\n{}\n", wrapped(&format!("What spoils a comparison: {line}"), 0, 0));
    }
    text
}

/// What became of the speed under load that lasts.
fn lasting(sustained: &Sustained) -> String {
    let seconds: Vec<f64> = sustained.points.iter().map(|point| point.seconds).collect();
    // A tenth of the time at both ends, which is longer than what disturbs a run.
    let share = seconds.len().div_ceil(10);
    let (first, last) = (median(&seconds[..share]), median(&seconds[seconds.len() - share..]));
    let after = sustained.points.last().map_or(0.0, |point| point.at_seconds);
    let kept = units::percent(first / last);
    format!("{} again and again: after {after:.0} s it has {kept} of its speed at the beginning", sustained.workload)
}
