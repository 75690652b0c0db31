//! Times two solvers on one size, and checks that their counts agree.

use std::time::Instant;

use nqueens::Counter;

fn main() -> nqueens::Result<()> {
    let mut counts = Vec::new();
    for name in ["arrays", "bitmask"] {
        let counter = Counter::new(12)?.solver(name).threads(1);
        let start = Instant::now();
        let outcome = counter.run()?;
        println!(
            "{name:>8}: {} in {:.6} s, {} queens placed",
            outcome.solutions,
            start.elapsed().as_secs_f64(),
            outcome.work.nodes
        );
        counts.push(outcome.solutions);
    }
    assert_eq!(counts[0], counts[1]);
    Ok(())
}
