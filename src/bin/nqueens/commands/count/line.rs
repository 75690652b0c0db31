//! The result for one size, as text and as JSON.

use std::sync::LazyLock;

use nqueens::Outcome;
use nqueens::board::Size;
use serde::Serialize;
use serde_json::Value;

use super::Args;
use super::layout::{Column, Layout, digits};
use crate::runs::{Contribution, Ledger, Merged};
use crate::terminal::Streams;
use crate::{machine, version};

/// The result for one size, as in JSON. Counts are strings: they pass 2^53.
#[derive(Serialize)]
pub(crate) struct CountLine {
    #[serde(flatten)]
    outcome: Outcome,
    nodes: String,
    /// Of all records of a count with `--dir`.
    #[serde(flatten)]
    recorded: Option<Recorded>,
    /// What graphics cards did since the program started.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cards: Vec<Value>,
    version: &'static str,
    commit: &'static str,
    #[serde(serialize_with = "processor")]
    processor: (),
}

/// Who counted the shards, in any process that worked on the count.
#[derive(Serialize)]
pub(crate) struct Recorded {
    core_seconds: f64,
    machines: Vec<Contribution>,
}

impl From<&Merged> for Recorded {
    fn from(merged: &Merged) -> Self {
        Self { core_seconds: merged.core_seconds(), machines: Ledger::from(merged).machines }
    }
}

/// The processor's model. It takes time to read, so it is read once, and only for JSON.
fn processor<S: serde::Serializer>((): &(), serializer: S) -> Result<S::Ok, S::Error> {
    static MODEL: LazyLock<String> = LazyLock::new(|| machine::facts().cpu_model);
    serializer.serialize_str(&MODEL)
}

impl CountLine {
    pub(crate) fn new(outcome: Outcome) -> Self {
        let nodes = outcome.work.nodes.to_string();
        let (version, commit) = (version::VERSION, version::COMMIT);
        Self { outcome, nodes, recorded: None, cards: Vec::new(), version, commit, processor: () }
    }

    /// Adds who counted the shards.
    pub(crate) fn recorded(self, recorded: Recorded) -> Self {
        Self { recorded: Some(recorded), ..self }
    }

    /// Adds what graphics cards did.
    pub(crate) fn on_cards(self, cards: Vec<Value>) -> Self {
        Self { cards, ..self }
    }

    pub(crate) fn layout(args: &Args, sizes: &[Size], streams: &mut Streams<'_>) -> std::io::Result<Layout<Self>> {
        let mut columns: Vec<Column<Self>> =
            vec![("solutions", digits(sizes), |line| line.outcome.solutions.to_string())];
        if args.nodes {
            columns.push(("nodes", 18, |line| line.nodes.clone()));
        }
        Layout::start(args, sizes, columns, streams)
    }
}
