//! Counts in an asynchronous program with tokio, on a thread for blocking work. The count stops when nobody waits for
//! it.

use std::time::Duration;

use nqueens::{CancelToken, Counter, Outcome};

/// Counts while other tasks run. The count stops when this future is dropped, for example by a timeout.
async fn count(n: usize) -> nqueens::Result<Outcome> {
    let stop = StopOnDrop(CancelToken::new());
    let counter = Counter::new(n)?.cancelled_by(&stop.0);
    tokio::task::spawn_blocking(move || counter.run()).await.expect("a count does not panic")
}

struct StopOnDrop(CancelToken);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

fn main() -> nqueens::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    runtime.block_on(async {
        let outcome = count(12).await?;
        println!("{} solutions for n = 12", outcome.solutions);
        assert_eq!(outcome.solutions, 14_200);
        let days = tokio::time::timeout(Duration::from_millis(100), count(26)).await;
        println!("n = 26: {}", if days.is_err() { "nobody waits any longer" } else { "done already" });
        assert!(days.is_err());
        Ok(())
    })
    // Here the runtime waits for its threads. They end at once, because the count was stopped.
}
