//! The outcome of a gate as a page for a pull request, and as a line for GitHub's runner.

use std::fmt::Write;

use super::command::Clock;
use super::outcome::{Compared, GateOutcome, Measured};
use super::verdict::{Round, Verdict};
use crate::bench::statistics::Estimate;
use crate::terminal::escape::{markdown, markdown_code, workflow_command};
use crate::terminal::units::{change, percent, seconds};

impl GateOutcome {
    /// A page for a pull request: the verdict, its reason, a table, and how to read it.
    pub(crate) fn markdown(&self) -> String {
        let mut page = format!("### nqueens bench gate: {}\n\n{}\n\n", self.verdict.word(), markdown(&self.reason));
        page += "| head | verdict | base | head | change | 95 % interval | noise | rounds |\n";
        page += "|---|---|--:|--:|--:|--:|--:|--:|\n";
        for compared in &self.commands {
            let _ = writeln!(page, "{}", row(compared));
        }
        for compared in self.commands.iter().filter(|compared| compared.measured.is_none()) {
            let _ = write!(page, "\n{}: {}\n", markdown_code(&compared.name), markdown(&compared.reason));
        }
        let clock = if self.clock == Clock::Processor { "processor" } else { "elapsed" };
        let _ = write!(
            page,
            "\nThreshold {}, {clock} time, on {}, in {:.0} s. *base* and *head* are medians. *change* is the median over \
             runs next to each other, so slow changes of the machine cancel out. *noise* is how far base differed from \
             itself: no smaller slowdown shows.\n",
            percent(self.threshold),
            markdown(&self.processor),
            self.seconds
        );
        page
    }

    /// The line that makes GitHub's runner show the verdict beside the pull request. `is_fine` says that the exit
    /// status is 0.
    pub(crate) fn workflow_command(&self, is_fine: bool) -> String {
        let kind = match self.verdict {
            Verdict::Pass => "notice",
            _ if is_fine => "warning",
            _ => "error",
        };
        format!("::{kind} title=nqueens bench gate: {}::{}", self.verdict.word(), workflow_command(&self.reason))
    }
}

/// A row of the table.
fn row(compared: &Compared) -> String {
    let (name, verdict) = (markdown_code(&compared.name), compared.verdict.word());
    let Some(Measured { judgement, rounds, .. }) = &compared.measured else {
        return format!("| {name} | {verdict} | - | - | - | - | - | - |");
    };
    let median_of = |times: fn(&Round) -> [f64; 2]| {
        seconds(Estimate::of_median(&rounds.iter().flat_map(times).collect::<Vec<_>>()).value)
    };
    let cells = [
        name,
        verdict.to_owned(),
        median_of(|round| round.base),
        median_of(|round| round.head),
        change(judgement.ratio.value),
        format!("{} to {}", change(judgement.ratio.low), change(judgement.ratio.high)),
        percent(judgement.noise),
        rounds.len().to_string(),
    ];
    format!("| {} |", cells.join(" | "))
}
