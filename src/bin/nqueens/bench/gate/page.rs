//! The gate's findings for other readers: a page for a pull request, JUnit's XML, lines for GitHub's runner.

use std::fmt::Write;

use super::{Compared, GateOutcome, Identity};
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
            let work = match (compared.work[0] == compared.work[1], compared.work[0].is_empty()) {
                (true, true) => "-",
                (true, false) => "equal",
                (false, _) => "**differs**",
            };
            let processor =
                compared.processor.map_or_else(|| "-".to_owned(), |judgement| change(judgement.ratio.value));
            let times = times_in_cells(compared);
            let id = markdown_code(&compared.workload.to_string());
            let _ = writeln!(
                page,
                "| {id} | {} |{times} | {processor} | {} | {work} |",
                compared.verdict.word(),
                instructions_in_words(compared)
            );
        }
        for id in &self.unfinished {
            let _ = writeln!(
                page,
                "| {} | not measured | - | - | - | - | - | 0 | - | - | - |",
                markdown_code(&id.to_string())
            );
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
            *base* and *head* are the medians of each build's times. *head / base* is not their quotient: it is the median \
            of the quotients of runs that followed each other, so that what the machine did meanwhile, slowly, to both \
            cancels out. The noise floor is how far base differed from itself. *processor time* is the same quotient by the \
            processor's clock, which stands still while other programs run. Equal instructions say that the same code ran; \
            they do not see memory, caches or clocks. Both decide only where times cannot.\n\n</details>\n";
        page
    }

    /// Which workloads this machine is quiet enough for, in a sentence; `None` where nothing was timed.
    pub(crate) fn usable(&self) -> Option<String> {
        let list = |is_usable: bool| {
            let those = self.workloads.iter().filter(|compared| compared.is_usable == Some(is_usable));
            let noise = |compared: &Compared| compared.judgement.map_or(0.0, |judgement| judgement.noise_floor);
            those.map(|one| format!("{} ({})", one.workload, percent(noise(one)))).collect::<Vec<_>>().join(", ")
        };
        let (usable, noisy) = (list(true), list(false));
        let threshold = percent(self.threshold);
        match (usable.is_empty(), noisy.is_empty()) {
            (true, true) => None,
            (false, true) => Some(format!("usable here with a threshold of {threshold}, by noise floor: {usable}")),
            (true, false) => Some(format!("too noisy here for a threshold of {threshold}, by noise floor: {noisy}")),
            (false, false) => Some(format!(
                "usable here with a threshold of {threshold}, by noise floor: {usable}; too noisy for it: {noisy}"
            )),
        }
    }

    /// JUnit's XML: a test case for each workload.
    pub(crate) fn junit(&self) -> String {
        let count = |verdicts: &[Verdict]| {
            self.workloads.iter().filter(|compared| verdicts.contains(&compared.verdict)).count()
        };
        let none_measured = usize::from(self.workloads.is_empty() && self.verdict == Verdict::Failed);
        let mut text = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"nqueens bench gate\" tests=\"{}\" failures=\"{}\" \
             errors=\"{}\" skipped=\"{}\" time=\"{:.3}\">\n",
            self.workloads.len() + self.unfinished.len() + none_measured,
            count(&[Verdict::Regression, Verdict::OtherWork]),
            count(&[Verdict::Failed, Verdict::Wrong]) + none_measured,
            count(&[Verdict::Inconclusive]) + self.unfinished.len(),
            self.seconds
        );
        let mut case = |name: &str, verdict: &str, element: Option<&str>, reason: &str, seconds: f64| {
            let _ =
                write!(text, "  <testcase classname=\"nqueens.regress\" name=\"{}\" time=\"{seconds:.3}\">", xml(name));
            let _ = match element {
                None => write!(text, "<system-out>{}</system-out>", xml(reason)),
                Some("skipped") => write!(text, "<skipped message=\"{}: {}\"/>", xml(verdict), xml(reason)),
                Some(element) => {
                    write!(text, "<{element} type=\"{}\" message=\"{}\"/>", xml(verdict), xml(reason))
                }
            };
            text += "</testcase>\n";
        };
        for compared in &self.workloads {
            let element = match compared.verdict {
                Verdict::Pass => None,
                Verdict::Inconclusive => Some("skipped"),
                Verdict::Regression | Verdict::OtherWork => Some("failure"),
                Verdict::Failed | Verdict::Wrong => Some("error"),
            };
            let spent = compared.rounds.iter().flat_map(|round| [round.base, round.head]).flatten();
            // Not a sum, which would be -0 where there are none.
            let spent = spent.fold(0.0, |sum, seconds| sum + seconds);
            case(&compared.workload.to_string(), compared.verdict.word(), element, &compared.reason, spent);
        }
        for id in &self.unfinished {
            case(&id.to_string(), "not measured", Some("skipped"), &self.reason, 0.0);
        }
        if none_measured > 0 {
            case("all", self.verdict.word(), Some("error"), &self.reason, 0.0);
        }
        text + "</testsuite>\n"
    }

    /// The line that makes GitHub's runner show the verdict beside the pull request. `tolerates` is whether a verdict of
    /// inconclusive is no failure.
    pub(crate) fn workflow_command(&self, tolerates: bool) -> String {
        let kind = match self.verdict {
            Verdict::Pass => "notice",
            Verdict::Inconclusive if tolerates => "warning",
            _ => "error",
        };
        format!("::{kind} title=nqueens bench gate: {}::{}", self.verdict.word(), workflow_command(&self.reason))
    }
}

fn times_in_cells(compared: &Compared) -> String {
    let Some(judgement) = compared.judgement else { return " - | - | - | - | - | 0".to_owned() };
    format!(
        " {} | {} | {} | {} to {} | {} | {}",
        seconds(compared.median_seconds(|round| round.base)),
        seconds(compared.median_seconds(|round| round.head)),
        change(judgement.ratio.value),
        change(judgement.ratio.low),
        change(judgement.ratio.high),
        percent(judgement.noise_floor),
        compared.rounds.len()
    )
}

fn instructions_in_words(compared: &Compared) -> String {
    compared.instructions.as_ref().map_or_else(
        || "-".to_owned(),
        |instructions| {
            let change = if instructions.are_equal() { "equal".to_owned() } else { change(instructions.ratio()) };
            format!("{change} ({})", instructions.source)
        },
    )
}

fn named(build: &Identity) -> String {
    match (&build.commit, &build.version) {
        (Some(commit), Some(version)) => format!("{} ({})", markdown(commit), markdown(version)),
        _ => markdown_code(&build.path),
    }
}
