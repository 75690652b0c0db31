//! A token that stops counts.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::thread::{self, JoinHandle, Thread};
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
    /// Keeps the parent alive: cancelling an ancestor cancels this token, whoever else still has the tokens between.
    parent: Option<CancelToken>,
    /// Children that are to be cancelled with this token.
    children: Mutex<Vec<Weak<TokenNode>>>,
    /// The thread that sleeps until this token's deadline.
    timer: OnceLock<Thread>,
    /// How many more calls of `is_cancelled` return `false`, children included. Only tests limit them.
    #[cfg(test)]
    asks_left: Option<Arc<std::sync::atomic::AtomicUsize>>,
}

/// The longest sleep before a deadline. While a machine is suspended its clocks may stop, and a sleep may end late. So
/// the timer looks at the clock again.
const LONGEST_SLEEP: Duration = Duration::from_secs(1);

impl CancelToken {
    /// Makes a token that is not cancelled.
    #[must_use]
    pub fn new() -> Self {
        TokenNode::with(None).into()
    }

    /// Makes a child token. Cancelling this token cancels the child; cancelling the child does not cancel this token.
    #[must_use]
    pub fn child(&self) -> Self {
        let child = Self::from(TokenNode::with(Some(self.clone())));
        // `cancel` sets the flag before it locks the list. So it either finds the child, or the child finds the flag.
        let mut children = self.0.children.lock().unwrap_or_else(PoisonError::into_inner);
        if self.0.cancelled.load(Relaxed) {
            child.cancel();
            return child;
        }
        if children.len() == children.capacity() {
            children.retain(|child| child.strong_count() > 0);
            // Room for as many again, so that pruning takes constant time a child on average.
            let alive = children.len();
            children.reserve(alive + 1);
        }
        children.push(Arc::downgrade(&child.0));
        drop(children);
        child
    }

    /// Like [`CancelToken::child`], but the child is also cancelled at `deadline`. A thread sleeps until then. It ends
    /// when the child is cancelled, or when nobody has the child any more.
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
        let child = self.child();
        if Instant::now() >= deadline {
            child.cancel();
            return Ok(child);
        }
        child.start_timer(deadline).map_err(|error| Error::Timer { reason: error.to_string() })?;
        Ok(child)
    }

    fn start_timer(&self, deadline: Instant) -> std::io::Result<JoinHandle<()>> {
        let token = Arc::downgrade(&self.0);
        let timer = thread::Builder::new().name("deadline".to_owned()).spawn(move || wait(&token, deadline))?;
        // If the token is cancelled before this line, nobody wakes the timer: it ends after its first sleep.
        let _ = self.0.timer.set(timer.thread().clone());
        Ok(timer)
    }

    /// A token that is cancelled after `asks` calls of `is_cancelled`. Tests stop a count at every place where it can
    /// stop.
    #[cfg(test)]
    pub(crate) fn after(asks: usize) -> Self {
        let mut node = TokenNode::with(None);
        node.asks_left = Some(Arc::new(asks.into()));
        node.into()
    }

    /// Stops every count that has this token or a descendant of it, within a fraction of a second.
    pub fn cancel(&self) {
        let mut tokens = vec![self.clone()];
        while let Some(Self(token)) = tokens.pop() {
            token.cancelled.store(true, Relaxed);
            token.wake_timer();
            let children = std::mem::take(&mut *token.children.lock().unwrap_or_else(PoisonError::into_inner));
            tokens.extend(children.iter().filter_map(Weak::upgrade).map(Self));
        }
    }

    /// Whether this token or an ancestor of it is cancelled. It reads one flag and no clock, however many ancestors there
    /// are. Solvers ask this every few milliseconds.
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
    }
}

/// Shows whether it is cancelled.
impl std::fmt::Debug for CancelToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let cancelled = self.0.cancelled.load(Relaxed);
        f.debug_struct("CancelToken").field("cancelled", &cancelled).finish_non_exhaustive()
    }
}

impl Default for CancelToken {
    fn default() -> Self {
        Self::new()
    }
}

impl From<TokenNode> for CancelToken {
    fn from(node: TokenNode) -> Self {
        Self(Arc::new(node))
    }
}

impl TokenNode {
    fn with(parent: Option<CancelToken>) -> Self {
        Self {
            cancelled: AtomicBool::new(false),
            #[cfg(test)]
            asks_left: parent.as_ref().and_then(|parent| parent.0.asks_left.clone()),
            parent,
            children: Mutex::default(),
            timer: OnceLock::new(),
        }
    }

    fn wake_timer(&self) {
        if let Some(timer) = self.timer.get() {
            timer.unpark();
        }
    }
}

impl Drop for TokenNode {
    fn drop(&mut self) {
        self.wake_timer();
        // A loop, because a long chain of ancestors would overflow the stack if each dropped the next.
        let mut parent = self.parent.take();
        while let Some(CancelToken(token)) = parent {
            parent = Arc::into_inner(token).and_then(|mut token| token.parent.take());
        }
    }
}

/// Cancels a token at its deadline. Ends before if the token is cancelled or gone.
fn wait(token: &Weak<TokenNode>, deadline: Instant) {
    while let Some(token) = token.upgrade().map(CancelToken).filter(|token| !token.is_cancelled()) {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return token.cancel();
        }
        drop(token);
        thread::park_timeout(left.min(LONGEST_SLEEP));
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
    fn tokens_that_are_gone_take_no_memory() {
        let token = CancelToken::new();
        let alive: Vec<CancelToken> = (0..10).map(|_| token.child()).collect();
        (0..10_000).for_each(|_| drop(token.child()));
        assert!(token.0.children.lock().unwrap().capacity() < 100);
        token.cancel();
        assert!(alive.iter().all(CancelToken::is_cancelled));
    }

    /// A look at the clock costs a solver up to a quarter of its time.
    #[test]
    fn no_solver_reads_a_clock_when_it_asks() {
        let source = include_str!("cancel.rs");
        let asks = source.split_once("pub fn is_cancelled").unwrap().1.split_once("\n    }\n").unwrap().0;
        assert!(!asks.contains("deadline") && !asks.contains("now"), "{asks}");
    }

    #[test]
    #[cfg_attr(target_family = "wasm", ignore = "it has no threads")]
    fn a_deadline_cancels_a_child_and_not_its_parent() {
        let (token, now) = (CancelToken::new(), Instant::now());
        assert!(token.child_until(now).unwrap().is_cancelled());
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
            let timer = token.child().start_timer(deadline).unwrap();
            let child = token.child();
            let other = child.start_timer(deadline).unwrap();
            if is_cancelled {
                token.cancel();
            }
            drop(child);
            timer.join().unwrap();
            other.join().unwrap();
        }
    }
}
