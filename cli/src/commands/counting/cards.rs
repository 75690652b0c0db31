//! Opens and lists graphics cards, in builds that have them.

use std::sync::Arc;

use nqueens_gpu::{Adapter, CardWork, Choice, adapters};
use serde_json::json;

use super::Cards;
use crate::terminal::units::plural;

/// Opens the cards that the value of `--device` chooses: all of them, or the cards with this text in their names.
pub(super) fn open(typed: &str) -> anyhow::Result<Cards> {
    let choice = if typed == "gpu" { Choice::Cards } else { Choice::Named(typed.to_owned()) };
    let cards = nqueens_gpu::Cards::open(&choice)?;
    let (names, solver) = (cards.names().to_vec(), Arc::new(cards.clone()));
    let of_notes = cards.clone();
    let notes = move || of_notes.work().into_iter().filter_map(given_back).collect();
    Ok(Cards { names, solver, work: Box::new(move || json!(cards.work())), notes: Box::new(notes) })
}

/// Returns in words how many units a card gave back to the processor, and why, if it gave back any.
fn given_back(CardWork { card, given_back, reason, .. }: CardWork) -> Option<String> {
    Some(format!("{card} gave {} back to the processor: {}", plural(given_back, "unit"), reason?))
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
