//! Begins a count that would take days, and stops it after a tenth of a second.

use std::thread;
use std::time::Duration;

use nqueens::{CancelToken, Counter, Error};

fn main() -> nqueens::Result<()> {
    let cancel = CancelToken::new();
    let counter = Counter::new(26)?.solver("bitmask").cancelled_by(&cancel);
    let result = thread::scope(|scope| {
        let counting = scope.spawn(|| counter.run());
        thread::sleep(Duration::from_millis(100));
        cancel.cancel();
        counting.join().expect("a count does not panic")
    });
    match result {
        Err(error @ Error::Cancelled { .. }) => println!("{error}"),
        other => panic!("the count cannot be complete so soon: {other:?}"),
    }
    Ok(())
}
