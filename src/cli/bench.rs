//! `nqueens bench`: runs a suite of workloads and keeps the record.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use clap::builder::PossibleValuesParser;
use nqueens::measure::bench::{Plan, run as run_plan};
use nqueens::measure::record::Scores;
use nqueens::measure::{Record, WorkloadId, doubt, export, read, score, suite};
use nqueens::{engine, measure};

use super::Streams;
use super::args::{IsaChoice, isa_choice};
use super::exit::{Exit, settle};
use super::export::Format;
use super::interrupt::Interrupts;
use super::kept::Kept;
use super::measured::watched_by;

/// Measures this machine with a suite of workloads, each count checked
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// How much to measure: quick takes under 20 seconds on 2 cores, standard under 3 minutes, full about 15; scaling
    /// measures one thread, two, four and so on up to all, in a minute
    #[arg(long, default_value = "quick", value_parser = PossibleValuesParser::new(suite::NAMES.into_iter().chain([suite::SCALING_NAME])))]
    suite: String,
    /// A workload to measure instead of a suite's, like count/mask/n=12/t=1; may be repeated. There is no score then
    #[arg(long, value_name = "ID", conflicts_with = "suite")]
    workload: Vec<WorkloadId>,
    /// The time to spend on samples; the first five of each workload are taken in any case
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    budget: Option<u64>,
    /// The threads to use where a suite would use all. There is no score then
    #[arg(long, value_name = "T", value_parser = threads, conflicts_with = "workload")]
    threads: Option<usize>,
    /// How long to keep the machine under load afterwards, to see whether it keeps its speed: like 90s, 10m or 1h
    #[arg(long, value_name = "TIME", value_parser = time)]
    sustain: Option<Duration>,
    /// Records the anchor of all scores anew, under this name and version like epyc-2core@3: the suite full, by a release
    /// build of clean sources on a machine quiet enough for every score to be known to 2.5 %, or not at all
    #[arg(long, value_name = "NAME@VERSION", requires = "out", value_parser = anchor_name, conflicts_with_all = ["suite", "workload", "threads", "isa", "name", "budget", "repeat"])]
    anchor: Option<String>,
    /// The file to keep the record in, for 'compare', 'report' and 'export'
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// How often to run the suite. What differs from one start to the next is in the intervals then
    #[arg(long, value_name = "TIMES", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    repeat: u16,
    /// What to call this machine in the record; its processor's model by default
    #[arg(long)]
    name: Option<String>,
    /// The instruction set to use at most; the machine's best by default
    #[arg(long, value_name = "SET", default_value = "auto", value_parser = isa_choice())]
    isa: IsaChoice,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

pub(super) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    if args.anchor.is_some() {
        refuse_unfit_build()?;
    }
    let wanted = if args.anchor.is_some() { "full" } else { &args.suite };
    let mut suite = if args.workload.is_empty() {
        suite::find(wanted).context("this suite is not there")?
    } else {
        suite::custom(&args.workload)
    };
    if let Some(threads) = args.threads {
        suite = suite.on_threads(threads);
    }
    if let Some(seconds) = args.budget {
        suite.budget = Duration::from_secs(seconds);
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
    let name = args.anchor.clone().or_else(|| args.name.clone());
    let plan = Plan { suite, isa, name, sustain: args.sustain, repeat: args.repeat.into() };
    let interrupts = Interrupts::catch()?;
    let mut record = watched_by(&interrupts, streams, |cancel, display| {
        run_plan(&plan, cancel, &mut |progress| {
            let measure::bench::Progress { workload, samples, fraction, .. } = progress;
            display.show(fraction, || format!("{:.0} %, {workload}, sample {samples}", 100.0 * fraction));
        })
    })?;
    let is_partial = record.warnings.iter().any(|warning| warning.kind == measure::bench::INTERRUPTED);
    for warning in &record.warnings {
        streams.note(format_args!("warning: {}", warning.message));
    }
    if args.anchor.is_some() {
        // Those against the anchor before would tie it to that.
        let scores = score::scores(&record, &record);
        refuse_unfit_anchor(&record, &scores)?;
        record.scores = Some(scores);
    }
    // What was measured is printed whatever becomes of the file.
    streams.out.write_all(args.format.render(&record).as_bytes())?;
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

/// The threads that this process may use, or fewer.
fn threads(text: &str) -> Result<usize, String> {
    let most = nqueens::engine::MAX_THREADS;
    let number = text.parse::<usize>().ok().filter(|threads| (1..=most).contains(threads));
    number.ok_or_else(|| format!("'{text}' is not a number of threads: give 1 to {most}"))
}

/// A time such as `10m`.
fn time(text: &str) -> Result<Duration, String> {
    let error = || format!("'{text}' is not a time from 1s to 24h: give a number with its unit, like 90s, 10m or 1h");
    let (number, seconds) = [("s", 1), ("m", 60), ("h", 3600)]
        .into_iter()
        .find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, seconds)))
        .ok_or_else(error)?;
    let seconds = number.parse::<u64>().ok().and_then(|number| number.checked_mul(seconds)).ok_or_else(error)?;
    if (1..=86_400).contains(&seconds) { Ok(Duration::from_secs(seconds)) } else { Err(error()) }
}

fn anchor_name(text: &str) -> Result<String, String> {
    let is_fit =
        text.split_once('@').is_some_and(|(name, version)| !name.trim().is_empty() && version.parse::<u32>().is_ok());
    if is_fit { Ok(text.to_owned()) } else { Err(format!("'{text}' has no version: write it like epyc-2core@3")) }
}

/// Before minutes are spent: an anchor of a build that nobody can build again would tie all scores to nothing.
fn refuse_unfit_build() -> anyhow::Result<()> {
    let flags = nqueens::version::PROFILE;
    if !flags.starts_with("release") {
        let what =
            format!("an anchor takes a release build, and this one is {flags}: build it with 'cargo build --release'");
        return Err(Exit::Usage.error(what));
    }
    if nqueens::version::IS_DIRTY {
        let commit = nqueens::version::COMMIT;
        return Err(
            Exit::Usage.error(format!("an anchor takes clean sources, and these differ from {commit}: commit first"))
        );
    }
    Ok(())
}

/// What disturbed the anchor would be in every score, as far as a score depends on it: its workloads may scatter more than
/// their mean.
fn refuse_unfit_anchor(record: &Record, scores: &Scores) -> anyhow::Result<()> {
    let mut grave: Vec<String> =
        doubt::of_record(record).into_iter().filter(|doubt| doubt.is_grave).map(|doubt| doubt.words).collect();
    for (score, [low, high]) in &scores.intervals {
        // Against itself: the intervals of two records, joined as squares.
        let own = ((high / low).ln() / 2.0 / std::f64::consts::SQRT_2).exp_m1();
        if own > doubt::WIDE {
            let [own, widest] = [own, doubt::WIDE].map(|share| 100.0 * share);
            grave.push(format!("the score {score} is only known to ± {own:.1} %, where ± {widest:.1} % is asked for"));
        }
    }
    if grave.is_empty() {
        return Ok(());
    }
    let why = grave.join("; ");
    Err(Exit::Inconclusive
        .error(format!("this is no anchor, and nothing was written: {why}; try again when the machine is quiet")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_threads_and_anchors_are_what_they_look_like() {
        assert_eq!(time("10m"), Ok(Duration::from_secs(600)));
        assert_eq!(time("24h"), Ok(Duration::from_secs(86_400)));
        for wrong in ["", "10", "m", "0s", "25h", "-1s", "1.5m", "99999999999999999999h"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
        assert_eq!(threads("4"), Ok(4));
        assert!(threads("0").is_err() && threads("4097").is_err());
        assert!(anchor_name("epyc@3").is_ok() && anchor_name("epyc").is_err() && anchor_name("@3").is_err());
    }
}
