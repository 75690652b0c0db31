//! The result for one size, as text and as JSON.

use std::sync::LazyLock;

use nqueens::Outcome;
use nqueens::board::Size;
use serde::Serialize;

use super::super::layout::{Column, Layout, width};
use super::super::options::CardLine;
use super::Args;
use crate::runs::{Contribution, Ledger};
use crate::terminal::units::seconds_in_json;
use crate::{machine, version};

/// The result for one size, as in JSON. Counts are strings: they pass 2^53.
#[derive(Serialize)]
pub(crate) struct CountLine {
    schema: u32,
    #[serde(flatten)]
    outcome: Outcome,
    nodes: String,
    #[serde(serialize_with = "seconds_in_json")]
    seconds: f64,
    /// Of all records of a count with `--dir`.
    #[serde(flatten)]
    recorded: Option<Recorded>,
    /// What graphics cards did since the program started.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cards: Vec<CardLine>,
    version: &'static str,
    commit: &'static str,
    #[serde(serialize_with = "processor")]
    processor: (),
}

/// Who counted the shards, in any process that worked on the count.
#[derive(Serialize)]
pub(crate) struct Recorded {
    #[serde(serialize_with = "seconds_in_json")]
    core_seconds: f64,
    machines: Vec<Contribution>,
}

/// The processor's model. It takes time to read, so it is read once, and only for JSON.
fn processor<S: serde::Serializer>((): &(), serializer: S) -> Result<S::Ok, S::Error> {
    static MODEL: LazyLock<String> = LazyLock::new(|| machine::facts().cpu_model);
    serializer.serialize_str(&MODEL)
}

impl CountLine {
    pub(crate) fn new(outcome: Outcome, seconds: f64) -> Self {
        let nodes = outcome.work.nodes.to_string();
        let (version, commit) = (version::VERSION, version::COMMIT);
        Self { schema: 1, outcome, nodes, seconds, recorded: None, cards: Vec::new(), version, commit, processor: () }
    }

    /// Adds who counted the shards.
    pub(crate) fn recorded(self, ledger: Ledger) -> Self {
        let recorded = Recorded { core_seconds: ledger.core_seconds(), machines: ledger.machines };
        Self { recorded: Some(recorded), ..self }
    }

    /// Adds what graphics cards did.
    pub(crate) fn on_cards(self, cards: Vec<CardLine>) -> Self {
        Self { cards, ..self }
    }

    pub(crate) fn layout(args: &Args, sizes: &[Size]) -> Layout<Self> {
        let name = "solutions";
        let mut columns: Vec<Column<Self>> =
            vec![(name, width(name, sizes), |line| line.outcome.solutions.to_string())];
        if args.nodes {
            columns.push(("nodes", 18, |line| line.nodes.clone()));
        }
        if args.time {
            columns.push(("seconds", 12, |line| format!("{:.6}", line.seconds)));
        }
        Layout::new(args.json, sizes.len() > 1, columns)
    }
}
