//! Counts a single unit of work of n = 18, and estimates the time of the whole count from it.

use std::time::Instant;

use nqueens::Counter;

fn main() -> nqueens::Result<()> {
    let plan = Counter::new(18)?.solver("bitmask").plan()?;
    let unit = plan.units() / 2;
    let start = Instant::now();
    let total = plan.count().units([unit]).run()?;
    let seconds = start.elapsed().as_secs_f64();
    println!("unit {unit} of {}: {} solutions, weights included, in {seconds:.4} s", plan.units(), total.solutions);
    println!("all units would take about {:.0} s on one thread", seconds * plan.units() as f64);
    assert!(plan.units() > 100);
    Ok(())
}
