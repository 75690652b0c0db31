//! What counts: threads of the processor, or graphics cards, which are a solver with threads of their own.

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
mod fit;

#[cfg(feature = "gpu")]
pub(crate) use cards::cards_in_words;
pub(crate) use fit::{fit, on_threads};

use std::fmt;
use std::sync::Arc;

use nqueens::board::Size;
use nqueens::registry;
use nqueens::solver::Plan;
use nqueens::solver::{Isa, Solver};
use nqueens::{CancelToken, Counter};
use serde_json::Value;

use super::options::CountingOptions;
use crate::exit;
use crate::machine::usable_threads;
use crate::terminal::Streams;
use crate::terminal::units::plural;

/// What the options of a command ask for.
pub(crate) struct Counting {
    /// The number of threads that the user typed.
    threads: Option<usize>,
    /// The highest instruction set, if the user typed one.
    isa: Option<Isa>,
    pub(crate) cards: Option<Cards>,
}

/// Open graphics cards.
pub(crate) struct Cards {
    names: Vec<String>,
    /// `color`, counted on the cards.
    solver: Arc<dyn Solver>,
    /// Returns what each card did since the program started, as in JSON.
    work: Box<dyn Fn() -> Vec<Value>>,
}

/// The code that counts units: the code of a solver for an instruction set, or the kernels of graphics cards. As text:
/// `color (avx2)`.
#[derive(Clone, Copy)]
pub(crate) struct Code<'a> {
    pub(crate) solver: &'a dyn Solver,
    /// The instruction set of the processor, which also counts the units that cards give back.
    pub(crate) isa: Isa,
    cards: Option<&'a Cards>,
}

impl CountingOptions {
    /// Opens the graphics cards that were asked for, if any.
    pub(crate) fn open(&self) -> anyhow::Result<Counting> {
        let cards = self.device.as_deref().map(cards::open).transpose()?;
        Ok(Counting { cards, ..Counting::on_processor(self.threads, self.isa) })
    }
}

impl Counting {
    /// Threads of the processor, with the number and the instruction set that the user typed.
    pub(crate) fn on_processor(threads: Option<usize>, isa: Option<Isa>) -> Self {
        Self { threads, isa, cards: None }
    }

    /// The number of threads, if they fit in the memory: one for each card, or those of the processor.
    pub(crate) fn threads(&self) -> usize {
        let of_processor = || self.threads.unwrap_or_else(usable_threads);
        self.cards.as_ref().map_or_else(of_processor, |cards| cards.names.len())
    }

    /// What counts, in words, and what decided the number of threads.
    pub(crate) fn in_words(&self) -> String {
        match &self.cards {
            Some(cards) => format!("on {}", cards.names.join(", ")),
            None => on_threads(self.threads(), self.threads.is_some()),
        }
    }

    /// The counter for a size, without its number of threads. Fails if there is no such solver or instruction set.
    pub(crate) fn counter(&self, size: Size, solver: &str) -> anyhow::Result<Counter> {
        let counter = match &self.cards {
            Some(cards) => {
                if solver != "auto" {
                    self.code(registry::find(solver)?, None)?;
                }
                Counter::for_size(size).with_solver(cards.solver.clone())
            }
            None => Counter::for_size(size).solver(solver),
        };
        let counter = self.isa.into_iter().fold(counter, Counter::isa);
        counter.choice()?;
        Ok(counter)
    }

    /// The counter with the threads that fit in the memory, as [`fit()`] says, and what counts, in words.
    pub(crate) fn fit(&self, counter: Counter) -> anyhow::Result<(Counter, String)> {
        match &self.cards {
            Some(_) => Ok((counter.threads(self.threads()), self.in_words())),
            None => fit(counter, self.threads),
        }
    }

    /// The code that counts units of a solver. `isa` is used where the user typed none and no card counts; without both
    /// it is the best of this machine.
    ///
    /// # Errors
    /// Cards do not count with this solver.
    pub(crate) fn code<'a>(&'a self, solver: &'a dyn Solver, isa: Option<Isa>) -> anyhow::Result<Code<'a>> {
        match &self.cards {
            None => Ok(Code::on_processor(solver, self.isa.or(isa).unwrap_or_else(registry::machine_isa))),
            Some(cards) if cards.solver.name() == solver.name() => Ok(self.on(cards)),
            Some(_) => Err(exit::Kind::Usage.error(format!(
                "graphics cards count with color and not with {}: leave out --device or --solver",
                solver.name()
            ))),
        }
    }

    /// Every code that can count: each solver with each instruction set up to the one that the user typed, or the
    /// cards.
    pub(crate) fn codes(&self) -> Vec<Code<'_>> {
        if let Some(cards) = &self.cards {
            return vec![self.on(cards)];
        }
        let mut allowed = Isa::available();
        if let Some(highest) = self.isa.and_then(|isa| allowed.iter().position(|&one| one == isa)) {
            allowed.truncate(highest + 1);
        }
        let of_solver = |&solver: &&'static dyn Solver| {
            let has_code = |isa: &&Isa| solver.instruction_sets().contains(isa);
            allowed.iter().filter(has_code).map(|&isa| Code::on_processor(solver, isa)).collect::<Vec<_>>()
        };
        registry::SOLVERS.iter().flat_map(of_solver).collect()
    }

    fn on<'a>(&self, cards: &'a Cards) -> Code<'a> {
        let isa = self.isa.unwrap_or_else(registry::machine_isa);
        Code { cards: Some(cards), ..Code::on_processor(&*cards.solver, isa) }
    }

    /// Notes which units the cards could not count.
    pub(crate) fn note(&self, streams: &Streams<'_>) {
        for work in self.cards.iter().flat_map(Cards::work) {
            if let (Some(card), Some(reason)) = (work["card"].as_str(), work["reason"].as_str()) {
                let units = plural(work["given_back"].as_u64().unwrap_or(0), "unit");
                streams.note(format_args!("{card} gave {units} back to the processor: {reason}"));
            }
        }
    }
}

impl Cards {
    /// What each card did since the program started, as in JSON.
    pub(crate) fn work(&self) -> Vec<Value> {
        (self.work)()
    }
}

impl<'a> Code<'a> {
    /// The code of a solver for an instruction set, or its portable code if it has none for that set.
    pub(crate) fn on_processor(solver: &'a dyn Solver, isa: Isa) -> Self {
        Self { solver, isa: registry::best_isa(solver, isa), cards: None }
    }

    /// The units of a board, with this code.
    pub(crate) fn plan(&self, size: Size) -> nqueens::Result<Box<dyn Plan>> {
        self.solver.plan(size, self.isa, &CancelToken::new())
    }

    /// Its name in the log of a run: the instruction set, or the names of the cards.
    pub(crate) fn in_log(&self) -> String {
        self.cards.map_or_else(|| self.isa.name().to_owned(), |cards| format!("gpu ({})", cards.names.join(", ")))
    }

    /// Its name in brackets, after that of its solver.
    pub(crate) fn name(&self) -> &'static str {
        if self.cards.is_some() { "gpu" } else { self.isa.name() }
    }
}

impl fmt::Display for Code<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.solver.name(), self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_set_allows_those_below_it() {
        let codes = |isa| Counting::on_processor(None, isa).codes().iter().map(Code::to_string).collect::<Vec<_>>();
        let available = Isa::available();
        for (place, &isa) in available.iter().enumerate() {
            let mut expected =
                ["naive", "permutation", "arrays", "bitmask"].map(|name| format!("{name} (portable)")).to_vec();
            expected.extend(available[..=place].iter().map(|isa| format!("color ({isa})")));
            assert_eq!(codes(Some(isa)), expected);
        }
        assert_eq!(codes(None), codes(available.last().copied()));
    }
}
