//! The code that counts units again.

use nqueens::CancelToken;
use nqueens::board::Size;
use nqueens::registry;
use nqueens::solver::{Isa, Plan, Solver};

use super::super::super::options::Resources;
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
        resources: &Resources,
        (solver, size): (&dyn Solver, Size),
        threads: usize,
        is_used: impl Fn(Isa) -> bool,
    ) -> anyhow::Result<Self> {
        let cancel = &CancelToken::new();
        if args.plain {
            let plan =
                solver.plan(size, Isa::Portable, cancel)?.plain().ok_or_else(|| only_color("--plain", solver))?;
            // Costs are seconds on the machine of the forecasts. The reference tells how much slower this machine is.
            let (reference, large) = (registry::reference(), Size::new(20)?);
            let seconds = calibration::thread_seconds(reference, large, Isa::Portable, 1);
            let seconds_per_cost = seconds / reference.predicted_seconds(large, Isa::Portable);
            return Ok(Self { name: "merged packs in plain code".to_owned(), isa: None, plan, seconds_per_cost });
        }
        let mut available = solver.instruction_sets().iter().copied().filter(|isa| isa.is_available());
        let unused = available.rfind(|&isa| !is_used(isa));
        let isa = registry::best_isa(solver, resources.only_isa().or(unused).unwrap_or_else(registry::machine_isa));
        let units = solver.plan(size, isa, cancel)?;
        let (kind, plan) = if args.image {
            (", mirror images", units.image().ok_or_else(|| only_color("--image", solver))?)
        } else {
            ("", resources.take_over(units, size, isa)?)
        };
        let name = format!("{} ({}{kind})", solver.name(), resources.code(isa));
        // Nobody has timed a card. The processor's pace is a start, and the forecast follows the count.
        let seconds_per_cost = calibration::seconds_per_cost(&*plan, solver, size, isa, threads);
        let isa = (!resources.has_cards()).then_some(isa);
        Ok(Self { name, isa, plan, seconds_per_cost })
    }
}
