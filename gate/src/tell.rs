//! Writes the outcome of a gate to each place that the user named: standard output, a page for a pull request, and lines
//! for GitHub's runner.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::pair::Pair;
use super::verdict::{Round, Verdict};
use super::{Args, Outcome};
use crate::bench::statistics::Estimate;
use crate::exit::Exit;
use crate::terminal::Streams;
use crate::terminal::escape::{markdown, markdown_code, terminal, workflow_command};
use crate::terminal::units::{change, percent, seconds};

/// Where the outcome goes beside standard output.
pub(super) struct Places {
    is_on_github: bool,
    /// Files to append a page to.
    pages: Vec<PathBuf>,
}

impl Places {
    /// Fails at once if a file cannot be written: the gate takes minutes.
    pub(super) fn prepare(args: &Args) -> Result<Self> {
        let is_on_github = std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
        let summary = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| is_on_github && !path.is_empty());
        let mut pages: Vec<PathBuf> = args.markdown.iter().cloned().chain(summary.map(PathBuf::from)).collect();
        pages.dedup();
        pages.iter().try_for_each(|path| append(path, ""))?;
        Ok(Self { is_on_github, pages })
    }
}

fn append(path: &Path, page: &str) -> Result<()> {
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(page.as_bytes()))
        .with_context(|| format!("cannot write the page to {}", path.display()))
}

impl Outcome {
    /// Writes the outcome to each place, even if another place fails.
    pub(super) fn tell(&self, is_json: bool, exit: Exit, places: &Places, streams: &mut Streams<'_>) -> Result<()> {
        let mut results = vec![self.print(is_json, streams)];
        results.extend(places.pages.iter().map(|path| append(path, &self.page())));
        if places.is_on_github {
            let kind = match self.verdict {
                Verdict::Pass => "notice",
                _ if exit == Exit::Fine => "warning",
                _ => "error",
            };
            let (word, reason) = (self.verdict.word(), workflow_command(&self.reason));
            // GitHub reads these lines from standard error, too. Standard output may be a file.
            let _ = writeln!(std::io::stderr(), "::{kind} title=nqueens bench gate: {word}::{reason}");
        }
        results.into_iter().collect()
    }

    fn print(&self, is_json: bool, streams: &mut Streams<'_>) -> Result<()> {
        let last = format!("{}: {}", self.verdict.word(), terminal(&self.reason));
        if is_json {
            streams.json(self)?;
            if self.verdict == Verdict::Failed { streams.complain(last) } else { streams.note(last) }
        } else {
            // The last line has all about a single command.
            for pair in self.commands.iter().filter(|_| self.commands.len() > 1) {
                let (name, reason) = (terminal(&pair.name), terminal(&pair.reason));
                writeln!(streams.out, "{}: {name}: {reason}", pair.verdict.word())?;
            }
            writeln!(streams.out, "{last}")?;
        }
        Ok(streams.out.flush()?)
    }

    /// A page for a pull request: the verdict, its reason, a table, and how to read it.
    fn page(&self) -> String {
        let mut page = format!("### nqueens bench gate: {}\n\n{}\n\n", self.verdict.word(), markdown(&self.reason));
        page += "| head | verdict | base | head | change | 95 % interval | noise | rounds |\n";
        page += "|---|---|--:|--:|--:|--:|--:|--:|\n";
        self.commands.iter().for_each(|pair| page += &row(pair));
        for pair in self.commands.iter().filter(|pair| pair.judgement.is_none()) {
            let _ = write!(page, "\n{}: {}\n", markdown_code(&pair.name), markdown(&pair.reason));
        }
        let _ = write!(
            page,
            "\nThreshold {}, {} time, on {}, in {:.0} s. *base* and *head* are medians. *change* is the median over runs \
             next to each other, so slow changes of the machine cancel out. *noise* is how far base differed from itself: \
             no smaller slowdown shows.\n",
            percent(self.threshold),
            self.clock,
            markdown(&self.processor),
            self.seconds
        );
        page
    }
}

/// A row of the table.
fn row(Pair { name, verdict, judgement, rounds, .. }: &Pair) -> String {
    let (name, verdict) = (markdown_code(name), verdict.word());
    let Some(judgement) = judgement else {
        return format!("| {name} | {verdict} | - | - | - | - | - | - |\n");
    };
    let median = |times: fn(&Round) -> [f64; 2]| {
        seconds(Estimate::of_median(&rounds.iter().flat_map(times).collect::<Vec<_>>()).value)
    };
    let (base, head, rounds) = (median(|round| round.base), median(|round| round.head), rounds.len());
    let [value, low, high] = [judgement.ratio.value, judgement.ratio.low, judgement.ratio.high].map(change);
    let noise = percent(judgement.noise);
    format!("| {name} | {verdict} | {base} | {head} | {value} | {low} to {high} | {noise} | {rounds} |\n")
}
