//! The outcome of a gate as a page for a pull request, as JUnit's XML, and as a line for GitHub's runner.

use std::fmt::Write;

use super::{Clock, Compared, GateOutcome, Identity};
use crate::bench::verdict::Verdict;
use crate::terminal::escape::{markdown, markdown_code, workflow_command, xml};
use crate::terminal::units::{change, percent, seconds};

impl GateOutcome {
    /// A page for a pull request: the verdict, its reason, a table, and how to read it.
    pub(crate) fn markdown(&self) -> String {
        let mut page = format!("### nqueens bench gate: {}\n\n{}\n\n", self.verdict.word(), markdown(&self.reason));
        page += "| workload | verdict | base | head | head / base | 95 % interval | noise floor | rounds | clock | instructions | work |\n";
        page += "|---|---|--:|--:|--:|--:|--:|--:|---|--:|---|\n";
        for compared in &self.workloads {
            let _ = writeln!(page, "{}", row(compared));
        }
        for compared in self.workloads.iter().filter(|compared| compared.measured.is_none()) {
            let _ =
                write!(page, "\n{}: {}\n", markdown_code(&compared.workload.to_string()), markdown(&compared.reason));
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
        page += "\n<details><summary>How to read this</summary>\n\n\
            *base* and *head* are the median times of each build. *head / base* is the median of the quotients of neighboring \
            runs: slow changes of the machine cancel out. The noise floor is how far base differed from itself. No \
            slowdown below it shows. The processor's clock stops while other programs run. Equal instructions mean that both \
            builds ran the same code; they do not show memory, caches or clocks. They decide only if times cannot.\n\n\
            </details>\n";
        page
    }

    /// Says how noisy this machine is for each workload. `None` if nothing was timed.
    pub(crate) fn noise(&self) -> Option<String> {
        let timed = self.workloads.iter().filter_map(|one| Some((&one.workload, one.measured.as_ref()?)));
        let floors: Vec<_> =
            timed.map(|(id, measured)| format!("{id} {}", percent(measured.judgement.noise_floor))).collect();
        (!floors.is_empty()).then(|| format!("noise floors, below which no slowdown shows: {}", floors.join(", ")))
    }

    /// JUnit's XML: a test case for each workload.
    pub(crate) fn junit(&self) -> String {
        let count = |verdicts: &[Verdict]| {
            self.workloads.iter().filter(|compared| verdicts.contains(&compared.verdict)).count()
        };
        let mut text = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"nqueens bench gate\" tests=\"{}\" failures=\"{}\" \
             errors=\"{}\" skipped=\"{}\" time=\"{:.3}\">\n",
            self.workloads.len(),
            count(&[Verdict::Regression, Verdict::OtherWork]),
            count(&[Verdict::Failed, Verdict::Wrong]),
            count(&[Verdict::Inconclusive, Verdict::Skipped]),
            self.seconds
        );
        for compared in &self.workloads {
            let (id, word, reason) = (compared.workload.to_string(), compared.verdict.word(), xml(&compared.reason));
            let found = match compared.verdict {
                Verdict::Pass => format!("<system-out>{reason}</system-out>"),
                Verdict::Inconclusive | Verdict::Skipped => format!("<skipped message=\"{word}: {reason}\"/>"),
                Verdict::Regression | Verdict::OtherWork => {
                    format!("<failure type=\"{word}\" message=\"{reason}\"/>")
                }
                Verdict::Failed | Verdict::Wrong => format!("<error type=\"{word}\" message=\"{reason}\"/>"),
            };
            let rounds = compared.measured.iter().flat_map(|measured| &measured.rounds);
            let times = rounds.flat_map(|round| [round.base, round.head]).flatten();
            // The sum of no rounds would be -0.
            let seconds = times.fold(0.0, |sum, seconds| sum + seconds);
            let _ = writeln!(
                text,
                "  <testcase classname=\"nqueens.gate\" name=\"{}\" time=\"{seconds:.3}\">{found}</testcase>",
                xml(&id)
            );
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
    let (id, verdict) = (markdown_code(&compared.workload.to_string()), compared.verdict.word());
    let Some(measured) = &compared.measured else {
        return format!("| {id} | {verdict} | - | - | - | - | - | 0 | - | - | - |");
    };
    let judgement = measured.judgement;
    let cells = [
        id,
        verdict.to_owned(),
        seconds(measured.median_seconds(|round| round.base)),
        seconds(measured.median_seconds(|round| round.head)),
        change(judgement.ratio.value),
        format!("{} to {}", change(judgement.ratio.low), change(judgement.ratio.high)),
        percent(judgement.noise_floor),
        measured.rounds.len().to_string(),
        if measured.clock == Clock::Processor { "processor" } else { "wall" }.to_owned(),
        match &measured.instructions {
            None => "-".to_owned(),
            Some(counted) if counted.are_equal() => "equal".to_owned(),
            Some(counted) => change(counted.ratio()),
        },
        if measured.is_equal_work() { "equal" } else { "**differs**" }.to_owned(),
    ];
    format!("| {} |", cells.join(" | "))
}

fn named(build: &Identity) -> String {
    match (&build.commit, &build.version) {
        (Some(commit), Some(version)) => format!("{} ({})", markdown(commit), markdown(version)),
        _ => markdown_code(&build.path),
    }
}
