//! The iterator over solutions.

use std::iter::FusedIterator;

use crate::Result;
use crate::board::Board;
use crate::cancel::{CancelToken, Cancelled};

/// An iterator over solutions in lexicographic order, which needs constant memory.
///
/// On a large board the search for the next solution may take hours; [`cancelled_by`](Self::cancelled_by) lets you stop
/// it.
pub struct Solutions {
    next: Box<Next>,
    cancel: CancelToken,
    is_over: bool,
}

/// A function that finds the next solution.
type Next = dyn FnMut(&CancelToken) -> Result<Option<Board>, Cancelled> + Send;

impl Solutions {
    /// Creates an iterator over the solutions that `next` finds.
    ///
    /// `next` must return `None` after the last solution. It must return [`Cancelled`] soon after its token is
    /// cancelled, and never otherwise. After either, it is not called again. Between two solutions, the iterator checks
    /// the token itself.
    pub(crate) fn new(next: impl FnMut(&CancelToken) -> Result<Option<Board>, Cancelled> + Send + 'static) -> Self {
        Self { next: Box::new(next), cancel: CancelToken::new(), is_over: false }
    }

    /// Returns an iterator that ends with an error within milliseconds once `cancel` is cancelled, even during the
    /// search for the next solution.
    ///
    /// ```
    /// let cancel = nqueens::CancelToken::new();
    /// let mut solutions = nqueens::solutions(8)?.cancelled_by(&cancel);
    /// assert!(matches!(solutions.next(), Some(Ok(_))));
    /// cancel.cancel();
    /// assert!(matches!(solutions.next(), Some(Err(_))));
    /// assert!(solutions.next().is_none());
    /// # Ok::<(), nqueens::Error>(())
    /// ```
    pub fn cancelled_by(mut self, cancel: &CancelToken) -> impl FusedIterator<Item = Result<Board>> + Send + 'static {
        self.cancel = cancel.clone();
        std::iter::from_fn(move || self.find_next().map_err(Into::into).transpose()).fuse()
    }

    fn find_next(&mut self) -> Result<Option<Board>, Cancelled> {
        if self.is_over {
            return Ok(None);
        }
        let next = self.cancel.check().and_then(|()| (self.next)(&self.cancel));
        self.is_over = !matches!(next, Ok(Some(_)));
        next
    }
}

impl Iterator for Solutions {
    type Item = Board;

    fn next(&mut self) -> Option<Board> {
        self.find_next().ok().flatten()
    }
}

impl FusedIterator for Solutions {}

/// Shows whether the iterator is over.
impl std::fmt::Debug for Solutions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Solutions").field("is_over", &self.is_over).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Size;
    use crate::rows;
    use crate::symmetric::{self, Turn};

    /// Stops every iterator at every place where it checks its token. Until then, the iterator must yield the first
    /// solutions.
    #[test]
    fn a_stopped_stream_yields_the_first_solutions_and_reports_that_it_was_stopped() {
        type Stream = fn(Size) -> Solutions;
        let streams: [(usize, Stream); 4] = [
            (13, rows::solutions),
            (13, rows::reference_boards),
            (20, |size| symmetric::solutions(Turn::Half, size)),
            (32, |size| symmetric::solutions(Turn::Quarter, size)),
        ];
        for (n, stream) in streams {
            let stream = |n| stream(Size::new(n).unwrap());
            // All solutions would take too long.
            let some: Vec<Board> = stream(n).take(10).collect();
            let mut asked_while_searching = false;
            for asks in (0..40).chain([1000]) {
                let mut solutions = stream(n).cancelled_by(&CancelToken::after(asks));
                let found: Vec<Board> = solutions.by_ref().take(some.len()).map_while(Result::ok).collect();
                assert_eq!(found, some[..found.len()], "n = {n}, {asks} asks");
                if found.len() < some.len() {
                    asked_while_searching |= found.len() + 1 < asks;
                    // `map_while` has taken the error.
                    assert_eq!(solutions.next(), None);
                }
            }
            assert!(asked_while_searching, "n = {n} was stopped only between solutions");
            let stopped = stream(n).cancelled_by(&CancelToken::after(0)).next();
            assert_eq!(stopped, Some(Err(Cancelled.into())));
            let complete: Result<Vec<Board>> = stream(4).cancelled_by(&CancelToken::new()).collect();
            assert!(!complete.unwrap().is_empty());
        }
    }
}
