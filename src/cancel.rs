//! A token that stops counts.

use std::convert::Infallible;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::{Error, Result};

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
#[derive(Clone)]
pub struct CancelToken(Arc<TokenNode>);

struct TokenNode {
    cancelled: AtomicBool,
    /// A token is cancelled if an ancestor is.
    parent: Option<CancelToken>,
    /// The thread that waits for this token's deadline has the other end, and sees when the token is dropped.
    #[expect(dead_code, reason = "nothing is sent")]
    timer: Option<Sender<Infallible>>,
    /// How many more calls of `is_cancelled` return `false`, those of descendants included. Only tests limit them.
    #[cfg(test)]
    asks_left: Option<std::sync::atomic::AtomicUsize>,
}

/// What [`CancelToken::check`] says of a token that is cancelled. A search passes it on with `?`, so nobody takes what was
/// found so far for a result. As an [`Error`] it is [`Error::Cancelled`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled;

impl From<Cancelled> for Error {
    fn from(Cancelled: Cancelled) -> Self {
        Self::Cancelled { units_done: 0, units: 0 }
    }
}

/// The longest sleep before a deadline. While a machine is suspended its clocks may stop, and a sleep may end late. So
/// the timer looks at the clock again.
const LONGEST_SLEEP: Duration = Duration::from_secs(1);

impl CancelToken {
    /// Makes a token that is not cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::below(None, None)
    }

    fn below(parent: Option<Self>, timer: Option<Sender<Infallible>>) -> Self {
        Self(Arc::new(TokenNode {
            cancelled: AtomicBool::new(false),
            parent,
            timer,
            #[cfg(test)]
            asks_left: None,
        }))
    }

    /// Makes a child token. Cancelling this token cancels the child; cancelling the child does not cancel this token.
    #[must_use]
    pub fn child(&self) -> Self {
        Self::below(Some(self.clone()), None)
    }

    /// Like [`CancelToken::child`], but the child is also cancelled at `deadline`. A thread sleeps until then. It ends
    /// when nobody has the child any more, and within a second after the child is cancelled. If the deadline is past, the
    /// child is cancelled and no thread starts.
    ///
    /// ```
    /// use std::time::{Duration, Instant};
    /// use nqueens::{CancelToken, Counter, Error};
    ///
    /// let cancel = CancelToken::new();
    /// let soon = cancel.child_until(Instant::now() + Duration::from_millis(50))?;
    /// let result = Counter::new(27)?.solver("bitmask").cancelled_by(&soon).run();
    /// assert!(matches!(result, Err(Error::Cancelled { .. })));
    /// assert!(!cancel.is_cancelled());
    /// # Ok::<(), nqueens::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Timer`] if the thread cannot be started.
    pub fn child_until(&self, deadline: Instant) -> Result<Self> {
        let timed = self.timed_child(deadline).map_err(|error| Error::Timer { reason: error.to_string() });
        timed.map(|(child, _)| child)
    }

    /// Makes a child, and the thread that cancels it at its deadline. `None` if the deadline is past.
    fn timed_child(&self, deadline: Instant) -> io::Result<(Self, Option<JoinHandle<()>>)> {
        if Instant::now() >= deadline {
            let child = self.child();
            child.cancel();
            return Ok((child, None));
        }
        let (timer, closed) = mpsc::channel();
        let child = Self::below(Some(self.clone()), Some(timer));
        let token = Arc::downgrade(&child.0);
        let thread =
            thread::Builder::new().name("deadline".to_owned()).spawn(move || wait(&token, deadline, &closed))?;
        Ok((child, Some(thread)))
    }

    /// A token that is cancelled after `asks` calls of `is_cancelled`. Tests stop a count at every place where it can
    /// stop.
    #[cfg(test)]
    pub(crate) fn after(asks: usize) -> Self {
        let mut token = Self::new();
        Arc::get_mut(&mut token.0).expect("it has no clone").asks_left = Some(asks.into());
        token
    }

    /// Stops every count that has this token or a descendant of it, within a fraction of a second.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Relaxed);
    }

    /// Fails if this token or an ancestor of it is cancelled. Solvers ask this every few milliseconds.
    ///
    /// # Errors
    /// [`Cancelled`].
    #[inline]
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }

    /// Whether this token or an ancestor of it is cancelled. It reads a flag of each, and no clock.
    // A look at the clock would cost a solver up to a quarter of its time, so a thread waits for deadlines.
    // In line, the loop takes registers from the search: `bitmask` would be 7 % slower.
    #[inline(never)]
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

/// Shows whether it is cancelled.
impl std::fmt::Debug for CancelToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CancelToken").field("cancelled", &self.is_cancelled()).finish_non_exhaustive()
    }
}

impl Default for CancelToken {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for TokenNode {
    fn drop(&mut self) {
        // A loop, because a long chain of ancestors would overflow the stack if each dropped the next.
        let mut parent = self.parent.take();
        while let Some(CancelToken(token)) = parent {
            parent = Arc::into_inner(token).and_then(|mut token| token.parent.take());
        }
    }
}

/// Cancels a token at its deadline. Ends before if the token is cancelled or gone.
fn wait(token: &Weak<TokenNode>, deadline: Instant, closed: &Receiver<Infallible>) {
    while let Some(token) = token.upgrade().map(CancelToken).filter(|token| !token.is_cancelled()) {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return token.cancel();
        }
        drop(token);
        // An error either way: the time is over, or the channel is closed.
        let _ = closed.recv_timeout(left.min(LONGEST_SLEEP));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_are_cancelled_together_and_descendants_with_their_ancestor() {
        let token = CancelToken::new();
        // Nobody has the token between.
        let (clone, child, grandchild) = (token.clone(), token.child(), token.child().child());
        child.cancel();
        assert!(child.is_cancelled() && !token.is_cancelled() && !grandchild.is_cancelled());
        assert!(child.child().is_cancelled());
        clone.cancel();
        assert!([&token, &clone, &child, &grandchild, &token.child()].iter().all(|token| token.is_cancelled()));
        assert_eq!(format!("{grandchild:?}"), "CancelToken { cancelled: true, .. }");
    }

    /// The threads of tests have stacks of 2 MiB.
    #[test]
    fn a_chain_of_a_million_tokens_is_asked_cancelled_shown_and_dropped() {
        let first = CancelToken::new();
        let chain = || (0..1_000_000).fold(first.child(), |token, _| token.child());
        drop(chain());
        let last = chain();
        assert!(!last.is_cancelled());
        first.cancel();
        assert!(last.is_cancelled());
        assert!(!format!("{last:?}").is_empty());
    }

    #[test]
    fn a_deadline_that_is_past_starts_no_thread() {
        let token = CancelToken::new();
        let (child, timer) = token.timed_child(Instant::now()).unwrap();
        assert!(child.is_cancelled() && timer.is_none() && !token.is_cancelled());
    }

    #[test]
    #[cfg_attr(target_family = "wasm", ignore = "it has no threads")]
    fn a_deadline_cancels_a_child_and_not_its_parent() {
        let (token, now) = (CancelToken::new(), Instant::now());
        let deadline = now + Duration::from_millis(20);
        let soon = token.child_until(deadline).unwrap().child();
        while !soon.is_cancelled() {
            thread::yield_now();
        }
        assert!(Instant::now() >= deadline && !token.is_cancelled());
        let later = token.child_until(now + Duration::from_secs(86_400)).unwrap();
        assert!(!later.is_cancelled());
        token.cancel();
        assert!(later.is_cancelled());
    }

    /// This test takes a day if a timer sleeps on.
    #[test]
    #[cfg_attr(target_family = "wasm", ignore = "it has no threads")]
    fn a_timer_ends_with_its_token() {
        let deadline = Instant::now() + Duration::from_secs(86_400);
        for is_cancelled in [false, true] {
            let token = CancelToken::new();
            let (child, timer) = token.timed_child(deadline).unwrap();
            if is_cancelled {
                token.cancel();
            } else {
                drop(child);
            }
            timer.unwrap().join().unwrap();
        }
    }
}
