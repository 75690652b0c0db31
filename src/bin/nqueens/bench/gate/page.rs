//! The outcome of a gate as a page for a pull request, as JUnit's XML, and as a line for GitHub's runner.

use std::fmt::Write;

use super::{Compared, GateOutcome, Identity};
use crate::bench::WorkloadId;
use crate::bench::verdict::Verdict;
use crate::terminal::escape::{markdown, markdown_code, workflow_command, xml};
use crate::terminal::units::{change, percent, seconds};

impl GateOutcome {
    /// A page for a pull request: the verdict, its reason, a table, and how to read it.
    pub(crate) fn markdown(&self) -> String {
        let partial = if self.partial { " (partial)" } else { "" };
        let mut page =
            format!("### nqueens bench gate: {}{partial}\n\n{}\n\n", self.verdict.word(), markdown(&self.reason));
        if !self.workloads.is_empty() {
            page += "| workload | verdict | base | head | head / base | 95 % interval | noise floor | rounds | processor time | instructions | work |\n";
            page += "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|\n";
        }
        for compared in &self.workloads {
            let _ = writeln!(page, "{}", row(compared));
        }
        for id in &self.unfinished {
            let id = markdown_code(&id.to_string());
            let _ = writeln!(page, "| {id} | not measured | - | - | - | - | - | 0 | - | - | - |");
        }
        for skipped in &self.skipped {
            let _ = write!(page, "\n{}\n", markdown(skipped));
        }
        let _ = write!(
            page,
            "\nbase {}, head {}, threshold {}, on {} with {} usable CPUs, in {:.0} s.\n",
            named(&self.base),
            named(&self.head),
            percent(self.threshold),
            markdown(&self.machine.cpu_model),
            self.machine.usable_cpus,
            self.seconds
        );
        if let Some(usable) = self.usable() {
            let _ = write!(page, "\n{}\n", markdown(&usable));
        }
        page += "\n<details><summary>How to read this</summary>\n\n\
            *base* and *head* are the median times of each build. *head / base* is the median of the quotients of neighboring \
            runs: slow changes of the machine cancel out. The noise floor is how far base differed from itself. *processor \
            time* is the quotient by the processor's clock, which stops while other programs run. Equal instructions mean \
            that both builds ran the same code; they do not show memory, caches or clocks. Processor time and instructions \
            decide only if times cannot.\n\n</details>\n";
        page
    }

    /// Lists the workloads for which this machine is quiet enough, and the others. `None` if nothing was timed.
    pub(crate) fn usable(&self) -> Option<String> {
        let list = |is_usable: bool| {
            let those = self.workloads.iter().filter(|compared| compared.is_usable == Some(is_usable));
            let noise = |compared: &Compared| compared.judgement.map_or(0.0, |judgement| judgement.noise_floor);
            those.map(|one| format!("{} ({})", one.workload, percent(noise(one)))).collect::<Vec<_>>().join(", ")
        };
        let threshold = percent(self.threshold);
        let mut parts = Vec::new();
        for (words, those) in [("usable here with", list(true)), ("too noisy here for", list(false))] {
            if !those.is_empty() {
                parts.push(format!("{words} a threshold of {threshold}, by noise floor: {those}"));
            }
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// JUnit's XML: a test case for each workload.
    pub(crate) fn junit(&self) -> String {
        let count = |verdicts: &[Verdict]| {
            self.workloads.iter().filter(|compared| verdicts.contains(&compared.verdict)).count()
        };
        let mut text = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"nqueens bench gate\" tests=\"{}\" failures=\"{}\" \
             errors=\"{}\" skipped=\"{}\" time=\"{:.3}\">\n",
            self.workloads.len() + self.unfinished.len(),
            count(&[Verdict::Regression, Verdict::OtherWork]),
            count(&[Verdict::Failed, Verdict::Wrong]),
            count(&[Verdict::Inconclusive]) + self.unfinished.len(),
            self.seconds
        );
        let mut case = |id: &WorkloadId, seconds: f64, found: &str| {
            let _ = writeln!(
                text,
                "  <testcase classname=\"nqueens.regress\" name=\"{}\" time=\"{seconds:.3}\">{found}</testcase>",
                xml(&id.to_string())
            );
        };
        for compared in &self.workloads {
            let (word, reason) = (compared.verdict.word(), xml(&compared.reason));
            let found = match compared.verdict {
                Verdict::Pass => format!("<system-out>{reason}</system-out>"),
                Verdict::Inconclusive => format!("<skipped message=\"{word}: {reason}\"/>"),
                Verdict::Regression | Verdict::OtherWork => {
                    format!("<failure type=\"{word}\" message=\"{reason}\"/>")
                }
                Verdict::Failed | Verdict::Wrong => format!("<error type=\"{word}\" message=\"{reason}\"/>"),
            };
            let times = compared.rounds.iter().flat_map(|round| [round.base, round.head]).flatten();
            // The sum of no rounds would be -0.
            case(&compared.workload, times.fold(0.0, |sum, seconds| sum + seconds), &found);
        }
        for id in &self.unfinished {
            case(id, 0.0, &format!("<skipped message=\"not measured: {}\"/>", xml(&self.reason)));
        }
        text + "</testsuite>\n"
    }

    /// The line that makes GitHub's runner show the verdict beside the pull request. `tolerates` says that an
    /// inconclusive verdict is only a warning.
    pub(crate) fn workflow_command(&self, tolerates: bool) -> String {
        let kind = match self.verdict {
            Verdict::Pass => "notice",
            Verdict::Inconclusive if tolerates => "warning",
            _ => "error",
        };
        format!("::{kind} title=nqueens bench gate: {}::{}", self.verdict.word(), workflow_command(&self.reason))
    }
}

/// A workload's row of the table.
fn row(compared: &Compared) -> String {
    let mut cells = vec![markdown_code(&compared.workload.to_string()), compared.verdict.word().to_owned()];
    match compared.judgement {
        None => cells.extend(["-", "-", "-", "-", "-", "0"].map(str::to_owned)),
        Some(judgement) => cells.extend([
            seconds(compared.median_seconds(|round| round.base)),
            seconds(compared.median_seconds(|round| round.head)),
            change(judgement.ratio.value),
            format!("{} to {}", change(judgement.ratio.low), change(judgement.ratio.high)),
            percent(judgement.noise_floor),
            compared.rounds.len().to_string(),
        ]),
    }
    let unknown = || "-".to_owned();
    cells.push(compared.processor.map_or_else(unknown, |processor| change(processor.ratio.value)));
    cells.push(compared.instructions.as_ref().map_or_else(unknown, |counted| {
        let change = if counted.are_equal() { "equal".to_owned() } else { change(counted.ratio()) };
        format!("{change} ({})", counted.source)
    }));
    let [base, head] = &compared.work;
    cells.push(match base == head {
        true if base.is_empty() => unknown(),
        true => "equal".to_owned(),
        false => "**differs**".to_owned(),
    });
    format!("| {} |", cells.join(" | "))
}

fn named(build: &Identity) -> String {
    match (&build.commit, &build.version) {
        (Some(commit), Some(version)) => format!("{} ({})", markdown(commit), markdown(version)),
        _ => markdown_code(&build.path),
    }
}
