//! The option `--device`: counts on graphics cards.

use std::sync::Arc;

use clap::builder::NonEmptyStringValueParser;
use nqueens_gpu::{Adapter, Choice, adapters};

use super::resources::Cards;

/// What counts instead of the processor, `--device`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct DeviceOption {
    /// Counts on graphics cards: gpu for all, or a part of a name in 'nqueens info' for those with that name
    #[arg(long, value_name = "gpu|NAME", value_parser = NonEmptyStringValueParser::new())]
    device: Option<String>,
}

impl DeviceOption {
    /// Opens the cards that were asked for, if any.
    pub(super) fn open(&self) -> anyhow::Result<Option<Cards>> {
        let Some(typed) = &self.device else { return Ok(None) };
        let choice = if typed == "gpu" { Choice::Cards } else { Choice::Named(typed.clone()) };
        let cards = nqueens_gpu::Cards::open(&choice)?;
        let (names, solver) = (cards.names().to_vec(), Arc::new(cards.clone()));
        let work = move || cards.work().iter().map(|work| serde_json::json!(work)).collect();
        Ok(Some(Cards { names, solver, work: Box::new(work) }))
    }
}

/// The cards and software adapters of this machine, and whether they can count: a line each.
pub(crate) fn cards_in_words() -> Vec<String> {
    let in_words = |adapter: Adapter| {
        let kind = if adapter.is_software { ", a software adapter for tests" } else { "" };
        let lacks = adapter.lacks.map(|lacks| format!(": cannot count, because {lacks}")).unwrap_or_default();
        format!("{} ({}{kind}){lacks}", adapter.name, adapter.interface)
    };
    adapters().into_iter().map(in_words).collect()
}
