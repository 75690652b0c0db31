//! What counts: threads of the processor, or graphics cards as a solver with threads of their own.

#[cfg(feature = "gpu")]
mod cards;
#[cfg(not(feature = "gpu"))]
mod cards {
    pub(super) fn open(_: &str) -> anyhow::Result<super::Cards> {
        Err(crate::exit::Kind::Usage.error(
            "this program was built without graphics cards: leave out --device, or build it with 'cargo build --release \
             --features gpu'",
        ))
    }
}
mod threads;

#[cfg(feature = "gpu")]
pub(crate) use cards::cards_in_words;
pub(crate) use threads::predicted_bytes;

use std::sync::Arc;

use nqueens::Counter;
use nqueens::board::Size;
use nqueens::registry;
use nqueens::solver::{Isa, Solver};
use serde_json::Value;

use super::options::{ResourceOptions, ThreadsOption};
use crate::exit;
use crate::terminal::Streams;
use crate::terminal::units::plural;

/// Graphics cards: a solver, and the threads that it needs.
pub(crate) struct Cards {
    names: Vec<String>,
    /// `color`, counted on the cards.
    solver: Arc<dyn Solver>,
    /// Returns what each card did, as in JSON.
    work: Box<dyn Fn() -> Vec<Value>>,
}

/// The threads, the instruction set and the graphics cards of a command.
pub(crate) struct Resources {
    /// Those of the processor. Cards have threads of their own.
    pub(crate) threads: ThreadsOption,
    isa: Option<Isa>,
    cards: Option<Cards>,
}

impl ResourceOptions {
    /// Opens the graphics cards that were asked for, if any.
    pub(crate) fn open(&self) -> anyhow::Result<Resources> {
        let cards = self.device.as_deref().map(cards::open).transpose()?;
        Ok(Resources { threads: self.threads, isa: self.isa.typed, cards })
    }
}

impl Resources {
    /// The counter for a size, without its number of threads. Fails if there is no such solver or instruction set.
    pub(crate) fn counter(&self, size: Size, solver: &str) -> anyhow::Result<Counter> {
        let counter = match &self.cards {
            Some(cards) => {
                if solver != "auto" {
                    self.counts_with(registry::find(solver)?)?;
                }
                Counter::for_size(size).with_solver(cards.solver.clone())
            }
            None => Counter::for_size(size).solver(solver),
        };
        let counter = self.isa.into_iter().fold(counter, Counter::isa);
        counter.choice()?;
        Ok(counter)
    }

    /// The counter with the threads that fit the memory, as [`ThreadsOption::fit`], and what counts, in words. Cards bring
    /// their threads.
    pub(crate) fn fit(&self, counter: Counter) -> anyhow::Result<(Counter, String)> {
        if self.has_cards() {
            Ok((counter.threads(self.number_of_threads()), self.in_words()))
        } else {
            self.threads.fit(counter)
        }
    }

    /// The number of threads: one for each card, or those of the processor.
    pub(crate) fn number_of_threads(&self) -> usize {
        self.cards.as_ref().map_or_else(|| self.threads.number(), |cards| cards.names.len())
    }

    /// The solvers that can count: those of the registry, or the cards.
    pub(crate) fn solvers(&self) -> Vec<&dyn Solver> {
        self.cards.as_ref().map_or_else(|| registry::SOLVERS.to_vec(), |cards| vec![&*cards.solver])
    }

    /// The instruction set that the user named. Cards have one on the processor beside them.
    pub(crate) fn only_isa(&self) -> Option<Isa> {
        self.cards.as_ref().map(|cards| self.best_isa(&*cards.solver)).or(self.isa)
    }

    /// The best instruction set of a solver that is not above that of the user, or else of this machine.
    pub(crate) fn best_isa(&self, solver: &dyn Solver) -> Isa {
        registry::best_isa(solver, self.isa.unwrap_or_else(registry::machine_isa))
    }

    /// What counts the units of a solver: the cards if there are any, or else the solver. Fails if cards cannot count them.
    pub(crate) fn counts_with<'a>(&'a self, solver: &'a dyn Solver) -> anyhow::Result<&'a dyn Solver> {
        match &self.cards {
            None => Ok(solver),
            Some(cards) if cards.solver.name() == solver.name() => Ok(&*cards.solver),
            Some(_) => Err(exit::Kind::Usage.error(format!(
                "graphics cards count with color and not with {}: leave out --device or --solver",
                solver.name()
            ))),
        }
    }

    /// Whether graphics cards count. Nobody has timed one, so there is no forecast.
    pub(crate) fn has_cards(&self) -> bool {
        self.cards.is_some()
    }

    /// The code that counts, in brackets after the name of its solver.
    pub(crate) fn code(&self, isa: Isa) -> &'static str {
        if self.has_cards() { "gpu" } else { isa.name() }
    }

    /// The code that counts, in records.
    pub(crate) fn in_records(&self, isa: Isa) -> String {
        let named = |cards: &Cards| format!("gpu ({})", cards.names.join(", "));
        self.cards.as_ref().map_or_else(|| isa.name().to_owned(), named)
    }

    /// What counts, in words, and what decided the number of threads.
    pub(crate) fn in_words(&self) -> String {
        match &self.cards {
            Some(cards) => format!("on {}", cards.names.join(", ")),
            None => self.threads.in_words(self.threads.number()),
        }
    }

    /// What each card did since the program started, as in JSON.
    pub(crate) fn work(&self) -> Vec<Value> {
        self.cards.as_ref().map_or_else(Vec::new, |cards| (cards.work)())
    }

    /// Notes which units the cards could not count.
    pub(crate) fn note(&self, streams: &Streams<'_>) {
        for work in self.work() {
            if let (Some(card), Some(reason)) = (work["card"].as_str(), work["reason"].as_str()) {
                let units = plural(work["given_back"].as_u64().unwrap_or(0), "unit");
                streams.note(format_args!("{card} gave {units} back to the processor: {reason}"));
            }
        }
    }
}
