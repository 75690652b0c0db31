//! Tokens that stop counts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::{Error, Result};

/// A token that stops counts. Clones are the same token: keep one clone, and give the others to any number of counts.
///
/// A cancelled token stays cancelled, and a count that begins with it stops at once, so create a new token to count
/// again. A count that was already complete keeps its result.
///
/// ```
/// use nqueens::{CancelToken, Counter, Error};
///
/// let cancel = CancelToken::new();
/// let counter = Counter::new(8)?.cancelled_by(&cancel);
/// assert_eq!(counter.run()?.solutions, 92);
/// cancel.cancel();
/// assert!(matches!(counter.run(), Err(Error::Cancelled { .. })));
/// # Ok::<(), nqueens::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<Flag>);

#[derive(Debug, Default)]
struct Flag {
    cancelled: AtomicBool,
    /// A token is cancelled if an ancestor is.
    parent: Option<CancelToken>,
    /// The number of further calls of `is_cancelled`, on this token or a descendant, that return `false`. Only tests
    /// limit it.
    #[cfg(test)]
    asks_left: Option<std::sync::atomic::AtomicUsize>,
}

/// The error that [`CancelToken::check`] returns for a cancelled token. A search passes it on with `?`, so that nobody
/// takes an incomplete count for a result. It converts into [`Error::Cancelled`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stopped")]
pub struct Cancelled;

impl From<Cancelled> for Error {
    fn from(Cancelled: Cancelled) -> Self {
        Self::Cancelled { units_done: 0, units: 0 }
    }
}

impl CancelToken {
    /// Creates a token that is not cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a child of this token. Cancelling this token cancels the child, but not the other way round. Do not nest
    /// thousands of tokens: [`check`](Self::check) reads every ancestor, and dropping the last of them is a recursion.
    #[must_use]
    pub fn child(&self) -> Self {
        Self(Arc::new(Flag { parent: Some(self.clone()), ..Flag::default() }))
    }

    /// Creates a token that cancels itself after `asks` calls of `is_cancelled`, so that a test can stop a count at
    /// every place where it checks the token.
    #[cfg(test)]
    pub(crate) fn after(asks: usize) -> Self {
        let mut token = Self::new();
        Arc::get_mut(&mut token.0).expect("it has no clone").asks_left = Some(asks.into());
        token
    }

    /// Stops every count that uses this token or one of its descendants, within a fraction of a second.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Relaxed);
    }

    /// Fails if this token or one of its ancestors is cancelled. In a solver of your own, call this every few
    /// milliseconds.
    ///
    /// # Errors
    /// [`Cancelled`].
    #[inline]
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }

    /// Returns whether this token or one of its ancestors is cancelled. This reads one flag for each of them.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        let mut token = self;
        loop {
            #[cfg(test)]
            if let Some(left) = &token.0.asks_left
                && left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_err()
            {
                token.cancel();
            }
            if token.0.cancelled.load(Relaxed) {
                return true;
            }
            let Some(parent) = &token.0.parent else { return false };
            token = parent;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_are_cancelled_together_and_descendants_with_their_ancestor() {
        let token = CancelToken::new();
        // The token between the first and the grandchild is dropped.
        let (clone, child, grandchild) = (token.clone(), token.child(), token.child().child());
        child.cancel();
        assert!(child.is_cancelled() && !token.is_cancelled() && !grandchild.is_cancelled());
        assert!(child.child().is_cancelled());
        clone.cancel();
        assert!([&token, &clone, &child, &grandchild, &token.child()].iter().all(|token| token.is_cancelled()));
    }

    #[test]
    fn a_search_with_other_errors_can_pass_it_on() {
        let token = CancelToken::new();
        let search = || -> Result<(), Box<dyn std::error::Error>> { Ok(token.check()?) };
        assert!(search().is_ok());
        token.cancel();
        assert_eq!(search().unwrap_err().to_string(), "stopped");
    }
}
