//! Counts with a progress bar.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use nqueens::{Counter, Progress};

fn main() -> nqueens::Result<()> {
    let (counter, progress, is_done) = (Counter::new(16)?, Progress::new(), AtomicBool::new(false));
    let outcome = thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Relaxed) {
                let filled = (40.0 * progress.snapshot().fraction) as usize;
                eprint!("\r[{:<40}]", "=".repeat(filled));
                let _ = std::io::stderr().flush();
                thread::sleep(Duration::from_millis(50));
            }
            eprintln!("\r[{}]", "=".repeat(40));
        });
        let outcome = counter.run_with(&progress);
        is_done.store(true, Relaxed);
        outcome
    })?;
    println!("{} solutions for n = {}, by {} ({})", outcome.solutions, outcome.size, outcome.solver, outcome.isa);
    assert_eq!(outcome.solutions, 14_772_512);
    Ok(())
}
