//! What a finished count says.

use crate::board::Size;
use crate::count::Work;
use crate::solver::Isa;

/// A finished count.
///
/// With the feature `serde` it can be written and read. What is read is checked as a count is: a total that is known to be
/// wrong is refused. The solver must be one of the registry.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Outcome {
    /// The size counted.
    pub size: Size,
    /// The number of solutions.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub solutions: u128,
    /// What it took, the same for any number of threads.
    pub work: Work,
    /// The solver that ran.
    pub solver: &'static str,
    /// The instruction set whose code ran.
    pub isa: Isa,
    /// The threads it ran on.
    pub threads: usize,
    /// The units of work it was cut into.
    pub units: usize,
}

/// An outcome as it is read, before it is checked.
#[cfg(feature = "serde")]
mod written {
    use crate::board::Size;
    use crate::count::Work;
    use crate::solver::{Isa, registry};
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

    // By hand, as a derived one would want a text that is never dropped for the solver's name.
    impl<'de> serde::Deserialize<'de> for super::Outcome {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let written = Outcome::deserialize(deserializer)?;
            written.checked().map_err(serde::de::Error::custom)
        }
    }

    impl Outcome {
        fn checked(self) -> crate::Result<super::Outcome> {
            let Self { size, solutions, work, solver, isa, threads, units } = self;
            verify::check_total(size, solutions)?;
            let solver = registry::find(&solver)?.name();
            Ok(super::Outcome { size, solutions, work, solver, isa, threads, units })
        }
    }
}
