//! Solutions that a turn of the board leaves as they are, and what follows from their numbers: fundamental solutions and
//! the sizes of orbits.
//!
//! They are so few that they are searched for by themselves: queens are placed in pairs (half turn) or in fours (quarter
//! turn), on boards far larger than those whose solutions can all be counted. Each search is a [`Plan`], so that the
//! [`engine`] runs it on any number of threads; it is no solver of the registry, for it does not count all
//! solutions.
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
use crate::{CancelToken, Error, Monitor, Result};

/// A turn that leaves the solutions in question as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Turn {
    /// By 180 degrees.
    Half,
    /// By 90 degrees, and so by 180 as well.
    Quarter,
}

impl Turn {
    /// The largest size searched: lines of a board this large still fit a u128.
    pub const MAX_SIZE: usize = 64;

    /// Whether a solution is left as it is.
    #[must_use]
    pub fn leaves(self, solution: &Solution) -> bool {
        use crate::board::Symmetry;
        *solution
            == solution.image(match self {
                Self::Half => Symmetry::HalfTurn,
                Self::Quarter => Symmetry::QuarterTurn,
            })
    }

    /// The count for an n x n board, cut into units of work.
    ///
    /// # Errors
    /// [`Error::SizeAbove`] for n above 64.
    pub fn plan(self, n: usize) -> Result<Box<dyn Plan>> {
        check(n)?;
        Ok(match self {
            Self::Half => Box::new(half_turn::Middles::new(n)),
            Self::Quarter => Box::new(quarter_turn::FirstRow::new(n)),
        })
    }
}

fn check(n: usize) -> Result<()> {
    if n > Turn::MAX_SIZE {
        return Err(Error::SizeAbove { given: n.to_string(), max: Turn::MAX_SIZE });
    }
    Ok(())
}

/// Counts the solutions that the turn leaves as they are, on so many threads or in the caller's [`Pool`], until `cancel`
/// stops it; `monitor` shows how far it is.
///
/// # Errors
/// [`Error::SizeAbove`] for n above 64, and those of [`engine::run`].
pub fn count(turn: Turn, n: usize, pool: impl Into<Pool>, cancel: &CancelToken, monitor: &Monitor) -> Result<u128> {
    let plan = turn.plan(n)?;
    let units: Vec<usize> = (0..plan.units()).collect();
    engine::run(&*plan, &units, pool, cancel, monitor).map(|total| total.solutions)
}

/// Iterates over the solutions that the turn leaves as they are, in lexicographic order and constant memory.
///
/// # Errors
/// [`Error::SizeAbove`] for n above 64.
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
