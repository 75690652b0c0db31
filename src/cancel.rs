//! A token that stops counts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

/// Stops counts. Clones are one token: keep one clone, and give others to any number of counts.
///
/// A cancelled token stays cancelled. A count that begins with it stops at once, so take a new token to count again. A
/// count that was complete before stays complete.
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
pub struct CancelToken(Arc<TokenNode>);

#[derive(Debug, Default)]
struct TokenNode {
    cancelled: AtomicBool,
    /// If the parent is cancelled, this token is too.
    parent: Option<CancelToken>,
    /// From this instant on the token is cancelled.
    deadline: Option<Instant>,
    /// How many more calls of `is_cancelled` return `false`. Only tests limit them.
    #[cfg(test)]
    asks_left: Option<std::sync::atomic::AtomicUsize>,
}

impl CancelToken {
    /// Makes a token that is not cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes a child token. Cancelling this token cancels the child; cancelling the child does not cancel this token.
    #[must_use]
    pub fn child(&self) -> Self {
        Self(Arc::new(TokenNode { parent: Some(self.clone()), ..TokenNode::default() }))
    }

    /// Like [`CancelToken::child`], but the child is also cancelled from `deadline` on.
    #[must_use]
    pub fn child_until(&self, deadline: Instant) -> Self {
        Self(Arc::new(TokenNode { parent: Some(self.clone()), deadline: Some(deadline), ..TokenNode::default() }))
    }

    /// A token that is cancelled after `asks` calls of `is_cancelled`. Tests stop a count at every place where it can
    /// stop.
    #[cfg(test)]
    pub(crate) fn after(asks: usize) -> Self {
        Self(Arc::new(TokenNode { asks_left: Some(asks.into()), ..TokenNode::default() }))
    }

    /// Stops every count that has this token or a child of it, within a fraction of a second.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Relaxed);
    }

    /// Whether this token or its parent is cancelled. Solvers ask this every few milliseconds.
    #[inline]
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        #[cfg(test)]
        if let Some(left) = &self.0.asks_left
            && left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_err()
        {
            self.cancel();
        }
        self.0.cancelled.load(Relaxed)
            || self.0.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.0.parent.as_ref().is_some_and(Self::is_cancelled)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn clones_are_cancelled_together_and_children_with_their_parent() {
        let token = CancelToken::new();
        let (clone, child, grandchild) = (token.clone(), token.child(), token.child().child());
        child.cancel();
        assert!(child.is_cancelled() && !token.is_cancelled() && !grandchild.is_cancelled());
        clone.cancel();
        assert!([&token, &clone, &child, &grandchild].iter().all(|token| token.is_cancelled()));
    }

    #[test]
    fn a_deadline_cancels_a_child_and_not_its_parent() {
        let (token, now) = (CancelToken::new(), Instant::now());
        assert!(token.child_until(now).is_cancelled());
        assert!(!token.is_cancelled());
        let later = token.child_until(now + Duration::from_secs(86_400));
        assert!(!later.is_cancelled());
        token.cancel();
        assert!(later.is_cancelled());
    }
}
