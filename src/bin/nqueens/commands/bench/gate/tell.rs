//! Writes the outcome of a gate to each place that the user named.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::Args;
use crate::bench::gate::{GateOutcome, Verdict};
use crate::exit::Exit;
use crate::terminal::Streams;
use crate::terminal::escape::terminal;

/// The files that the outcome goes to.
pub(crate) struct Places {
    is_on_github: bool,
    /// Pages to append to.
    pages: Vec<PathBuf>,
}

impl Places {
    /// Fails at once if a file cannot be written: the gate takes minutes.
    pub(crate) fn prepare(args: &Args) -> anyhow::Result<Self> {
        let is_on_github = std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
        let summary = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| is_on_github && !path.is_empty());
        let mut pages: Vec<PathBuf> = args.markdown.iter().cloned().chain(summary.map(PathBuf::from)).collect();
        pages.dedup();
        pages.iter().try_for_each(|path| append(path, ""))?;
        Ok(Self { is_on_github, pages })
    }
}

/// Writes the outcome to each place, even if another place fails.
pub(crate) fn tell(
    outcome: &GateOutcome,
    is_json: bool,
    exit: Exit,
    places: Places,
    streams: &mut Streams<'_>,
) -> anyhow::Result<()> {
    let mut results = vec![print(outcome, is_json, streams)];
    results.extend(places.pages.iter().map(|path| append(path, &outcome.markdown())));
    if places.is_on_github {
        // GitHub reads these lines from standard error, too. Standard output may be a file.
        let _ = writeln!(std::io::stderr(), "{}", outcome.workflow_command(exit == Exit::Fine));
    }
    results.into_iter().collect()
}

fn append(path: &Path, page: &str) -> anyhow::Result<()> {
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(page.as_bytes()))
        .with_context(|| format!("cannot write the page to {}", path.display()))
}

fn print(outcome: &GateOutcome, is_json: bool, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let last = format!("{}: {}", outcome.verdict.word(), terminal(&outcome.reason));
    if is_json {
        streams.json(outcome)?;
        if outcome.verdict == Verdict::Failed { streams.complain(last) } else { streams.note(last) }
    } else {
        // The last line has all about a single command.
        for compared in outcome.commands.iter().filter(|_| outcome.commands.len() > 1) {
            let (name, reason) = (terminal(&compared.name), terminal(&compared.reason));
            writeln!(streams.out, "{}: {name}: {reason}", compared.verdict.word())?;
        }
        writeln!(streams.out, "{last}")?;
    }
    streams.out.flush()?;
    Ok(())
}
