//! The solvers by name, as an enum and as text.

use crate::{Error, Result};

/// A solver by its name; [`registry::SOLVERS`](super::registry::SOLVERS) has the solvers themselves.
///
/// ```
/// use nqueens::Counter;
/// use nqueens::solver::SolverName;
///
/// let name: SolverName = "bitmask".parse()?;
/// assert_eq!(name, SolverName::Bitmask);
/// assert_eq!(Counter::new(8)?.solver(name).run()?.solver, name.as_str());
/// # Ok::<(), nqueens::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum SolverName {
    /// None of its own: the fastest for the size.
    Auto,
    /// Row by row, each new queen tested against all earlier ones.
    Check,
    /// Permutations searched by swapping, only diagonals tested.
    Permutation,
    /// The reference: boolean arrays for columns, diagonals and antidiagonals.
    Arrays,
    /// The ten-line recursion on three integer masks.
    Mask,
    /// Occupancy in machine words, all eight symmetries.
    Bitmask,
    /// The color split in a page of code.
    ColorPlain,
    /// The color split on packs of bit planes, all eight symmetries.
    Color,
}

impl SolverName {
    /// Every name that can be given: `Auto`, then the solvers in the order of
    /// [`registry::SOLVERS`](super::registry::SOLVERS).
    pub const ALL: &'static [Self] = &[
        Self::Auto,
        Self::Check,
        Self::Permutation,
        Self::Arrays,
        Self::Mask,
        Self::Bitmask,
        Self::ColorPlain,
        Self::Color,
    ];

    /// The name users type.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Check => "check",
            Self::Permutation => "permutation",
            Self::Arrays => "arrays",
            Self::Mask => "mask",
            Self::Bitmask => "bitmask",
            Self::ColorPlain => "color-plain",
            Self::Color => "color",
        }
    }
}

/// The name users type.
impl std::fmt::Display for SolverName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

impl std::str::FromStr for SolverName {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.iter().copied().find(|known| known.as_str() == name).ok_or_else(|| Error::UnknownSolver {
            name: name.to_owned(),
            known: Self::ALL.iter().map(|known| known.as_str()).collect::<Vec<_>>().join(", "),
        })
    }
}

impl TryFrom<&str> for SolverName {
    type Error = Error;

    fn try_from(name: &str) -> Result<Self> {
        name.parse()
    }
}

impl TryFrom<&String> for SolverName {
    type Error = Error;

    fn try_from(name: &String) -> Result<Self> {
        name.parse()
    }
}
