//! Counts n = 16 with a progress bar.

use std::io::Write;

use nqueens::{Counter, Progress, Snapshot};

fn draw(progress: Snapshot) {
    let filled = (40.0 * progress.fraction) as usize;
    eprint!("\r[{:<40}]", "=".repeat(filled));
    let _ = std::io::stderr().flush();
}

fn main() -> nqueens::Result<()> {
    let outcome = Counter::new(16)?.progress(&Progress::calling(draw)).run()?;
    eprintln!();
    println!("{} solutions for n = {}, by {} ({})", outcome.solutions, outcome.size, outcome.solver, outcome.isa);
    assert_eq!(outcome.solutions, 14_772_512);
    Ok(())
}
