//! What counts: threads of the processor, or graphics cards.
//!
//! [`CountingOptions`] are as typed. [`CountingOptions::open`] opens the cards and makes a [`Counting`], which serves
//! all sizes of a command. It chooses the [`Code`] that counts a size or the units of a solver, and how many of its
//! threads fit in memory ([`Fitted`]).

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
pub(crate) use fit::{Fitted, WantedThreads};

use std::fmt;
use std::sync::Arc;

use nqueens::board::Size;
use nqueens::registry;
use nqueens::solver::{Isa, Plan, Solver};
use nqueens::{CancelToken, Counter};
use serde_json::Value;

use super::options::{self, TypedSolver};
use crate::exit;
use crate::forecast::Forecast;
use crate::machine::usable_threads;
use crate::run::CARDS;
use crate::terminal::Streams;

/// Options that choose the hardware for a count. A command that uses `--isa` differently replaces its help.
#[derive(Debug, clap::Args)]
pub(crate) struct CountingOptions {
    /// Number of threads. Default: one for each hardware thread that the affinity, the CPU quota and the scheduler
    /// leave to this process, but fewer if memory is short, and only one for a short count
    #[arg(long, short, value_name = "T", value_parser = options::threads_parser(), allow_negative_numbers = true)]
    threads: Option<usize>,
    /// Highest instruction set to count with. Default: the best of this machine
    #[arg(long, value_name = "SET", value_parser = options::isa_parser())]
    isa: Option<Isa>,
    /// Count on graphics cards: 'gpu' for all, or part of the name of those to use (see 'nqueens info')
    // A program built without this feature accepts the option only to say how to build one with it.
    #[arg(long, value_name = "gpu|NAME", value_parser = clap::builder::NonEmptyStringValueParser::new(), hide = cfg!(not(feature = "gpu")))]
    device: Option<String>,
}

/// The solver, threads, instruction set and graphics cards that a command counts with: what the user typed or the
/// command chose. `None` leaves the choice to the size and the machine.
pub(crate) struct Counting {
    wanted_solver: TypedSolver,
    wanted_threads: Option<usize>,
    highest_isa: Option<Isa>,
    pub(crate) cards: Option<Cards>,
}

/// The graphics cards that a command has opened.
pub(crate) struct Cards {
    names: Vec<String>,
    /// The solver `color`, which counts on the cards.
    solver: Arc<dyn Solver>,
    /// Returns the work of each card since the program started, as JSON.
    pub(crate) work: Box<dyn Fn() -> Value>,
    /// Returns a note for each card that gave units back to the processor.
    notes: Box<dyn Fn() -> Vec<String>>,
}

/// The code that counts units: a solver's code for an instruction set, or the kernels of graphics cards. It is
/// displayed as `color (avx2)`.
#[derive(Clone, Copy)]
pub(crate) struct Code<'a> {
    pub(crate) solver: &'a dyn Solver,
    /// The instruction set of the processor, which is also used for units that cards give back.
    pub(crate) isa: Isa,
    cards: Option<&'a Cards>,
}

impl CountingOptions {
    /// Opens the graphics cards that `--device` names, if any.
    ///
    /// # Errors
    /// The cards cannot be opened, they do not count with the typed solver, or a number of threads was typed beside
    /// them.
    pub(crate) fn open(&self, solver: TypedSolver) -> anyhow::Result<Counting> {
        // A program without cards has a better error.
        if cfg!(feature = "gpu") && self.device.is_some() && self.threads.is_some() {
            return Err(exit::Kind::Usage.error("each card takes one thread: leave out --threads"));
        }
        let cards = self.device.as_deref().map(cards::open).transpose()?;
        if let (Some(cards), Some(solver)) = (&cards, solver) {
            cards.check_is_of(solver)?;
        }
        Ok(Counting { wanted_solver: solver, wanted_threads: self.threads, highest_isa: self.isa, cards })
    }
}

impl Counting {
    /// Chooses threads of the processor, and no cards.
    pub(crate) fn on_processor(wanted_threads: Option<usize>, highest_isa: Option<Isa>) -> Self {
        Self { wanted_solver: None, wanted_threads, highest_isa, cards: None }
    }

    /// Chooses this instruction set unless one or cards are chosen already.
    pub(crate) fn or_isa(self, isa: Option<Isa>) -> Self {
        let isa = isa.filter(|_| self.cards.is_none());
        Self { highest_isa: self.highest_isa.or(isa), ..self }
    }

    /// Returns the solver of the cards, or else the wanted one.
    pub(crate) fn wanted_solver(&self) -> Option<&dyn Solver> {
        match &self.cards {
            None => self.wanted_solver.map(|solver| solver as &dyn Solver),
            Some(cards) => Some(&*cards.solver),
        }
    }

    /// Returns the number of threads before [`fit`](Self::fit) adapts it to the size and the memory: one for each card,
    /// or else the wanted number, or else all that the program may use.
    pub(crate) fn most_threads(&self) -> usize {
        self.cards.as_ref().map_or_else(|| self.processor_threads(), |cards| cards.names.len())
    }

    /// Returns the number of threads for work that cards do not do: the wanted number, or else all that the program may
    /// use.
    pub(crate) fn processor_threads(&self) -> usize {
        self.wanted_threads.unwrap_or_else(usable_threads)
    }

    /// Returns the code that counts boards of a size: that of the wanted solver, or else of the fastest.
    ///
    /// # Errors
    /// The wanted solver does not count boards of this size.
    pub(crate) fn code_for(&self, size: Size) -> anyhow::Result<Code<'_>> {
        let solver = self.wanted_solver().unwrap_or_else(|| registry::choose(size, None).solver);
        solver.check_size(size)?;
        self.code(solver)
    }

    /// Returns the code that counts units of a solver: on the cards if any are open, and otherwise with the highest
    /// instruction set.
    ///
    /// # Errors
    /// The cards do not count with this solver.
    pub(crate) fn code<'a>(&'a self, solver: &'a dyn Solver) -> anyhow::Result<Code<'a>> {
        match &self.cards {
            None => Ok(Code::on_processor(solver, self.isa())),
            Some(cards) => cards.check_is_of(solver).map(|()| self.on_cards(cards)),
        }
    }

    /// Returns all available code: the kernels of the cards, or each solver with each instruction set up to the
    /// highest.
    pub(crate) fn codes(&self) -> Vec<Code<'_>> {
        if let Some(cards) = &self.cards {
            return vec![self.on_cards(cards)];
        }
        let mut allowed = Isa::available();
        if let Some(highest) = self.highest_isa.and_then(|isa| allowed.iter().position(|&one| one == isa)) {
            allowed.truncate(highest + 1);
        }
        let of_solver = |&solver: &&'static dyn Solver| {
            let has_code = |isa: &&Isa| solver.instruction_sets().contains(isa);
            allowed.iter().filter(has_code).map(|&isa| Code::on_processor(solver, isa)).collect::<Vec<_>>()
        };
        registry::SOLVERS.iter().flat_map(of_solver).collect()
    }

    fn on_cards<'a>(&self, cards: &'a Cards) -> Code<'a> {
        Code { cards: Some(cards), ..Code::on_processor(&*cards.solver, self.isa()) }
    }

    fn isa(&self) -> Isa {
        self.highest_isa.unwrap_or_else(registry::machine_isa)
    }

    /// Notes how many units the cards gave back to the processor, and why.
    pub(crate) fn note_given_back(&self, streams: &Streams<'_>) {
        self.cards.iter().flat_map(|cards| (cards.notes)()).for_each(|note| streams.note(note));
    }
}

impl Cards {
    /// Fails if the cards do not count with this solver.
    fn check_is_of(&self, solver: &dyn Solver) -> anyhow::Result<()> {
        let (of_cards, other) = (self.solver.name(), solver.name());
        if of_cards == other {
            return Ok(());
        }
        Err(exit::Kind::Usage.error(format!(
            "graphics cards count only with {of_cards}, and this count is with {other}: leave out --device"
        )))
    }
}

impl<'a> Code<'a> {
    /// Returns a solver's code for an instruction set, or its portable code if it has none for that set.
    pub(crate) fn on_processor(solver: &'a dyn Solver, isa: Isa) -> Self {
        Self { solver, isa: registry::isa_of(solver, Some(isa)), cards: None }
    }

    /// Returns a solver's code for an instruction set that this machine may lack.
    pub(crate) fn elsewhere(solver: &'a dyn Solver, isa: Isa) -> Self {
        let has_code = solver.instruction_sets().contains(&isa);
        Self { solver, isa: if has_code { isa } else { Isa::Portable }, cards: None }
    }

    /// Returns the library's counter for a size, which counts with this code. Its number of threads is not set.
    pub(crate) fn counter(&self, size: Size) -> Counter {
        let counter = Counter::for_size(size).isa(self.isa);
        match self.cards {
            None => counter.solver(self.solver.name()),
            Some(cards) => counter.with_solver(cards.solver.clone()),
        }
    }

    /// Returns the plan for a size, which counts with this code.
    pub(crate) fn plan(&self, size: Size) -> nqueens::Result<Box<dyn Plan>> {
        self.solver.plan(size, self.isa, &CancelToken::new())
    }

    /// Returns the forecast of a complete count with this code.
    pub(crate) fn forecast(&self, size: Size, threads: usize) -> Forecast {
        match self.cards {
            None => Forecast::new(self.solver, size, self.isa, threads),
            // The processor's solver, because the cards' would calibrate the forecast on a card.
            Some(_) => Forecast::new(registry::COLOR, size, self.isa, threads).on_cards(),
        }
    }

    /// Returns the name of the code in the logs of runs: the instruction set, or the names of the cards.
    pub(crate) fn in_log(&self) -> String {
        self.cards.map_or_else(|| self.isa.name().to_owned(), |cards| format!("{CARDS} ({})", cards.names.join(", ")))
    }

    /// Returns the name of the code without its solver: an instruction set, or `gpu`.
    pub(crate) fn name(&self) -> &'static str {
        if self.cards.is_some() { CARDS } else { self.isa.name() }
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
