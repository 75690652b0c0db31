//! Writes the outcome of a gate: to standard output, to a page for a pull request, and as one line for GitHub's runner.

use std::fs::OpenOptions;
use std::io::{self, Write};

use crate::gate::{Gate, Pair};
use crate::judge::{Clock, Measurement, Run, ascending};
use crate::notes::{Notes, say};
use crate::options::Args;
use crate::statistics::{Estimate, quantile};
use crate::verdict::Verdict;
use n_queens_terminal::escape::{
    self, markdown, markdown_code, shortened, terminal, workflow_command, workflow_property,
};
use n_queens_terminal::path::open_output;
use n_queens_terminal::units::{change, percent, plural, seconds};
use serde_json::{Value, json};

/// Appends to the page, if there is one.
pub(crate) fn append_page(args: &Args, text: &str) -> io::Result<()> {
    let Some(path) = &args.markdown else { return Ok(()) };
    let file = open_output(path, OpenOptions::new().create(true).append(true));
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| io::Error::new(error.kind(), format!("cannot write the page to {}: {error}", path.display())))
}

impl Pair {
    /// The peak memory of the base and of the head, in bytes, if there were rounds.
    fn memory(&self) -> Option<[f64; 2]> {
        let is_measured = !self.rounds.all.is_empty();
        is_measured.then(|| ascending(&self.rounds.all, |run| run.memory).map(|sizes| quantile(&sizes, 0.5)))
    }

    fn json(&self) -> Value {
        let by = |clock: Clock| {
            let one = self.judgement.as_ref()?.measurements.iter().find(|one| one.clock == clock)?;
            let Estimate { value, low, high } = one.ratio;
            let ratio = json!({ "value": value, "low": low, "high": high });
            let Measurement { base, head, mean, fast, noise, .. } = one;
            Some(json!({ "base": base, "head": head, "ratio": ratio, "mean": mean, "fast": fast, "noise": noise }))
        };
        let of = |runs: [Run; 2]| {
            let [processor, elapsed, wall] = [0, 1, 2].map(|clock| runs.map(|run| run.times[clock]));
            json!({ "processor": processor, "elapsed": elapsed, "wall": wall, "waits": runs.map(|run| run.waits) })
        };
        let rounds = self.rounds.all.iter().map(|round| json!({ "base": of(round.base), "head": of(round.head) }));
        json!({
            "name": self.name,
            "base": self.base.to_string(),
            "head": self.head.to_string(),
            "verdict": self.verdict().name(),
            "reason": self.reason(),
            "processor": by(Clock::Processor),
            "elapsed": by(Clock::Elapsed),
            "wall": by(Clock::Wall),
            "memory": self.memory().map(|[base, head]| json!({ "base": base, "head": head })),
            "rounds": rounds.collect::<Vec<_>>(),
        })
    }
}

impl Gate<'_> {
    /// Writes the outcome to each place, even if another place fails.
    pub(crate) fn tell(&self, notes: &Notes, out: &mut dyn Write) -> io::Result<()> {
        let verdict = self.verdict();
        let lines = self.lines();
        let told: Vec<String> = lines.iter().map(|line| terminal(line)).collect();
        let printed = if self.args.json {
            let is_error = matches!(verdict, Verdict::Failed | Verdict::NotCompared);
            told.iter().for_each(|line| if is_error { say("error", line) } else { notes.note(line) });
            writeln!(out, "{}", escape::json(&self.json().to_string()))
        } else {
            writeln!(out, "{}{}", self.table(), told.join("\n"))
        };
        let printed = match printed.and_then(|()| out.flush()) {
            // The reader has what it wanted.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            Err(error) => Err(io::Error::new(error.kind(), format!("cannot write to standard output: {error}"))),
            Ok(()) => Ok(()),
        };
        if std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true") {
            let kind = match verdict {
                Verdict::Pass | Verdict::Skipped => "notice",
                _ if self.status() == 0 => "warning",
                _ => "error",
            };
            // GitHub reads this line from standard error, too. Standard output may be a file.
            let title = workflow_property(&format!("abgate: {}", verdict.name()));
            let line = format!("::{kind} title={title}::{}\n", workflow_command(&lines.join("; ")));
            let _ = io::stderr().write_all(line.as_bytes());
        }
        let written = append_page(self.args, &self.page(&lines));
        printed.and(written)
    }

    /// A line for each pair that does not pass, and a last line with the worst verdict. A pair without name has only
    /// its line.
    fn lines(&self) -> Vec<String> {
        if let [Pair { name, .. }] = &self.pairs[..]
            && name.is_empty()
        {
            return vec![format!("{}: {}", self.verdict().name(), self.pairs[0].reason())];
        }
        let told = self.pairs.iter().filter(|pair| pair.verdict() != Verdict::Pass);
        let mut lines: Vec<String> =
            told.map(|pair| format!("{}: {}: {}", pair.verdict().name(), pair.name, pair.reason())).collect();
        let verdict = self.verdict();
        let count = self.pairs.iter().filter(|pair| pair.verdict() == verdict).count();
        lines.push(format!("{}: {count} of {}", verdict.name(), plural(self.pairs.len(), "command")));
        lines
    }

    /// Lines for each pair below a line of names: one for each clock. A single pair needs no name, and has its verdict below.
    fn table(&self) -> String {
        /// The longest name, in characters.
        const LONGEST: usize = 40;
        let is_named = self.pairs.iter().any(|pair| !pair.name.is_empty());
        let names: Vec<String> = self.pairs.iter().map(|pair| terminal(&shortened(&pair.name, LONGEST))).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max("command".len());
        let row = |name: &str, cells: [&str; 7], verdict: &str| {
            let [clock, base, head, value, interval, noise, memory] = cells;
            let name = if is_named { format!("{name:<width$}  ") } else { String::new() };
            let row = format!(
                "{name}{clock:<9}  {base:>9}  {head:>9}  {value:>8}  {interval:>18}  {noise:>7}  {memory:>20}  {verdict}"
            );
            row.trim_end().to_owned() + "\n"
        };
        let mut rows = String::new();
        for (pair, name) in self.pairs.iter().zip(&names) {
            let measurements = pair.judgement.as_ref().map_or(&[][..], |judgement| &judgement.measurements);
            let [mut name, mut verdict] = [name, pair.verdict().name()];
            let mut memory = pair.memory().map_or(String::new(), |[base, head]| {
                format!("{:.1} MiB ({})", head / f64::from(1 << 20), change(head / base))
            });
            if measurements.is_empty() && is_named {
                rows += &row(name, [""; 7], verdict);
            }
            for one in measurements {
                let Estimate { value, low, high } = one.ratio;
                let interval = format!("{} to {}", change(low), change(high));
                let [base, head] = [one.base, one.head].map(seconds);
                let (value, noise) = (change(value), percent(one.noise));
                rows += &row(name, [one.clock.name(), &base, &head, &value, &interval, &noise, &memory], verdict);
                (name, verdict) = ("", "");
                memory.clear();
            }
        }
        let names = ["clock", "base", "head", "change", "interval", "noise", "peak memory"];
        if rows.is_empty() { rows } else { row("command", names, "verdict") + &rows }
    }

    /// A page for a pull request: the verdict, its reasons, the table, and how to read it.
    fn page(&self, lines: &[String]) -> String {
        let [base, head] = [&self.args.base, &self.args.head].map(|command| markdown_code(command));
        let mut page = format!("### abgate: {}\n\n", self.verdict().name());
        lines.iter().for_each(|line| page += &format!("{}\n\n", markdown(line)));
        page += &format!("Base {base}, head {head}.\n\n");
        let table = self.table();
        if !table.is_empty() {
            page += &format!("```text\n{table}```\n\n");
            page += "*base* and *head* are medians. *change* is the median over runs next to each other, so slow changes of \
                     the machine cancel out. *noise* is how far base differed from itself.\n\n";
        }
        self.remarks.iter().for_each(|remark| page += &format!("{}.\n\n", markdown(remark)));
        page + &format!("Threshold {}, in {:.0} s.\n", percent(self.args.threshold), self.seconds)
    }

    /// Everything that was measured.
    fn json(&self) -> Value {
        json!({
            // It changes when a reader of the old format would misread the new one.
            "schema": 3,
            "kind": "abgate",
            "verdict": self.verdict().name(),
            "threshold": self.args.threshold,
            "clock": self.args.clock.map(Clock::name),
            "seconds": self.seconds,
            "remarks": self.remarks,
            "pairs": self.pairs.iter().map(Pair::json).collect::<Vec<_>>(),
        })
    }
}
