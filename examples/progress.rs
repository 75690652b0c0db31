//! Counts with a progress bar.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use nqueens::{Counter, Monitor};

fn main() -> nqueens::Result<()> {
    let (counter, monitor, is_done) = (Counter::new(16)?, Monitor::new(), AtomicBool::new(false));
    let outcome = thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Relaxed) {
                let filled = (40.0 * monitor.progress().fraction) as usize;
                eprint!("\r[{:<40}]", "=".repeat(filled));
                let _ = std::io::stderr().flush();
                thread::sleep(Duration::from_millis(50));
            }
            eprintln!("\r[{}]", "=".repeat(40));
        });
        let outcome = counter.run_with(&monitor);
        is_done.store(true, Relaxed);
        outcome
    })?;
    println!("{} solutions for n = {}, by {} ({})", outcome.solutions, outcome.size, outcome.solver, outcome.isa);
    assert_eq!(outcome.solutions, 14_772_512);
    Ok(())
}
