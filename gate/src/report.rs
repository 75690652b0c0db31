//! Writes the outcome of a gate to standard output, to a page for a pull request, and as a line for GitHub's runner.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};
use std::thread;
use std::time::Duration;

use crate::escape::{escaped, markdown, workflow_command};
use crate::gate::Gate;
use crate::measurement::{Clock, ascending};
use crate::options::Args;
use crate::pair::Pair;
use crate::statistics::{Estimate, quantile};
use crate::units::{change, percent, seconds, shortened};
use crate::verdict::Verdict;
use serde_json::{Value, json};

/// Writes text to a stream, and waits for the stream's reader even if a program that shares the stream has made it
/// non-blocking.
pub(crate) fn write(out: &mut dyn Write, text: &str) -> io::Result<()> {
    let mut left = text.as_bytes();
    while !left.is_empty() {
        match when_ready(|| out.write(left))? {
            0 => return Err(ErrorKind::WriteZero.into()),
            taken => left = &left[taken..],
        }
    }
    when_ready(|| out.flush())
}

/// Repeats the work until the stream is ready. A stream that is not ready has taken nothing.
fn when_ready<T>(mut work: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match work() {
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                thread::sleep(Duration::from_millis(1));
            }
            done => return done,
        }
    }
}

/// Writes a line to standard error. Write errors are ignored.
pub(crate) fn say(who: &str, text: &str) {
    let _ = write(&mut io::stderr(), &format!("{who}: {}\n", escaped(text)));
}

/// Appends to the page, if there is one.
pub(crate) fn append_page(args: &Args, text: &str) -> io::Result<()> {
    let Some(path) = &args.markdown else { return Ok(()) };
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    // With this flag, opening a pipe that nobody reads is an error. Without it, the gate would wait for a reader.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, nix::fcntl::OFlag::O_NONBLOCK.bits());
    let written = options.open(path).and_then(|mut file| write(&mut file, text));
    written.map_err(|error| {
        #[cfg(unix)]
        let hint =
            if error.raw_os_error() == Some(nix::errno::Errno::ENXIO as i32) { ": nobody reads this pipe" } else { "" };
        #[cfg(not(unix))]
        let hint = "";
        io::Error::new(error.kind(), format!("cannot write the page to {}: {error}{hint}", path.display()))
    })
}

impl Pair {
    /// Returns the median peak memory of the base and of the head in bytes, if there were rounds.
    fn memory(&self) -> Option<[f64; 2]> {
        let is_measured = !self.rounds.is_empty();
        is_measured.then(|| ascending(&self.rounds, |run| run.memory).map(|sizes| quantile(&sizes, 0.5)))
    }

    fn json(&self) -> Value {
        json!({
            "name": self.name,
            "base": self.base.text,
            "head": self.head.text,
            "verdict": self.verdict().name(),
            "reason": self.reason(),
            "measurements": self.measurements,
            "memory": self.memory().map(|[base, head]| json!({ "base": base, "head": head })),
            "rounds": self.rounds,
        })
    }
}

impl Gate<'_> {
    /// Writes the outcome to each place, even if another place fails.
    pub(crate) fn report(&self, out: &mut dyn Write) -> io::Result<()> {
        let verdict = self.verdict();
        let lines = self.lines();
        let shown: Vec<String> = lines.iter().map(|line| escaped(line)).collect();
        let printed = if self.args.json {
            shown.iter().for_each(|line| say("abgate", line));
            write(out, &(escaped(&self.json().to_string()) + "\n"))
        } else {
            write(out, &format!("{}{}\n", self.table(), shown.join("\n")))
        };
        let printed = match printed {
            // The reader has seen enough.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            Err(error) => Err(io::Error::new(error.kind(), format!("cannot write to standard output: {error}"))),
            Ok(()) => Ok(()),
        };
        if std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true") {
            let kind = match verdict {
                Verdict::Pass | Verdict::Skipped => "notice",
                _ if self.status() == 0 => "warning",
                _ => "error",
            };
            // Standard output may be a file, and GitHub's runner reads standard error as well.
            let (name, reasons) = (verdict.name(), workflow_command(&lines.join("; ")));
            // In a title, `%3A` is a colon.
            let line = format!("::{kind} title=abgate%3A {name}::{reasons}\n");
            let _ = write(&mut io::stderr(), &line);
        }
        let written = append_page(self.args, &self.page(&lines));
        printed.and(written)
    }

    /// Returns the outcome as lines. A single pair has one line, with its reason. If there are several pairs, each pair
    /// that does not pass has a line, and the last line counts the verdicts.
    fn lines(&self) -> Vec<String> {
        let is_only = self.pairs.len() == 1;
        let line = |pair: &Pair| {
            let name = if pair.name.is_empty() { String::new() } else { format!("{}: ", pair.name) };
            format!("{}: {name}{}", pair.verdict().name(), pair.reason())
        };
        let is_shown = |pair: &&Pair| is_only || pair.verdict() != Verdict::Pass;
        let mut lines: Vec<String> = self.pairs.iter().filter(is_shown).map(line).collect();
        if !is_only {
            let mut verdicts: Vec<Verdict> = self.pairs.iter().map(Pair::verdict).collect();
            verdicts.sort_unstable_by(|a, b| b.cmp(a));
            let mut counts = verdicts.chunk_by(|a, b| a == b).map(|same| (same.len(), same[0].clause(same.len())));
            let (worst, clause) = counts.next().unwrap_or_default();
            let mut line = format!("{}: {worst} of {} commands {clause}", verdicts[0].name(), verdicts.len());
            counts.for_each(|(number, clause)| line += &format!(", {number} {clause}"));
            lines.push(line);
        }
        lines
    }

    /// Returns a table with a row for each clock of each pair that was measured, or nothing if none was. A single pair
    /// needs no name.
    fn table(&self) -> String {
        /// The greatest length of a name in characters. A longer one would push the figures out of a wide terminal.
        const LONGEST: usize = 40;
        let names = ["command", "clock", "base", "head", "change", "interval", "noise", "peak memory", "verdict"];
        let mut rows = vec![names.map(str::to_owned)];
        for pair in &self.pairs {
            let memory = pair.memory().map_or(String::new(), |[base, head]| {
                format!("{:.1} MiB ({})", head / f64::from(1 << 20), change(head / base))
            });
            // Only the first row of a pair shows these.
            let mut first = [escaped(&shortened(&pair.name, LONGEST)), memory, pair.verdict().name().to_owned()];
            for one in &pair.measurements {
                let [name, memory, verdict] = std::mem::take(&mut first);
                let Estimate { value, low, high } = one.ratio;
                let [base, head] = [one.base, one.head].map(seconds);
                let interval = format!("{} to {}", change(low), change(high));
                let [clock, change] = [one.clock.name().to_owned(), change(value)];
                rows.push([name, clock, base, head, change, interval, percent(one.noise), memory, verdict]);
            }
        }
        let Some(first) = rows.get(1) else { return String::new() };
        let skipped = usize::from(first[0].is_empty());
        let widths: [usize; 9] =
            std::array::from_fn(|at| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0));
        let line = |row: &[String; 9]| {
            let cells = row.iter().zip(widths).enumerate().skip(skipped).map(|(at, (cell, width))| {
                // Words are aligned to the left, figures to the right.
                if matches!(at, 0 | 1 | 8) { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
        };
        rows.iter().map(line).collect()
    }

    /// Returns a page for a pull request: the verdict, its reasons, the table, and how to read the table.
    fn page(&self, lines: &[String]) -> String {
        let [base, head] = [&self.args.base, &self.args.head].map(|command| markdown(command));
        let mut page = format!("### abgate: {}\n\n", self.verdict().name());
        lines.iter().for_each(|line| page += &format!("{}\n\n", markdown(line)));
        page += &format!("Base {base}, head {head}.\n\n");
        let table = self.table();
        if !table.is_empty() {
            page += &format!("```text\n{table}```\n\n");
            page += "*base* and *head* are medians. *change* is the median over neighboring runs, so slow changes of \
                     the machine cancel out. *noise* is how much base differed from itself.\n\n";
        }
        page + &format!("Threshold {}.\n", percent(self.args.threshold))
    }

    /// Returns everything that was measured, as JSON.
    fn json(&self) -> Value {
        json!({
            // The number rises when a reader of the old format would misread the new one.
            "schema": 4,
            "kind": "abgate",
            "verdict": self.verdict().name(),
            "threshold": self.args.threshold,
            "clock": self.args.clock.map(Clock::name),
            "pairs": self.pairs.iter().map(Pair::json).collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Trap: a stream that takes nothing and reports no error, for which the gate would wait forever.
    #[test]
    fn a_stream_that_is_full_is_an_error() {
        let mut full = [0; 3];
        assert_eq!(write(&mut &mut full[..], "four").unwrap_err().kind(), ErrorKind::WriteZero);
        assert_eq!(full, *b"fou");
    }
}
