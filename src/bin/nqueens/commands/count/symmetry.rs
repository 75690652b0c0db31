//! `nqueens count --symmetry`, `--classes` and `--fundamental`: solutions by their symmetry.

use std::time::Instant;

use nqueens::board::Size;
use nqueens::symmetric::{self, Classes, Turn};
use nqueens::{Counter, engine::Pool};
use serde::Serialize;

use super::layout::{Column, Layout, digits};
use super::{Args, how};
use crate::exit::Exit;
use crate::terminal::Streams;
use crate::terminal::task::Task;
use crate::terminal::time_left::Forecast;

/// The result for one size, as in JSON.
#[derive(Serialize)]
struct Timed<R> {
    schema: u32,
    #[serde(flatten)]
    result: R,
    seconds: f64,
}

/// The number of solutions that a turn does not change.
#[derive(Serialize)]
struct TurnCount {
    size: usize,
    symmetry: &'static str,
    #[serde(with = "nqueens::decimal")]
    solutions: u128,
}

/// `--symmetry`.
pub(super) fn count_turns(turn: Turn, sizes: &[Size], args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let symmetry = if turn == Turn::Half { "half-turn" } else { "quarter-turn" };
    let columns: Vec<Column<Timed<TurnCount>>> = vec![(symmetry, 16, |line| line.result.solutions.to_string())];
    let layout = Layout::start(args, sizes, columns, |line| format!("{:.6}", line.seconds), streams)?;
    let pool = args.how.threads.pool(args.how.threads.number());
    for size in sizes.iter().map(|size| size.get()) {
        let (solutions, seconds) = count_turn(turn, size, pool, streams)?;
        let result = TurnCount { size, symmetry, solutions };
        layout.line(size, &Timed { schema: 1, result, seconds }, streams)?;
    }
    Ok(Exit::Fine)
}

/// `--classes` and `--fundamental`.
pub(super) fn count_classes(
    sizes: &[Size],
    counters: Vec<Counter>,
    args: &Args,
    streams: &mut Streams<'_>,
) -> anyhow::Result<Exit> {
    let digits = digits(sizes);
    let mut columns: Vec<Column<Timed<Classes>>> = vec![
        ("solutions", digits, |line| line.result.all.to_string()),
        ("half turn", 12, |line| line.result.half_turn.to_string()),
        ("quarter turn", 12, |line| line.result.quarter_turn.to_string()),
        ("fundamental", digits, |line| line.result.fundamental.to_string()),
        ("orbits: 8", digits, |line| line.result.asymmetric_orbits.to_string()),
        ("4", 11, |line| line.result.half_turn_orbits.to_string()),
        ("2", 11, |line| line.result.quarter_turn_orbits.to_string()),
    ];
    if args.fundamental {
        columns.retain(|&(name, ..)| name == "fundamental");
    }
    let layout = Layout::start(args, sizes, columns, |line| format!("{:.6}", line.seconds), streams)?;
    args.how.each(counters, "", streams, |counter, streams| {
        let (n, pool) = (counter.size().get(), args.how.threads.pool(args.how.threads.number()));
        // Symmetric solutions first: they take less time.
        let (quarter_turn, quarter_seconds) = count_turn(Turn::Quarter, n, pool, streams)?;
        let (half_turn, half_seconds) = count_turn(Turn::Half, n, pool, streams)?;
        let (outcome, seconds) = how::count(counter, streams)?;
        let result = Classes::new(n, outcome.solutions, half_turn, quarter_turn)?;
        let seconds = seconds + half_seconds + quarter_seconds;
        Ok(layout.line(n, &Timed { schema: 1, result, seconds }, streams)?)
    })
}

/// Counts symmetric solutions, with progress. Returns the count and the seconds.
fn count_turn(turn: Turn, n: usize, pool: Pool, streams: &Streams<'_>) -> anyhow::Result<(u128, f64)> {
    // Measured on one thread. The time grows by 3.2 and by 1.9 with each n.
    let seconds = match turn {
        Turn::Half => 8.0 * 3.2f64.powf(n as f64 - 26.0),
        Turn::Quarter => 0.01 * 1.9f64.powf(n as f64 - 32.0),
    };
    let task = Task::new(&format!("n = {n}, {turn}"), streams)?;
    task.run(Forecast::new(seconds, pool.threads()?), |cancel, monitor| {
        let start = Instant::now();
        symmetric::count(turn, n, pool, cancel, monitor).map(|count| (count, start.elapsed().as_secs_f64()))
    })
}
