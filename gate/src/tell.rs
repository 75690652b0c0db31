//! Writes the outcome of a gate to each place that the user named: standard output, a page for a pull request,
//! and lines for GitHub's runner.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::gate::Gate;
use crate::judge::{Clock, Measurement, Round, Run};
use crate::notes::{Notes, say};
use crate::options::Args;
use crate::statistics::Estimate;
use crate::verdict::Verdict;
use n_queens_terminal::escape::{self, markdown, markdown_code, terminal, workflow_command, workflow_property};
use n_queens_terminal::path::open_output;
use n_queens_terminal::units::{change, nine_digits, percent, seconds};

/// Where the outcome goes beside standard output.
pub(crate) struct Places {
    is_on_github: bool,
    /// Files to append a page to.
    pages: Vec<PathBuf>,
}

impl Places {
    /// Fails at once if a file cannot be written: the gate takes minutes.
    pub(crate) fn of(args: &Args) -> io::Result<Self> {
        let is_on_github = std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
        let summary = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| is_on_github && !path.is_empty());
        let mut pages: Vec<PathBuf> = args.markdown.iter().cloned().chain(summary.map(PathBuf::from)).collect();
        pages.dedup();
        pages.iter().try_for_each(|path| append(path, ""))?;
        Ok(Self { is_on_github, pages })
    }

    /// Writes the outcome to each place, even if another place fails.
    pub(crate) fn tell(&self, gate: &Gate<'_>, notes: &Notes<'_>, out: &mut dyn Write) -> io::Result<()> {
        let (verdict, reason) = (gate.verdict, &gate.reason);
        let last = format!("{}: {}", verdict.word(), terminal(reason));
        let printed = if gate.args.json {
            if matches!(verdict, Verdict::Failed | Verdict::NotCompared) {
                say("error", &last)
            } else {
                notes.note(&last)
            }
            writeln!(out, "{}", gate.json())
        } else {
            writeln!(out, "{}{last}", gate.table())
        };
        let printed = match printed.and_then(|()| out.flush()) {
            // The reader has what it wanted.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            // Who writes may have said so.
            Err(error) if !error.to_string().contains("standard output") => {
                Err(io::Error::new(error.kind(), format!("cannot write to standard output: {error}")))
            }
            printed => printed,
        };
        let mut results = vec![printed];
        results.extend(self.pages.iter().map(|path| append(path, &gate.page())));
        if self.is_on_github {
            let kind = match verdict {
                Verdict::Pass => "notice",
                _ if verdict.status(gate.args.allow_inconclusive) == 0 => "warning",
                _ => "error",
            };
            // GitHub reads these lines from standard error, too. Standard output may be a file.
            let title = workflow_property(&format!("abgate: {}", verdict.word()));
            let line = format!("::{kind} title={title}::{}\n", workflow_command(reason));
            let _ = io::stderr().write_all(line.as_bytes());
        }
        results.into_iter().collect()
    }
}

fn append(path: &Path, page: &str) -> io::Result<()> {
    let file = open_output(path, OpenOptions::new().create(true).append(true));
    file.and_then(|mut file| file.write_all(page.as_bytes()))
        .map_err(|error| io::Error::new(error.kind(), format!("cannot write the page to {}: {error}", path.display())))
}

/// A JSON object of members that are JSON already.
fn object(members: &[(&str, String)]) -> String {
    let members: Vec<_> = members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}", members.join(","))
}

/// A JSON list of values that are JSON already.
fn list(values: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", values.into_iter().collect::<Vec<_>>().join(","))
}

/// A JSON string.
fn string(text: &str) -> String {
    let escaped = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c < ' ' => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    };
    escape::json(&format!("\"{}\"", text.chars().map(escaped).collect::<String>()))
}

/// A JSON number with at most nine digits after the point.
fn number(value: f64) -> String {
    if value.is_finite() { nine_digits(value).to_string() } else { "null".to_owned() }
}

impl Gate<'_> {
    /// Everything that was measured, as JSON.
    fn json(&self) -> String {
        let mut members = vec![
            // It changes when a reader of the old format would misread the new one.
            ("schema", "2".to_owned()),
            ("kind", string("abgate")),
            ("verdict", string(self.verdict.name())),
            ("reason", string(&self.reason)),
            ("threshold", number(self.args.threshold)),
            ("clock", self.args.clock.map_or("null".to_owned(), |clock| string(clock.name()))),
            ("seconds", number(self.seconds)),
            ("base", string(&self.args.base.to_string())),
            ("head", string(&self.args.head.to_string())),
            ("remarks", list(self.remarks.iter().map(|remark| string(remark)))),
        ];
        members.extend(self.measurements.iter().map(|one| (one.clock.name(), json_of(one))));
        members.push(("rounds", list(self.rounds.iter().map(json_of_round))));
        object(&members)
    }

    /// A line for each clock below a line of names, if there were enough rounds.
    fn table(&self) -> String {
        let row = |[clock, base, head, value, interval, mean, fastest, noise]: [String; 8]| {
            format!(
                "{clock:<9}  {base:>9}  {head:>9}  {value:>8}  {interval:>18}  {mean:>8}  {fastest:>8}  {noise:>7}\n"
            )
        };
        let cells = |one: &Measurement| {
            let Estimate { value, low, high } = one.ratio;
            row([
                one.clock.name().to_owned(),
                seconds(one.base),
                seconds(one.head),
                change(value),
                format!("{} to {}", change(low), change(high)),
                change(one.mean),
                change(one.fastest),
                percent(one.noise),
            ])
        };
        let names = ["", "base", "head", "change", "95 % interval", "mean", "fastest", "noise"].map(str::to_owned);
        let rows: String = self.measurements.iter().map(cells).collect();
        if rows.is_empty() { rows } else { row(names) + &rows }
    }

    /// A page for a pull request: the verdict, its reason, the table, and how to read it.
    fn page(&self) -> String {
        let [base, head] = [&self.args.base, &self.args.head].map(|command| markdown_code(&command.to_string()));
        let mut page = format!("### abgate: {}\n\n{}\n\n", self.verdict.word(), markdown(&self.reason));
        page += &format!("Base {base}, head {head}.\n\n");
        if !self.measurements.is_empty() {
            page += &format!("```text\n{}```\n\n", self.table());
            page += "*base* and *head* are medians. *change* is the median over runs next to each other, so slow changes of \
                     the machine cancel out. *mean* is the change of the mean: it shows whether some runs are much slower. \
                     *noise* is how far base differed from itself.\n\n";
        }
        self.remarks.iter().for_each(|remark| page += &format!("{}.\n\n", markdown(remark)));
        page + &format!("Threshold {}, in {:.0} s.\n", percent(self.args.threshold), self.seconds)
    }
}

fn json_of(one: &Measurement) -> String {
    let Estimate { value, low, high } = one.ratio;
    let ratio = [("value", value), ("low", low), ("high", high)].map(|(name, end)| (name, number(end)));
    object(&[
        ("base", number(one.base)),
        ("head", number(one.head)),
        ("ratio", object(&ratio)),
        ("mean", number(one.mean)),
        ("fastest", number(one.fastest)),
        ("noise", number(one.noise)),
    ])
}

fn json_of_round(round: &Round) -> String {
    let of = |runs: [Run; 2]| {
        object(&Clock::BOTH.map(|clock| (clock.name(), list(runs.map(|run| number(run.times[clock as usize]))))))
    };
    object(&[("base", of(round.base)), ("head", of(round.head))])
}
