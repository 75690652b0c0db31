//! Solutions that a turn of the board does not change, and the number of fundamental solutions.
//!
//! The searches place queens in pairs (half turn) or in fours (quarter turn). So they reach much larger boards than a
//! count of all solutions. Each search is a [`Plan`], which the [`engine`] runs on any number of threads. The searches
//! are not solvers of the registry, because they do not count all solutions.
//!
//! ```
//! use nqueens::{CancelToken, Progress};
//! use nqueens::symmetric::{self, Turn};
//!
//! let (cancel, progress) = (CancelToken::new(), Progress::new());
//! assert_eq!(symmetric::count(Turn::Half, 12, 1, &cancel, &progress)?, 80);
//! assert_eq!(symmetric::count(Turn::Quarter, 32, 1, &cancel, &progress)?, 406_784);
//! let first = symmetric::solutions(Turn::Quarter, 12)?.next().unwrap();
//! assert_eq!(first.turned(), first);
//! # Ok::<(), nqueens::Error>(())
//! ```

mod classes;
mod search;

pub use classes::Classes;

use crate::board::{Board, Size};
use crate::engine::{self, Threads};
use crate::solver::Plan;
use crate::{CancelToken, Progress, Result, Solutions};
use search::{Boards, TurnSearch};

/// A turn of the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Turn {
    /// A turn by 180 degrees.
    Half,
    /// A turn by 90 degrees. A board that it does not change is not changed by the half turn either.
    Quarter,
}

/// Writes "half turn" or "quarter turn".
impl std::fmt::Display for Turn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Half => "half turn",
            Self::Quarter => "quarter turn",
        })
    }
}

impl Turn {
    /// Whether this turn does not change `solution`. The board must be a solution: else the result means nothing.
    #[must_use]
    pub fn leaves(self, solution: &Board) -> bool {
        let turned = solution.turned();
        match self {
            Self::Half => turned.turned() == *solution,
            Self::Quarter => turned == *solution,
        }
    }

    /// Cuts the count for an n x n board into units of work.
    ///
    /// # Errors
    /// [`Error::Size`](crate::Error::Size) for n above 32.
    pub fn plan(self, n: usize) -> Result<Box<dyn Plan>> {
        Ok(Box::new(TurnSearch::new(self, Size::new(n)?)))
    }
}

/// Counts the solutions that `turn` does not change. `threads` is a number or [`Threads`]. It updates `progress`, and `cancel`
/// stops it.
///
/// # Errors
/// [`Error::Size`](crate::Error::Size) for n above 32, and the errors of [`engine::run`].
pub fn count(
    turn: Turn,
    n: usize,
    threads: impl Into<Threads>,
    cancel: &CancelToken,
    progress: &Progress,
) -> Result<u128> {
    progress.begin(0, 0.0);
    let plan = turn.plan(n)?;
    let units: Vec<usize> = (0..plan.units()).collect();
    engine::run(&*plan, &units, threads, cancel, progress).map(|total| total.solutions)
}

/// Iterates over the solutions that `turn` does not change, in lexicographic order and constant memory.
///
/// # Errors
/// [`Error::Size`](crate::Error::Size) for n above 32.
pub fn solutions(turn: Turn, n: usize) -> Result<Solutions> {
    let mut boards = Boards::new(TurnSearch::new(turn, Size::new(n)?));
    Ok(Solutions::new(move |cancel| boards.next(cancel)))
}
