//! The names of the solvers, as an enum and as text.

use crate::{Error, Result};

/// The name of a solver. [`registry::SOLVERS`](super::registry::SOLVERS) has the solvers.
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
    /// The fastest solver for the size.
    Auto,
    /// Goes row by row and tests each new queen against all earlier queens.
    Check,
    /// Swaps columns and tests only diagonals.
    Permutation,
    /// The reference: boolean arrays for columns, diagonals and antidiagonals.
    Arrays,
    /// The ten-line recursion on three integer masks.
    Mask,
    /// Bit masks, all eight symmetries, many boards at a time.
    Bitmask,
    /// The color split in plain code, without symmetry.
    ColorPlain,
    /// The color split, all eight symmetries, 512 placements at a time.
    Color,
}

impl SolverName {
    /// All names: `Auto`, then the solvers in the order of
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

    /// The name that users type.
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

/// Writes the name that users type.
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
