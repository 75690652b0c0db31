//! All solvers by name, and the choice among them by size.

use super::{Isa, Solutions, Solver, SolverName, bitmask, color, textbook};
use crate::board::Size;
use crate::{Error, Result};

/// Every solver, the classic programs first, each faster than the one before.
pub static SOLVERS: [&dyn Solver; 7] = [
    &textbook::CHECK,
    &textbook::PERMUTATION,
    &textbook::ARRAYS,
    &textbook::MASK,
    &bitmask::Bitmask,
    &color::ColorPlain,
    &color::Color,
];

/// The reference: rows, columns and diagonals as plain arrays, sharing no code with the fast solvers.
#[must_use]
pub fn reference() -> &'static dyn Solver {
    &textbook::ARRAYS
}

/// The solver of this name.
///
/// # Errors
/// [`Error::UnknownSolver`] where there is none; the message lists them.
pub fn find(name: &str) -> Result<&'static dyn Solver> {
    // Whoever asks for one solver is not served by a choice among them.
    named(name.parse()?).ok_or_else(|| Error::UnknownSolver {
        name: name.to_owned(),
        known: SOLVERS.map(|solver| solver.name()).join(", "),
    })
}

/// The solver of this name; `None` for [`SolverName::Auto`], which leaves the choice to [`choose`].
#[must_use]
pub fn named(name: SolverName) -> Option<&'static dyn Solver> {
    Some(match name {
        SolverName::Auto => return None,
        SolverName::Check => &textbook::CHECK,
        SolverName::Permutation => &textbook::PERMUTATION,
        SolverName::Arrays => &textbook::ARRAYS,
        SolverName::Mask => &textbook::MASK,
        SolverName::Bitmask => &bitmask::Bitmask,
        SolverName::ColorPlain => &color::ColorPlain,
        SolverName::Color => &color::Color,
    })
}

/// Iterates over the solutions with the solver given.
///
/// # Errors
/// [`Error::CannotEnumerate`] where it can only count.
pub fn solutions_by(solver: &'static dyn Solver, size: Size) -> Result<Solutions> {
    solver.solutions(size).ok_or_else(|| Error::CannotEnumerate {
        name: solver.name(),
        known: SOLVERS
            .iter()
            .filter(|solver| solver.solutions(size).is_some())
            .map(|solver| solver.name())
            .collect::<Vec<_>>()
            .join(", "),
    })
}

/// What [`choose`] chose.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Choice {
    /// The solver.
    pub solver: &'static dyn Solver,
    /// The fastest of its instruction sets that was allowed.
    pub isa: Isa,
    /// Why, as a short clause for `nqueens info`.
    pub reason: &'static str,
}

/// Up to here one thread of `mask` is done before a second thread is started.
const MASK_UP_TO: usize = 10;

/// From here on the color split wins. Measured on one and two threads of an AMD EPYC 9004; at n = 16 it is 3 (AVX2), 5
/// (AVX-512) and 7 times (portable) as fast as `bitmask`. At n = 14 and 15 AVX-512 is even on one thread and a third
/// slower on two; AVX2 is 11 and 1 % faster on one and equal and 2 % slower on two (Zen 5, 100 pairs).
const fn color_from(isa: Isa) -> usize {
    match isa {
        Isa::Avx512 | Isa::Avx512Bitalg => 16,
        _ => 14,
    }
}

/// The fastest solver for a size, with the code of at most the instruction set `isa`.
#[must_use]
pub fn choose(size: Size, isa: Isa) -> Choice {
    let (solver, reason): (&'static dyn Solver, _) = match size.get() {
        ..=MASK_UP_TO => (&textbook::MASK, "done before threads would be started"),
        n if n < color_from(isa) => (&bitmask::Bitmask, "the fastest for boards too small for the color split"),
        _ => (&color::Color, "the fastest, by more the larger the board"),
    };
    Choice { solver, isa: best_isa(solver, isa), reason }
}

/// The best code a solver has for a machine whose best instruction set is `isa`.
#[must_use]
pub fn best_isa(solver: &dyn Solver, isa: Isa) -> Isa {
    solver
        .instruction_sets()
        .iter()
        .copied()
        .filter(|&has| has <= isa && has.is_available())
        .max()
        .unwrap_or(Isa::Portable)
}

/// The best instruction set of this machine.
#[must_use]
pub fn machine_isa() -> Isa {
    Isa::ALL.into_iter().rev().find(|isa| isa.is_available()).unwrap_or(Isa::Portable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_solver_has_its_name_in_the_enum_and_every_name_its_solver() {
        let named = SolverName::ALL.into_iter().filter_map(named).map(|solver| solver.name());
        assert!(named.eq(SOLVERS.into_iter().map(|solver| solver.name())));
        for name in SolverName::ALL {
            assert_eq!(name.to_string().parse(), Ok(name));
            assert_eq!(super::named(name).map_or("auto", |solver| solver.name()), name.as_str());
            assert_eq!(find(name.as_str()).is_ok(), name != SolverName::Auto);
        }
        let unknown = "fast".parse::<SolverName>().unwrap_err().to_string();
        assert!(unknown.contains("'fast'") && unknown.contains("auto, check, ") && unknown.ends_with(", color"));
    }
}
