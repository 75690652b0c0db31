//! Opens and lists graphics cards, in builds that have them.

use std::sync::Arc;

use nqueens_gpu::{Adapter, Choice, adapters};

use super::{CardWork, Cards};

/// Opens the cards that the value of `--device` chooses: all of them, or the cards with this text in their names.
pub(super) fn open(typed: &str) -> anyhow::Result<Cards> {
    let choice = if typed == "gpu" { Choice::Cards } else { Choice::Named(typed.to_owned()) };
    let cards = nqueens_gpu::Cards::open(&choice)?;
    let (names, solver) = (cards.names().to_vec(), Arc::new(cards.clone()));
    let work = move || cards.work().into_iter().map(CardWork::from).collect();
    Ok(Cards { names, solver, work: Box::new(work) })
}

impl From<nqueens_gpu::CardWork> for CardWork {
    fn from(work: nqueens_gpu::CardWork) -> Self {
        let json = serde_json::json!(work);
        Self { card: work.card, given_back: work.given_back, reason: work.reason, json }
    }
}

/// Returns a line for each card and software adapter of this machine, with the reason if it cannot count.
pub(crate) fn cards_in_words() -> Vec<String> {
    let in_words = |adapter: Adapter| {
        let kind = if adapter.is_software { ", a software adapter for tests" } else { "" };
        let lacks = adapter.lacks.map(|lacks| format!(": cannot count, because {lacks}")).unwrap_or_default();
        format!("{} ({}{kind}){lacks}", adapter.name, adapter.interface)
    };
    adapters().into_iter().map(in_words).collect()
}
