//! The code that counts units again.

use nqueens::CancelToken;
use nqueens::board::Size;
use nqueens::registry;
use nqueens::solver::{Isa, Plan, Solver};

use super::super::super::options::OnCards;
use super::Args;
use crate::exit::Fault;
use crate::machine::calibration;

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
    /// Seconds of cores for a cost of 1.
    pub(super) seconds_per_cost: f64,
}

impl Code {
    /// Merged packs in plain code, graphics cards, or the solver itself. The solver counts with the instruction set asked
    /// for, or the fastest that counted none of the units, or else the fastest.
    pub(super) fn choose(
        args: &Args,
        cards: Option<&OnCards>,
        (solver, size): (&dyn Solver, Size),
        threads: usize,
        is_used: impl Fn(Isa) -> bool,
    ) -> anyhow::Result<Self> {
        let cancel = &CancelToken::new();
        if args.plain {
            let plan =
                solver.plan(size, Isa::Portable, cancel)?.oracle().ok_or_else(|| only_color("--plain", solver))?;
            // Costs are seconds on the machine of the forecasts. The reference tells how much slower this machine is.
            let (reference, large) = (registry::reference(), Size::new(20)?);
            let seconds = calibration::thread_seconds(reference, large, Isa::Portable, 1);
            let seconds_per_cost = seconds / reference.predicted_seconds(large, Isa::Portable);
            return Ok(Self { name: "merged packs in plain code".to_owned(), isa: None, plan, seconds_per_cost });
        }
        let mut available = solver.instruction_sets().iter().copied().filter(|isa| isa.is_available());
        let unused = available.rfind(|&isa| cards.is_none() && !is_used(isa));
        let asked = args.isa.checked()?.or(unused).unwrap_or_else(registry::machine_isa);
        let isa = registry::best_isa(solver, asked);
        let (name, plan) = if let Some(cards) = cards {
            cards.check_solver(solver.name())?;
            (cards.in_words(), cards.take_over(&*solver.plan(size, isa, cancel)?, size, isa)?)
        } else if args.image {
            let plan = solver.plan(size, isa, cancel)?.image().ok_or_else(|| only_color("--image", solver))?;
            (format!("{} ({}, mirror images)", solver.name(), isa.name()), plan)
        } else {
            (format!("{} ({})", solver.name(), isa.name()), solver.plan(size, isa, cancel)?)
        };
        // Nobody has timed a card. The processor's pace is a start, and the forecast follows the count.
        let seconds_per_cost = calibration::seconds_per_cost(&*plan, solver, size, isa, threads);
        let isa = cards.is_none().then_some(isa);
        Ok(Self { name, isa, plan, seconds_per_cost })
    }
}
