//! The result of a finished count.

use std::borrow::Cow;

use crate::board::Size;
use crate::count::{Tally, Work};
use crate::solver::Isa;

/// The result of a finished count.
///
/// The feature `serde` writes and reads it. Reading rejects a total that is known to be wrong. A line of
/// `nqueens count --json` can be read as an outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
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

/// An outcome that was read and is not checked yet.
#[cfg(feature = "serde")]
mod written {
    use serde::de::Error;

    use crate::board::Size;
    use crate::count::Work;
    use crate::solver::Isa;
    use crate::verify;

    #[derive(serde::Deserialize)]
    pub(super) struct Outcome {
        size: Size,
        #[serde(with = "crate::decimal")]
        solutions: u128,
        work: Work,
        solver: String,
        isa: Isa,
        threads: usize,
        units: usize,
    }

    impl<'de> serde::Deserialize<'de> for super::Outcome {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let Outcome { size, solutions, work, solver, isa, threads, units } = Outcome::deserialize(deserializer)?;
            verify::check_total(size, solutions).map_err(D::Error::custom)?;
            // Control characters could change a terminal that shows the name.
            if solver.is_empty() || solver.contains(char::is_control) {
                return Err(D::Error::custom(format!("{solver:?} is not the name of a solver")));
            }
            Ok(Self { size, solutions, work, solver: solver.into(), isa, threads, units })
        }
    }
}
