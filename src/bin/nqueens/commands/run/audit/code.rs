//! The code that counts units again.

use nqueens::CancelToken;
use nqueens::board::Size;
use nqueens::solver::{Isa, Plan, Solver, registry};

use super::super::super::options::OnCards;
use crate::exit::Fault;
use crate::machine::pace;

/// The error for an option that needs units of `color`.
fn only_color(option: &str, solver: &dyn Solver) -> anyhow::Error {
    Fault::Usage.error(format!(
        "{option} counts units of color, but these are units of {}: leave out {option}, or check that solver with \
         'nqueens verify'",
        solver.name()
    ))
}

/// The code that counts the units again.
pub(super) struct Code {
    /// Its name for people.
    pub(super) name: String,
    /// The instruction set; `None` for merged packs and graphics cards.
    pub(super) isa: Option<Isa>,
    pub(super) plan: Box<dyn Plan>,
    seconds_per_cost: f64,
}

impl Code {
    /// The code that counts again: the instruction set asked for, or the fastest that counted none of the units, or
    /// else the fastest. `by_image` counts mirror images of the units.
    pub(super) fn choose(
        solver: &dyn Solver,
        size: Size,
        asked: Option<Isa>,
        threads: usize,
        by_image: bool,
        is_used: impl Fn(Isa) -> bool,
    ) -> anyhow::Result<Self> {
        let mut available = solver.instruction_sets().iter().copied().filter(|isa| isa.is_available());
        let isa = match asked {
            Some(isa) => registry::best_isa(solver, isa),
            None => available
                .rfind(|&isa| !is_used(isa))
                .unwrap_or_else(|| registry::best_isa(solver, registry::machine_isa())),
        };
        let cancel = &CancelToken::new();
        let plan = if by_image { solver.image(size, isa, cancel)? } else { Some(solver.plan(size, isa, cancel)?) };
        let plan = plan.ok_or_else(|| only_color("--image", solver))?;
        let whole: f64 = (0..plan.units()).map(|unit| plan.cost(unit)).sum();
        let seconds = pace::thread_seconds(solver, size, isa, threads);
        Ok(Self {
            name: format!("{} ({}{})", solver.name(), isa.name(), if by_image { ", mirror images" } else { "" }),
            isa: Some(isa),
            plan,
            seconds_per_cost: seconds / whole.max(f64::MIN_POSITIVE),
        })
    }

    /// Graphics cards, which count units of `color`.
    pub(super) fn on_cards(cards: &OnCards, solver: &dyn Solver, size: Size, isa: Option<Isa>) -> anyhow::Result<Self> {
        cards.check_solver(solver.name())?;
        let isa = registry::best_isa(solver, isa.unwrap_or_else(registry::machine_isa));
        let plan = cards.take_over(&*solver.plan(size, isa, &CancelToken::new())?, size, isa)?;
        // Nobody has timed a card. The processor's pace is a start, and the forecast follows the count.
        let whole: f64 = (0..plan.units()).map(|unit| plan.cost(unit)).sum();
        let seconds = pace::thread_seconds(solver, size, isa, cards.threads());
        Ok(Self { name: cards.in_words(), isa: None, plan, seconds_per_cost: seconds / whole.max(f64::MIN_POSITIVE) })
    }

    /// The solver's units, counted by plain code.
    pub(super) fn plain(solver: &dyn Solver, size: Size) -> anyhow::Result<Self> {
        let plan = solver.oracle(size, &CancelToken::new())?.ok_or_else(|| only_color("--plain", solver))?;
        // Costs are seconds on the machine of the forecasts. The reference tells how much slower this machine is.
        let (reference, large) = (registry::reference(), Size::new(20)?);
        let seconds = pace::thread_seconds(reference, large, Isa::Portable, 1);
        let seconds_per_cost = seconds / reference.predicted_seconds(large, Isa::Portable);
        Ok(Self { name: "merged packs in plain code".to_owned(), isa: None, plan, seconds_per_cost })
    }

    /// Predicted seconds of cores for these units.
    pub(super) fn core_seconds(&self, units: &[usize]) -> f64 {
        self.seconds_per_cost * units.iter().map(|&unit| self.plan.cost(unit)).sum::<f64>()
    }
}
