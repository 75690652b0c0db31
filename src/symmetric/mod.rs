//! Solutions that a turn of the board does not change, and the number of fundamental solutions.
//!
//! The searches place queens in pairs (half turn) or in fours (quarter turn). So they reach much larger boards than a
//! count of all solutions. Each search is a [`Plan`], which the [`engine`] runs on any number of threads. The searches
//! are not solvers of the registry, because they do not count all solutions.
//!
//! ```
//! use nqueens::{CancelToken, Monitor};
//! use nqueens::symmetric::{self, Turn};
//!
//! let (cancel, monitor) = (CancelToken::new(), Monitor::new());
//! assert_eq!(symmetric::count(Turn::Half, 12, 1, &cancel, &monitor)?, 80);
//! assert_eq!(symmetric::count(Turn::Quarter, 32, 1, &cancel, &monitor)?, 406_784);
//! let first = symmetric::solutions(Turn::Quarter, 12)?.next().unwrap();
//! assert_eq!(first.image(nqueens::board::Symmetry::QuarterTurn), first);
//! # Ok::<(), nqueens::Error>(())
//! ```

mod classes;
mod half_turn;
mod quarter_turn;

pub use classes::Classes;

use crate::board::Solution;
use crate::engine::{self, Pool};
use crate::solver::{Plan, Solutions};
use crate::{CancelToken, Error, Monitor, Result, room};

/// A turn of the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Turn {
    /// A turn by 180 degrees.
    Half,
    /// A turn by 90 degrees. A board that it does not change is not changed by the half turn either.
    Quarter,
}

impl Turn {
    /// The largest size that can be searched. Its 2n - 1 = 127 diagonals fit a `u128`.
    pub const MAX_SIZE: usize = 64;

    /// Whether this turn does not change `solution`.
    #[must_use]
    pub fn leaves(self, solution: &Solution) -> bool {
        use crate::board::Symmetry;
        *solution
            == solution.image(match self {
                Self::Half => Symmetry::HalfTurn,
                Self::Quarter => Symmetry::QuarterTurn,
            })
    }

    /// Cuts the count for an n x n board into units of work.
    ///
    /// # Errors
    /// [`Error::Size`] for n above 64.
    pub fn plan(self, n: usize) -> Result<Box<dyn Plan>> {
        check(n)?;
        Ok(match self {
            Self::Half => Box::new(half_turn::Middles::new(n)?),
            Self::Quarter => Box::new(quarter_turn::FirstRow::new(n)),
        })
    }
}

fn check(n: usize) -> Result<()> {
    if n > Turn::MAX_SIZE {
        return Err(Error::Size { given: n.to_string(), largest: Turn::MAX_SIZE });
    }
    Ok(())
}

/// Counts the solutions that `turn` does not change. `pool` is a number of threads or a [`Pool`]. `cancel` stops the
/// count, and `monitor` shows the progress.
///
/// # Errors
/// [`Error::Size`] for n above 64, and the errors of [`engine::run`].
pub fn count(turn: Turn, n: usize, pool: impl Into<Pool>, cancel: &CancelToken, monitor: &Monitor) -> Result<u128> {
    monitor.begin(0, 0.0);
    let plan = turn.plan(n)?;
    let units = room::collect(0..plan.units())?;
    engine::run(&*plan, &units, pool, cancel, monitor).map(|total| total.solutions)
}

/// Iterates over the solutions that `turn` does not change, in lexicographic order and constant memory.
///
/// # Errors
/// [`Error::Size`] for n above 64.
pub fn solutions(turn: Turn, n: usize) -> Result<Solutions> {
    check(n)?;
    Ok(match turn {
        Turn::Half => {
            let mut boards = half_turn::HalfTurnSolutions::new(n);
            Solutions::half_turn(n, move |cancel| boards.next(cancel))
        }
        Turn::Quarter => {
            let mut boards = quarter_turn::QuarterTurnSolutions::new(n);
            Solutions::half_turn(n, move |cancel| boards.next(cancel))
        }
    })
}
