//! Solutions that look the same after a turn, and the number of fundamental solutions.
//!
//! The searches place queens in pairs (half turn) or in fours (quarter turn), so that they take a tiny part of the time
//! of a count of all solutions. Each search is a [`Plan`], which the [`engine`](crate::engine) counts on any number of
//! threads. The registry does not list these searches, because they do not count all solutions.
//!
//! ```
//! use nqueens::board::Size;
//! use nqueens::symmetric::{self, Turn};
//!
//! let twelve = Size::new(12)?;
//! assert_eq!(Turn::Half.plan(twelve).count().run()?.solutions, 80);
//! let first = symmetric::solutions(Turn::Quarter, twelve).next().unwrap();
//! assert_eq!(first.turned(), first);
//! # Ok::<(), nqueens::Error>(())
//! ```

mod classes;
mod search;

pub use classes::Classes;

use crate::Solutions;
use crate::board::{Board, Size};
use crate::solver::Plan;
use search::{Boards, TurnSearch};

/// A turn of the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Turn {
    /// A turn by 180 degrees.
    Half,
    /// A turn by 90 degrees. A board that looks the same after this turn looks the same after the half turn too.
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
    /// Returns whether `solution` looks the same after this turn. The result is meaningless for a board that is not a
    /// solution.
    #[must_use]
    pub fn fixes(self, solution: &Board) -> bool {
        let turned = solution.turned();
        match self {
            Self::Half => turned.turned() == *solution,
            Self::Quarter => turned == *solution,
        }
    }

    /// Cuts the count of the solutions that look the same after this turn into units of work.
    #[must_use]
    pub fn plan(self, size: Size) -> Box<dyn Plan> {
        Box::new(TurnSearch::new(self, size))
    }
}

/// Returns an iterator over the solutions that look the same after `turn`, in lexicographic order. It needs constant
/// memory.
#[must_use]
pub fn solutions(turn: Turn, size: Size) -> Solutions {
    let mut boards = Boards::new(TurnSearch::new(turn, size));
    Solutions::new(move |cancel| boards.next(cancel))
}
