//! An iterator over solutions, for every solver.

use std::iter::FusedIterator;

use crate::board::Board;
use crate::cancel::{CancelToken, Cancelled};

/// Iterates over solutions in lexicographic order, in constant memory.
///
/// On a large board the search for the next solution may take hours. [`cancelled_by`](Self::cancelled_by) can stop it.
pub struct Solutions {
    next: Box<Next>,
    cancel: CancelToken,
    state: State,
}

/// Finds the next solution.
type Next = dyn FnMut(&CancelToken) -> Result<Option<Board>, Cancelled> + Send;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Searching,
    Complete,
    Stopped,
}

impl Solutions {
    /// Makes an iterator from the solutions that `next` finds.
    ///
    /// `next` returns `None` after the last solution, and an error soon after its token is cancelled. Then it is not
    /// called again. Between two solutions the iterator asks the token itself.
    #[must_use]
    pub fn new(next: impl FnMut(&CancelToken) -> Result<Option<Board>, Cancelled> + Send + 'static) -> Self {
        Self { next: Box::new(next), cancel: CancelToken::new(), state: State::Searching }
    }

    /// Ends within milliseconds when `cancel` is cancelled, also during the search for the next solution. Then
    /// [`is_stopped`](Self::is_stopped) is true.
    ///
    /// ```
    /// let cancel = nqueens::CancelToken::new();
    /// let mut solutions = nqueens::solutions(8)?.cancelled_by(&cancel);
    /// assert!(solutions.next().is_some());
    /// cancel.cancel();
    /// assert!(solutions.next().is_none() && solutions.is_stopped());
    /// # Ok::<(), nqueens::Error>(())
    /// ```
    #[must_use]
    pub fn cancelled_by(mut self, cancel: &CancelToken) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// Whether it ended because its token was cancelled. Then solutions may be missing.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.state == State::Stopped
    }
}

impl Iterator for Solutions {
    type Item = Board;

    fn next(&mut self) -> Option<Board> {
        if self.state != State::Searching {
            return None;
        }
        let next = self.cancel.check().and_then(|()| (self.next)(&self.cancel));
        self.state = match next {
            Ok(Some(_)) => State::Searching,
            Ok(None) => State::Complete,
            Err(Cancelled) => State::Stopped,
        };
        next.ok().flatten()
    }
}

impl FusedIterator for Solutions {}

/// Shows whether it is searching, complete or stopped.
impl std::fmt::Debug for Solutions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Solutions").field("state", &self.state).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Size;
    use crate::registry;
    use crate::symmetric::{self, Turn};

    /// Stops every iterator at every place where it asks its token. Until then it yields the first solutions.
    #[test]
    fn a_stopped_stream_yields_the_first_solutions_and_says_that_it_was_stopped() {
        type Stream = fn(usize) -> Solutions;
        let streams: [(usize, Stream); 4] = [
            (13, |n| crate::solutions(n).unwrap()),
            (13, |n| registry::reference().solutions(Size::new(n).unwrap()).unwrap()),
            (20, |n| symmetric::solutions(Turn::Half, n).unwrap()),
            (32, |n| symmetric::solutions(Turn::Quarter, n).unwrap()),
        ];
        for (n, stream) in streams {
            // To list all solutions would take too long here.
            let some: Vec<Board> = stream(n).take(10).collect();
            let mut asked_while_searching = false;
            for asks in (0..40).chain([1000]) {
                let mut solutions = stream(n).cancelled_by(&CancelToken::after(asks));
                let found: Vec<Board> = solutions.by_ref().take(some.len()).collect();
                assert_eq!(found, some[..found.len()], "n = {n}, {asks} asks");
                assert_eq!(solutions.is_stopped(), found.len() < some.len());
                asked_while_searching |= found.len() + 1 < asks && solutions.is_stopped();
                if solutions.is_stopped() {
                    assert_eq!(solutions.next(), None);
                }
            }
            assert!(asked_while_searching, "n = {n} is stopped between solutions only");
            let mut complete = stream(4).cancelled_by(&CancelToken::new());
            assert!(complete.by_ref().count() > 0 && !complete.is_stopped());
        }
    }
}
