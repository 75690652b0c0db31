//! The outcome of a gate as text, as JSON, and as a page for a pull request.

use serde_json::json;

use crate::escape::{escaped, markdown};
use crate::gate::Gate;
use crate::pair::EndedPair;
use crate::statistics::Estimate;
use crate::units::{change, percent, seconds, shortened};
use crate::verdict::Verdict;

/// Returns the outcome as lines. A single pair has one line, with its reason. If there are several pairs, each pair
/// that does not pass has a line, and the last line counts the verdicts.
pub(crate) fn lines(gate: &Gate) -> Vec<String> {
    let is_only = gate.pairs.len() == 1;
    let line = |pair: &EndedPair| {
        let case = if pair.commands.case.is_empty() { String::new() } else { format!("{}: ", pair.commands.case) };
        format!("{}: {case}{}", pair.outcome.verdict.name(), pair.outcome.reason)
    };
    let is_shown = |pair: &&EndedPair| is_only || pair.outcome.verdict != Verdict::Pass;
    let mut lines: Vec<String> = gate.pairs.iter().filter(is_shown).map(line).collect();
    if !is_only {
        let mut verdicts: Vec<Verdict> = gate.verdicts().collect();
        verdicts.sort_unstable_by(|a, b| b.cmp(a));
        let mut counts = verdicts.chunk_by(|a, b| a == b).map(|same| (same.len(), same[0].clause(same.len())));
        let (worst, clause) = counts.next().unwrap_or_default();
        let mut line = format!("{}: {worst} of {} cases {clause}", verdicts[0].name(), verdicts.len());
        counts.for_each(|(number, clause)| line += &format!(", {number} {clause}"));
        lines.push(line);
    }
    lines
}

/// Returns the table and the lines.
pub(crate) fn text(gate: &Gate) -> String {
    let lines = lines(gate).iter().map(|line| escaped(line) + "\n").collect::<String>();
    table(&gate.pairs) + &lines
}

/// The columns of the table, each with whether its cells are aligned to the right.
const COLUMNS: [(&str, bool); 9] = [
    ("case", false),
    ("clock", false),
    ("base", true),
    ("head", true),
    ("change", true),
    ("interval", true),
    ("noise", true),
    ("peak memory", true),
    ("verdict", false),
];

/// Returns a table with a row for each clock of each pair that was measured, or nothing if none was. Without cases, the
/// first column is left out.
fn table(pairs: &[EndedPair]) -> String {
    let heads = COLUMNS.map(|(head, _)| head.to_owned());
    let rows: Vec<[String; 9]> = std::iter::once(heads).chain(pairs.iter().flat_map(rows)).collect();
    if rows.len() == 1 {
        return String::new();
    }
    let skipped = usize::from(pairs.iter().all(|pair| pair.commands.case.is_empty()));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 9] = std::array::from_fn(width);
    let line = |row: &[String; 9]| {
        let cell = |column: usize| {
            let cell = &row[column];
            let width = widths[column];
            if COLUMNS[column].1 { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        };
        (skipped..9).map(cell).collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

/// Returns the rows of a pair. Only the first one shows what does not depend on the clock.
fn rows(pair: &EndedPair) -> impl Iterator<Item = [String; 9]> {
    /// The greatest length of a case in characters. A longer one would push the figures out of a wide terminal.
    const MAX_CASE_CHARACTERS: usize = 40;
    let case = escaped(&shortened(&pair.commands.case, MAX_CASE_CHARACTERS));
    let memory = pair.memory().map_or_else(String::new, |[base, head]| {
        format!("{:.1} MiB ({})", head as f64 / f64::from(1 << 20), change(head as f64 / base as f64))
    });
    let of_pair = [case, memory, pair.outcome.verdict.name().to_owned()];
    pair.measurements.iter().flatten().enumerate().map(move |(row, one)| {
        let [case, memory, verdict] = if row == 0 { of_pair.clone() } else { Default::default() };
        let clock = one.clock.name().to_owned() + if one.decides { "" } else { ", not judged" };
        let [base, head] = [one.base, one.head].map(seconds);
        let Estimate { value, low, high } = one.ratio;
        let interval = format!("{} to {}", change(low), change(high));
        [case, clock, base, head, change(value), interval, percent(one.noise), memory, verdict]
    })
}

/// Returns a page for a pull request: the verdict, its reasons, the table, and how to read the table.
pub(crate) fn page(gate: &Gate) -> String {
    let [base, head] = [&gate.args.base, &gate.args.head].map(|command| markdown(command));
    let mut page = format!("### abgate: {}\n\n", gate.worst().name());
    lines(gate).iter().for_each(|line| page += &format!("{}\n\n", markdown(line)));
    page += &format!("Base {base}, head {head}.\n\n");
    let table = table(&gate.pairs);
    if !table.is_empty() {
        page += &format!("```text\n{table}```\n\n");
        page += "*base* and *head* are medians. *change* is the median over neighboring runs, so slow changes of \
                 the machine cancel out. *noise* is how much base differed from itself.\n\n";
    }
    page + &format!("Threshold {}.\n", percent(gate.args.threshold))
}

/// Returns everything that was measured, as a line of JSON.
pub(crate) fn json(gate: &Gate) -> String {
    let pair = |pair: &EndedPair| {
        json!({
            "name": pair.commands.case,
            "base": pair.commands.base.text,
            "head": pair.commands.head.text,
            "verdict": pair.outcome.verdict.name(),
            "reason": pair.outcome.reason,
            "measurements": pair.measurements.iter().flatten().collect::<Vec<_>>(),
            "memory": pair.memory().map(|[base, head]| json!({ "base": base, "head": head })),
            "rounds": pair.rounds,
        })
    };
    let outcome = json!({
        // The number rises when a reader of the old format would misread the new one.
        "schema": 1,
        "kind": "abgate",
        "verdict": gate.worst().name(),
        "threshold": gate.args.threshold,
        "clock": gate.args.clock,
        "pairs": gate.pairs.iter().map(pair).collect::<Vec<_>>(),
    });
    escaped(&outcome.to_string()) + "\n"
}
