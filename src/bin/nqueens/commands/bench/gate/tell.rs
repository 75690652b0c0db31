//! Tells what a gate found, wherever somebody wants to have it.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::{Args, GateFormat, Inconclusive};
use crate::bench::gate::task::Task;
use crate::bench::gate::{GateOutcome, GateProgress};
use crate::bench::verdict::{LOOKS, Verdict};
use crate::terminal::Streams;
use crate::terminal::duration::in_words;
use crate::terminal::escape::{json, terminal};
use crate::terminal::progress::Display;

/// Tells the outcome wherever somebody wants to have it: each place is tried, whatever becomes of the others.
pub(crate) fn tell(outcome: &GateOutcome, args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let format = if args.json { GateFormat::Json } else { args.format };
    let printed = print(outcome, format, streams);
    if format != GateFormat::Text {
        let line = format!("{}: {}", outcome.verdict.word(), outcome.reason);
        if outcome.verdict > Verdict::Regression { streams.complain(line) } else { streams.note(line) }
    } else if outcome.partial {
        streams.note("this is a part of the result: not everything was measured");
    }
    let mut results = vec![printed];
    let summary = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()).map(PathBuf::from);
    let is_on_github = std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
    let mut pages: Vec<&Path> = args.markdown.iter().map(PathBuf::as_path).collect();
    pages.extend(summary.as_deref().filter(|path| is_on_github && args.markdown.as_deref() != Some(*path)));
    for path in pages {
        let file = OpenOptions::new().create(true).append(true).open(path);
        results.push(
            file.and_then(|mut file| file.write_all(outcome.markdown().as_bytes()))
                .with_context(|| format!("cannot write the summary to {}", path.display())),
        );
    }
    if let Some(path) = &args.junit {
        let kept = crate::terminal::kept::Kept::prepare(path, "the verdicts");
        results.push(kept.and_then(|kept| kept.write(&outcome.junit())));
    }
    if is_on_github {
        // The runner reads these lines from both streams; standard output may be a file.
        let _ = writeln!(std::io::stderr(), "{}", outcome.workflow_command(args.inconclusive != Inconclusive::Fail));
    }
    results.into_iter().collect()
}

fn print(outcome: &GateOutcome, format: GateFormat, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    match format {
        GateFormat::Json => writeln!(streams.out, "{}", json(&format!("{:#}", serde_json::to_value(outcome)?)))?,
        GateFormat::Markdown => streams.out.write_all(outcome.markdown().as_bytes())?,
        GateFormat::Junit => streams.out.write_all(outcome.junit().as_bytes())?,
        GateFormat::Text => {
            // Of one workload the last line says it all.
            for compared in outcome.workloads.iter().filter(|_| outcome.workloads.len() > 1) {
                let reason = terminal(&compared.reason);
                writeln!(streams.out, "{:<12}  {}  {reason}", compared.verdict.word(), compared.workload)?;
            }
            if let Some(usable) = outcome.usable() {
                writeln!(streams.out, "{}", terminal(&usable))?;
            }
            writeln!(streams.out, "{}: {}", outcome.verdict.word(), terminal(&outcome.reason))?;
        }
    }
    streams.out.flush()?;
    Ok(())
}

pub(crate) fn show(progress: GateProgress<'_>, tasks: &[Task], display: &mut Display, streams: &Streams<'_>) {
    match progress {
        GateProgress::Planned { least, most } => streams.note(format_args!(
            "both builds ran everything once; expected: about {} on a machine at rest, at most {}",
            in_words(least.as_secs_f64()),
            in_words(most.as_secs_f64())
        )),
        GateProgress::Round { task, rounds } => {
            let place = tasks.iter().position(|each| each == task).unwrap_or(0) as f64;
            let within = (rounds as f64 / LOOKS[0] as f64).min(1.0);
            let fraction = (place + within) / tasks.len() as f64;
            display.show(fraction, || format!("{task}, round {rounds}"));
        }
    }
}
