//! Writes the outcome of a gate to each place that the user named.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::Args;
use crate::bench::gate::GateOutcome;
use crate::bench::verdict::Verdict;
use crate::terminal::Streams;
use crate::terminal::escape::{json, terminal};
use crate::terminal::kept::Kept;

/// The files that the outcome goes to.
pub(crate) struct Places {
    is_on_github: bool,
    /// Pages to append to.
    pages: Vec<PathBuf>,
    junit: Option<Kept>,
}

impl Places {
    /// Fails at once if a file cannot be written: the gate takes minutes.
    pub(crate) fn prepare(args: &Args) -> anyhow::Result<Self> {
        let is_on_github = std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
        let summary = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| is_on_github && !path.is_empty());
        let mut pages: Vec<PathBuf> = args.markdown.iter().cloned().chain(summary.map(PathBuf::from)).collect();
        pages.dedup();
        pages.iter().try_for_each(|path| append(path, ""))?;
        let junit = args.junit.as_ref().map(|path| Kept::prepare(path, "the verdicts")).transpose()?;
        Ok(Self { is_on_github, pages, junit })
    }
}

/// Writes the outcome to each place, even if another place fails.
pub(crate) fn tell(
    outcome: &GateOutcome,
    args: &Args,
    places: Places,
    streams: &mut Streams<'_>,
) -> anyhow::Result<()> {
    let mut results = vec![print(outcome, args.json, streams)];
    results.extend(places.pages.iter().map(|path| append(path, &outcome.markdown())));
    results.extend(places.junit.map(|kept| kept.write(&outcome.junit())));
    if places.is_on_github {
        // GitHub reads these lines from standard error, too. Standard output may be a file.
        let line = outcome.workflow_command(args.allow_inconclusive);
        let _ = writeln!(std::io::stderr(), "{line}");
    }
    results.into_iter().collect()
}

fn append(path: &Path, page: &str) -> anyhow::Result<()> {
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(page.as_bytes()))
        .with_context(|| format!("cannot write the summary to {}", path.display()))
}

fn print(outcome: &GateOutcome, is_json: bool, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let last = format!("{}: {}", outcome.verdict.word(), terminal(&outcome.reason));
    if is_json {
        writeln!(streams.out, "{}", json(&format!("{:#}", serde_json::to_value(outcome)?)))?;
        if outcome.verdict > Verdict::Regression { streams.complain(last) } else { streams.note(last) }
    } else {
        // The last line has all about one workload.
        for compared in outcome.workloads.iter().filter(|_| outcome.workloads.len() > 1) {
            let reason = terminal(&compared.reason);
            writeln!(streams.out, "{:<12}  {}  {reason}", compared.verdict.word(), compared.workload)?;
        }
        if let Some(noise) = outcome.noise() {
            writeln!(streams.out, "{noise}")?;
        }
        writeln!(streams.out, "{last}")?;
    }
    streams.out.flush()?;
    Ok(())
}
