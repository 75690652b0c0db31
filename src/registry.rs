//! The solvers of this crate: finds one by its name, or chooses the fastest one for a size.

use crate::board::Size;
use crate::solver::{Isa, Solver};
use crate::{Error, Result, color, rows};

/// The solver `naive`, which tests each queen against all queens above it.
pub static NAIVE: &dyn Solver = &rows::NAIVE;
/// The solver `permutation`, which places all queens in different columns and tests only diagonals.
pub static PERMUTATION: &dyn Solver = &rows::PERMUTATION;
/// The solver `arrays`, the reference, which shares no counting code with the fast solvers.
pub static ARRAYS: &dyn Solver = &rows::ARRAYS;
/// The solver `bitmask`, a search on three masks, which is the fastest solver for small boards.
pub static BITMASK: &dyn Solver = &rows::BITMASK;
/// The solver `color`, the color split, which is the fastest solver for large boards.
pub static COLOR: &dyn Solver = &color::ColorSplit;

/// All solvers of this crate: first the classic programs, then the faster solvers.
pub static SOLVERS: &[&dyn Solver] = &[NAIVE, PERMUTATION, ARRAYS, BITMASK, COLOR];

/// Returns the solver with this name.
///
/// # Errors
/// [`Error::Unknown`], which lists the names, if no solver has this name.
pub fn find(name: &str) -> Result<&'static dyn Solver> {
    let found = SOLVERS.iter().copied().find(|solver| solver.name() == name);
    let known = || SOLVERS.iter().map(|solver| solver.name()).collect::<Vec<_>>().join(", ");
    found.ok_or_else(|| Error::Unknown { what: "solver", name: name.to_owned(), known: known() })
}

/// A solver for a size, and the instruction set that it counts with.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Choice<'a> {
    /// The solver.
    pub solver: &'a dyn Solver,
    /// The instruction set that counts.
    pub isa: Isa,
}

/// The largest size for which `bitmask` is chosen. Up to this size, both `bitmask` and `color` take less than a
/// millisecond on one thread, and `bitmask` is faster on several threads, because it makes its plan in microseconds.
const BITMASK_UP_TO: usize = 11;

/// Returns the fastest solver for a size, which counts with the instruction set that [`isa_of`] returns.
#[must_use]
pub fn choose(size: Size, isa: Option<Isa>) -> Choice<'static> {
    let n = size.get();
    let solver = if (BITMASK_UP_TO + 1..=color::LARGEST).contains(&n) { COLOR } else { BITMASK };
    Choice { solver, isa: isa_of(solver, isa) }
}

/// Returns the instruction set with which a solver counts on this machine: `isa` or, if it is `None`, the best one for
/// which the solver has code. If the solver has no code for `isa`, or if the machine lacks it, this is
/// [`Isa::Portable`].
#[must_use]
pub fn isa_of(solver: &dyn Solver, isa: Option<Isa>) -> Isa {
    let is_usable = |set: &Isa| set.is_available() && isa.is_none_or(|isa| isa == *set);
    solver.instruction_sets().iter().copied().rfind(is_usable).unwrap_or(Isa::Portable)
}

/// Returns the best instruction set of this machine.
#[must_use]
pub fn machine_isa() -> Isa {
    Isa::available().pop().unwrap_or(Isa::Portable)
}
