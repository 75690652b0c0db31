//! The result of a finished count.

use std::borrow::Cow;

use crate::board::Size;
use crate::count::{Tally, Work};
use crate::solver::Isa;

/// The result of a finished count.
///
/// The feature `serde` writes and reads it. Reading does not check the count; [`verify::check_total`] does. A line of
/// `nqueens count --json` can be read as an outcome.
///
/// [`verify::check_total`]: crate::verify::check_total
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Outcome {
    /// The size counted.
    pub size: Size,
    /// The number of solutions.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub solutions: u128,
    /// The work that it took. It depends on the instruction set, and not on the number of threads.
    pub work: Work,
    /// The name of the solver: one of the registry, or your own.
    pub solver: Cow<'static, str>,
    /// The instruction set that was used.
    pub isa: Isa,
    /// The number of threads.
    pub threads: usize,
    /// The number of units of work.
    pub units: usize,
}

impl Outcome {
    /// Makes an outcome. `counted` is not multiplied by a divisor. `by` names the solver and its instruction set.
    #[doc(hidden)]
    #[must_use]
    pub fn of(counted: Tally, size: Size, by: (Cow<'static, str>, Isa), threads: usize, units: usize) -> Self {
        let (Tally { solutions, work }, (solver, isa)) = (counted, by);
        Self { size, solutions, work, solver, isa, threads, units }
    }
}
