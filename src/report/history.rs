//! Times over commits: what regression gates found, one after the other.

use std::collections::BTreeMap;
use std::path::Path;

use maud::{Markup, html};
use serde::Deserialize;

use super::Section;
use super::draw::{Drawing, Swatch, Width, at, legend, line, mark};
use super::multiples::{Grid, title};
use super::scale::{Scale, Spread, Tick, decimals, range, rounds};
use super::table::{Cell, Row, Table};
use super::theme::series_class;
use crate::measure::statistics::median;
use crate::measure::{Error, Result, WorkloadId};
use crate::measure::{read, units};

/// The schema of what a gate prints.
const SCHEMA: u64 = 1;

/// What `nqueens regress --json` printed, run after run, in the order of the files' names.
#[derive(Debug)]
pub struct History {
    gates: Vec<Gate>,
}

/// One run of the gate, as its JSON says; what is not needed here is not read.
#[derive(Debug, Deserialize)]
struct Gate {
    #[serde(skip)]
    file: String,
    kind: String,
    schema: u64,
    head: Build,
    base: Build,
    workloads: Vec<Compared>,
}

#[derive(Debug, Deserialize)]
struct Build {
    commit: String,
}

#[derive(Debug, Deserialize)]
struct Compared {
    workload: WorkloadId,
    verdict: Verdict,
    reason: String,
    rounds: Vec<Round>,
}

#[derive(Debug, Deserialize)]
struct Round {
    base: [f64; 2],
    head: [f64; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Pass,
    Inconclusive,
    #[serde(rename = "other-work")]
    OtherWork,
    Regression,
}

impl Verdict {
    fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Inconclusive => "inconclusive",
            Self::OtherWork => "other work",
            Self::Regression => "regression",
        }
    }

    /// The mark's shape, and its colour.
    fn mark(self) -> (usize, usize) {
        match self {
            Self::Pass => (0, 1),
            Self::Inconclusive | Self::OtherWork => (2, 4),
            Self::Regression => (5, 2),
        }
    }
}

impl History {
    /// Reads the files of a folder whose names end in `.json`, in the order of their names; those of other kinds are left
    /// alone.
    ///
    /// # Errors
    /// [`Error::Unreadable`], [`Error::NotJson`], [`Error::Field`], and [`Error::NotARecord`] where no file is from a gate.
    pub fn read(folder: &Path) -> Result<Self> {
        let name = folder.display().to_string();
        let unreadable = |file: &str, reason| Error::Unreadable { file: file.to_owned(), reason };
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(|reason| unreadable(&name, reason))? {
            let path = entry.map_err(|reason| unreadable(&name, reason))?.path();
            if path.extension().is_some_and(|ending| ending == "json") && path.is_file() {
                files.push(path);
            }
        }
        files.sort_unstable();
        let mut gates = Vec::new();
        for path in &files {
            let file = path.display().to_string();
            let bytes = read::bytes(path)?;
            gates.extend(Gate::parse(&bytes, &file)?);
        }
        if gates.is_empty() {
            let problem = "no file in it is what 'nqueens regress --json' prints".to_owned();
            return Err(Error::NotARecord { file: name, problem });
        }
        Ok(Self { gates })
    }
}

impl Gate {
    /// `None` where it is JSON of another kind.
    fn parse(bytes: &[u8], file: &str) -> Result<Option<Self>> {
        let not_json = |error: serde_json::Error| Error::NotJson { file: file.to_owned(), problem: error.to_string() };
        let value: serde_json::Value = serde_json::from_slice(bytes).map_err(not_json)?;
        if value.get("kind").and_then(serde_json::Value::as_str) != Some("nqueens-regress") {
            return Ok(None);
        }
        let field = |field: String, problem: String| Error::Field { file: file.to_owned(), field, problem };
        let gate: Self = serde_path_to_error::deserialize(value)
            .map_err(|error| field(error.path().to_string(), error.into_inner().to_string()))?;
        debug_assert_eq!(gate.kind, "nqueens-regress");
        if gate.schema != SCHEMA {
            return Err(Error::Schema { file: file.to_owned(), found: gate.schema.to_string(), known: SCHEMA });
        }
        let all =
            gate.workloads.iter().flat_map(|compared| &compared.rounds).flat_map(|round| [round.base, round.head]);
        if let Some(wrong) = all.flatten().find(|seconds| !(1e-10..=3.2e9).contains(seconds)) {
            return Err(field("workloads.rounds".to_owned(), format!("{wrong:?} is not the time of a run")));
        }
        Ok(Some(Self { file: file.to_owned(), ..gate }))
    }
}

impl History {
    /// How many runs of the gate there are.
    pub(super) fn len(&self) -> usize {
        self.gates.len()
    }
}

/// A workload at a commit.
struct Point<'a> {
    gate: usize,
    verdict: Verdict,
    reason: &'a str,
    /// The medians of base and head; `None` where the work already decided.
    seconds: Option<[f64; 2]>,
}

/// The workloads, each with its points in order.
fn trends(history: &History) -> BTreeMap<&WorkloadId, Vec<Point<'_>>> {
    let mut trends: BTreeMap<&WorkloadId, Vec<Point<'_>>> = BTreeMap::new();
    for (gate, found) in history.gates.iter().enumerate() {
        for compared in &found.workloads {
            let of = |side: fn(&Round) -> [f64; 2]| {
                let all: Vec<f64> = compared.rounds.iter().flat_map(side).collect();
                (!all.is_empty()).then(|| median(&all))
            };
            let seconds = of(|round| round.base).zip(of(|round| round.head)).map(|(base, head)| [base, head]);
            let point = Point { gate, verdict: compared.verdict, reason: &compared.reason, seconds };
            trends.entry(&compared.workload).or_default().push(point);
        }
    }
    trends
}

pub(super) fn section(history: &History) -> Section<'_> {
    Section {
        name: "history",
        title: "Times over commits",
        about: "What each run of the regression gate measured, a chart a workload, in the order of the files' names: the \
                median time of the candidate, its mark the verdict, and in grey the base it was run against by turns. Runs \
                may have been on different machines: a step in both lines is the machine's, one between them the \
                commit's."
            .to_owned(),
        missing: None,
        draw: Box::new(move |width| draw(history, width)),
        table: Some(table(history)),
    }
}

fn short(commit: &str) -> &str {
    commit.get(..7).unwrap_or(commit)
}

fn draw(history: &History, width: Width) -> Vec<Drawing> {
    let trends: Vec<_> = trends(history).into_iter().collect();
    let verdicts = [Verdict::Pass, Verdict::Inconclusive, Verdict::Regression];
    let mut items: Vec<(Swatch, String)> =
        verdicts.map(|verdict| (Swatch::Mark(verdict.mark().0, verdict.mark().1), verdict.word().to_owned())).to_vec();
    items.push((Swatch::Others, "base".to_owned()));
    let (legend, head) = legend(&items, 0.0, width.pixels());
    let grid = Grid::new(trends.len(), width, 58.0);
    let plot = grid.plot();
    let last = history.gates.len().saturating_sub(1) as f64;
    let x = Scale::new(Spread::Linear, (0.0, last), (plot.left + 22.0, plot.right - 26.0));
    let commits: Vec<Tick> = history
        .gates
        .iter()
        .enumerate()
        .map(|(index, gate)| (index as f64, short(&gate.head.commit).to_owned()))
        .collect();
    let back = html! { (plot.x_frame(&x, &commits)) };
    let titles: Vec<Markup> = trends.iter().map(|(id, _)| title(&id.to_string(), grid.width - 4.0)).collect();
    let marks = vec![None; titles.len()];
    grid.draw_titled((titles, marks), ("history", width), (legend, head + 12.0), &back, |index| {
        let points = &trends[index].1;
        // Each workload has a scale of its own: what matters is the change.
        let (low, high) = range(points.iter().filter_map(|point| point.seconds).flatten()).unwrap_or((1e-3, 1e-3));
        let (unit, name) = if high >= 1.0 { (1.0, "s") } else if high >= 1e-3 { (1e-3, "ms") } else { (1e-6, "µs") };
        let values = rounds((low / unit * 0.95, high / unit * 1.05), 3);
        let digits = decimals(values[1] - values[0]);
        let ticks: Vec<Tick> =
            values.iter().map(|value| (value * unit, format!("{value:.digits$} {name}"))).collect();
        let y = Scale::new(Spread::Linear, (ticks[0].0, ticks[ticks.len() - 1].0), (plot.bottom, plot.top));
        let path = |side: usize| -> Vec<(f64, f64)> {
            points.iter().filter_map(|point| Some((x.at(point.gate as f64), y.at(point.seconds?[side])))).collect()
        };
        html! {
            (plot.y_axis(&y, &ticks, "", 0.0))
            (line(&path(0), "others"))
            (line(&path(1), &series_class(0)))
            @for point in points {
                @let (shape, color) = point.verdict.mark();
                @let place = point.seconds.map_or(plot.top, |seconds| y.at(seconds[1]));
                (mark(shape, at(x.at(point.gate as f64)), place, &series_class(color),
                    &format!("{}: {}: {}", short(&history.gates[point.gate].head.commit), point.verdict.word(), point.reason)))
            }
        }
    })
}

fn table(history: &History) -> Table {
    let mut rows = Vec::new();
    for (id, points) in trends(history) {
        for point in points {
            let gate = &history.gates[point.gate];
            let time = |side: usize| match point.seconds {
                Some(seconds) => Cell(units::seconds(seconds[side]), Some(seconds[side])),
                None => "–".into(),
            };
            let change = point.seconds.map(|[base, head]| head / base);
            let cells = vec![
                id.to_string().into(),
                short(&gate.head.commit).into(),
                short(&gate.base.commit).into(),
                gate.file.clone().into(),
                point.verdict.word().into(),
                time(0),
                time(1),
                change.map_or_else(|| "–".into(), |ratio| Cell(units::change(ratio), Some(ratio))),
            ];
            rows.push(Row { machine: None, cells });
        }
    }
    Table {
        caption: "Medians of all rounds of each gate".to_owned(),
        head: ["workload", "head", "base", "file", "verdict", "base", "head", "change"].map(str::to_owned).to_vec(),
        words: 5,
        rows,
    }
}
