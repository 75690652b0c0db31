//! `nqueens regress`: whether one build is slower than another, with exit statuses that a pipeline can act on.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use nqueens::measure::regress::{Outcome, Settings, run as run_gate};
use nqueens::measure::verdict::{LOOKS, Verdict};
use nqueens::measure::{WorkloadId, suite};

use super::Streams;
use super::args::{IsaChoice, isa_choice};
use super::exit::Exit;
use super::measured::watched;

/// Says whether one build of this program is slower than another: 0 no, 4 yes, 5 cannot tell
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The build to compare against
    #[arg(long, value_name = "PROGRAM")]
    base: PathBuf,
    /// The candidate
    #[arg(long, value_name = "PROGRAM")]
    head: PathBuf,
    /// A workload to compare on, like count/mask/n=12/t=1; may be repeated. By default some of each solver
    #[arg(long, value_name = "ID")]
    workload: Vec<WorkloadId>,
    /// The slowdown that is too much
    #[arg(long, value_name = "PERCENT", default_value = "3%", value_parser = threshold)]
    threshold: f64,
    /// The instruction set to use at most; the machine's best by default
    #[arg(long, value_name = "SET", default_value = "auto", value_parser = isa_choice())]
    isa: IsaChoice,
    /// Accepts that the candidate places other numbers of queens, or does other work, than the base
    #[arg(long)]
    allow_other_work: bool,
    /// When to give a process up
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// Prints everything that was measured, as JSON
    #[arg(long)]
    json: bool,
    /// A file to append a summary in Markdown to, like $GITHUB_STEP_SUMMARY
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

/// A share such as `3%`.
fn threshold(text: &str) -> Result<f64, String> {
    let error = || format!("'{text}' is not a threshold: give percent with its sign, from 0.1% to 100%, like 3%");
    let percent: f64 = text.strip_suffix('%').ok_or_else(error)?.trim().parse().map_err(|_| error())?;
    if (0.1..=100.0).contains(&percent) { Ok(percent / 100.0) } else { Err(error()) }
}

pub(super) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let is_default = args.workload.is_empty();
    let mut workloads = if is_default { suite::gate() } else { args.workload.clone() };
    let mut seen = std::collections::HashSet::new();
    workloads.retain(|id| seen.insert(id.clone()));
    let settings = Settings {
        base: args.base.clone(),
        head: args.head.clone(),
        workloads,
        skips_unknown: is_default,
        threshold: args.threshold,
        isa: args.isa.0.map(|isa| isa.name().to_owned()),
        allows_other_work: args.allow_other_work,
        timeout: Duration::from_secs(args.timeout),
    };
    let outcome = watched(streams, |cancel, display| {
        run_gate(&settings, cancel, &mut |workload, rounds| {
            let place = settings.workloads.iter().position(|id| id == workload).unwrap_or(0) as f64;
            let within = (rounds as f64 / LOOKS[0] as f64).min(1.0);
            let fraction = (place + within) / settings.workloads.len() as f64;
            display.show(fraction, || format!("{workload}, round {rounds}"));
        })
    })?;
    if let Some(path) = &args.markdown {
        OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .and_then(|mut file| file.write_all(outcome.markdown().as_bytes()))
            .with_context(|| format!("cannot write the summary to {}", path.display()))?;
    }
    for skipped in &outcome.skipped {
        streams.note(skipped);
    }
    print(&outcome, args.json, streams)?;
    Ok(match outcome.verdict {
        Verdict::Pass => Exit::Fine,
        Verdict::Regression => Exit::Regression,
        Verdict::Inconclusive => Exit::Inconclusive,
    })
}

fn print(outcome: &Outcome, as_json: bool, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    if as_json {
        writeln!(streams.out, "{:#}", serde_json::to_value(outcome)?)?;
        return Ok(());
    }
    // Of one workload the last line says it all.
    for compared in outcome.workloads.iter().filter(|_| outcome.workloads.len() > 1) {
        writeln!(streams.out, "{:<12}  {}  {}", compared.verdict.word(), compared.workload, compared.reason)?;
    }
    writeln!(streams.out, "{}: {}", outcome.verdict.word(), outcome.reason)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::threshold;

    #[test]
    fn thresholds_are_percent() {
        assert_eq!(threshold("3%"), Ok(0.03));
        assert_eq!(threshold("2.5 %"), Ok(0.025));
        for wrong in ["3", "0.03", "0%", "-3%", "200%", "NaN%", "", "%", "x%"] {
            assert!(threshold(wrong).is_err(), "{wrong}");
        }
    }
}
