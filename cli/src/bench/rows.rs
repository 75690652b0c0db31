//! The rows of a comparison: a score or a workload on every machine, with speeds and ranks.

use std::fmt;

use super::figure::{FEWEST_RANKED, Figure, WIDE};
use super::machines::Machine;
use super::points::{Threads, points, time};
use super::score::Score;
use super::workload::WorkloadId;

/// What a row shows. In text, this is its name, such as `color score` or `arrays n=10`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Subject {
    /// The points of a score.
    Score(Score),
    /// The seconds of one count of a workload.
    Workload(WorkloadId),
}

/// A score or a workload on every machine.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) subject: Subject,
    pub(crate) threads: Threads,
    /// The figure of the machine that speeds are relative to, if it has one.
    pub(crate) reference: Option<f64>,
    /// A cell for each machine; `None` if it has no figure.
    pub(crate) cells: Vec<Option<Cell>>,
}

/// A score or a workload on one machine.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    /// Points, or the seconds of one count.
    pub(crate) figure: Figure,
    /// The figure as a speed: points, or counts in a second.
    pub(crate) pace: Figure,
    /// How many times as fast as the reference it is; `None` if the reference has no figure.
    pub(crate) speed: Option<f64>,
    /// One plus the number of machines that are clearly faster, which means that their ranges do not overlap with this
    /// one. Figures of a spoiled record, or of fewer than ten samples, have no rank and do not affect the ranks of
    /// others.
    pub(crate) rank: Option<usize>,
}

impl Subject {
    pub(crate) fn is_score(&self) -> bool {
        matches!(self, Self::Score(_))
    }

    /// Returns the points of a machine, or the seconds of one count.
    fn figure(&self, machine: &Machine, threads: Threads) -> Option<Figure> {
        match self {
            Self::Score(score) => points(&machine.runs, *score, threads).ok(),
            Self::Workload(id) => time(&machine.runs, id, threads),
        }
    }

    fn pace(&self, figure: Figure) -> Figure {
        match self {
            Self::Score(_) => figure,
            Self::Workload(_) => figure.as_pace(1.0),
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Score(score) => f.write_str(score.name()),
            Self::Workload(id) => id.fmt(f),
        }
    }
}

impl Row {
    /// Creates the row. The index `against` is that of the machine that speeds are relative to; without it, this is the
    /// fastest machine with a rank or, if none has a rank, the fastest.
    pub(super) fn of(subject: Subject, threads: Threads, machines: &[Machine], against: Option<usize>) -> Self {
        let first_of_all = |machine: &Machine| {
            let figure = subject.figure(machine, threads)?;
            let is_ranked = !machine.is_spoiled() && figure.samples >= FEWEST_RANKED;
            Some(Cell { figure, pace: subject.pace(figure), speed: None, rank: is_ranked.then_some(1) })
        };
        let mut cells: Vec<Option<Cell>> = machines.iter().map(first_of_all).collect();
        let by_pace =
            |a: &&Cell, b: &&Cell| a.rank.is_some().cmp(&b.rank.is_some()).then(a.pace.value.total_cmp(&b.pace.value));
        let reference = match against {
            Some(at) => cells[at].clone(),
            None => cells.iter().flatten().max_by(by_pace).cloned(),
        };
        let ranked: Vec<Figure> =
            cells.iter().flatten().filter(|cell| cell.rank.is_some()).map(|one| one.pace).collect();
        for cell in cells.iter_mut().flatten() {
            cell.speed = reference.as_ref().map(|reference| cell.pace.value / reference.pace.value);
            let faster = ranked.iter().filter(|other| other.low > cell.pace.high).count();
            cell.rank = cell.rank.map(|first| first + faster);
        }
        let reference = reference.map(|reference| reference.figure.value);
        Self { subject, threads, reference, cells }
    }

    /// Returns the number of machines with a rank.
    pub(crate) fn ranked(&self) -> usize {
        self.cells.iter().flatten().filter(|cell| cell.rank.is_some()).count()
    }

    /// Returns the number of threads as the head of a column: `t=2` or `all`.
    pub(crate) fn head(&self) -> String {
        match self.threads {
            Threads::Number(threads) => format!("t={threads}"),
            Threads::All => "all".to_owned(),
        }
    }
}

impl Cell {
    /// Returns `~` if the figure should not be trusted: its range is wide, its samples are few, or the record is
    /// spoiled.
    pub(crate) fn mark(&self) -> &'static str {
        if self.figure.spread() > WIDE || self.rank.is_none() { "~" } else { "" }
    }
}
