//! Deadlines: a thread that sleeps cancels a token.

use std::convert::Infallible;
use std::io;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use nqueens::CancelToken;

/// The longest sleep before a deadline. While a machine is suspended its clocks may stop, and a sleep may end late. So
/// the thread looks at the clock again.
const LONGEST_SLEEP: Duration = Duration::from_secs(1);

/// A token that is cancelled at a deadline, while this lives.
pub(crate) struct Timer {
    pub(crate) token: CancelToken,
    /// The thread has the other end, and sees when this is dropped.
    _open: Sender<Infallible>,
}

impl Timer {
    /// Starts the thread, for a child of `parent`.
    pub(crate) fn start(parent: &CancelToken, deadline: Instant) -> io::Result<Self> {
        let token = parent.child();
        let (open, closed) = mpsc::channel();
        let of_thread = token.clone();
        thread::Builder::new().name("deadline".to_owned()).spawn(move || {
            while !of_thread.is_cancelled() {
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return of_thread.cancel();
                }
                if closed.recv_timeout(left.min(LONGEST_SLEEP)) == Err(RecvTimeoutError::Disconnected) {
                    return;
                }
            }
        })?;
        Ok(Self { token, _open: open })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_cancels_its_token_and_not_the_parent() {
        let parent = CancelToken::new();
        let deadline = Instant::now() + Duration::from_millis(20);
        let timer = Timer::start(&parent, deadline).unwrap();
        while !timer.token.is_cancelled() {
            thread::yield_now();
        }
        assert!(Instant::now() >= deadline && !parent.is_cancelled());
        let tomorrow = Timer::start(&parent, deadline + Duration::from_secs(86_400)).unwrap();
        assert!(!tomorrow.token.is_cancelled());
        parent.cancel();
        assert!(tomorrow.token.is_cancelled());
    }
}
