//! `nqueens count --symmetry`: symmetric solutions.

use std::time::Instant;

use nqueens::board::Size;
use nqueens::engine::Pool;
use nqueens::symmetric;
use nqueens::symmetric::Turn;
use serde::Serialize;

use super::layout::{Column, Layout};
use super::options::How;
use crate::exit::Exit;
use crate::terminal::Streams;
use crate::terminal::task::Task;
use crate::terminal::time_left::Forecast;
use crate::terminal::units::seconds_in_json;

/// A turn, as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Turns {
    /// By 180 degrees (sequence A032522)
    HalfTurn,
    /// By 90 degrees (sequence A033148)
    QuarterTurn,
}

impl From<Turns> for Turn {
    fn from(turn: Turns) -> Self {
        match turn {
            Turns::HalfTurn => Self::Half,
            Turns::QuarterTurn => Self::Quarter,
        }
    }
}

/// Counts symmetric solutions, with progress. Returns the count and the seconds.
pub(crate) fn count_turn(turn: Turn, n: usize, pool: Pool, streams: &Streams<'_>) -> anyhow::Result<(u128, f64)> {
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

/// The result of `--symmetry` for one size, as in JSON. Counts are strings: they pass 2^53.
#[derive(Serialize)]
struct TurnLine {
    schema: u32,
    size: usize,
    symmetry: &'static str,
    solutions: String,
    #[serde(serialize_with = "seconds_in_json")]
    seconds: f64,
}

/// `--symmetry`.
pub(crate) fn count(
    turn: Turns,
    sizes: &[Size],
    how: &How,
    is_json: bool,
    has_time: bool,
    streams: &mut Streams<'_>,
) -> anyhow::Result<Exit> {
    let symmetry = if turn == Turns::HalfTurn { "half-turn" } else { "quarter-turn" };
    let mut columns: Vec<Column<TurnLine>> = vec![(symmetry, 16, |line| line.solutions.clone())];
    if has_time {
        columns.push(("seconds", 12, |line| format!("{:.6}", line.seconds)));
    }
    let layout = Layout::new(is_json, sizes.len() > 1, columns);
    layout.head(streams)?;
    let pool = how.threads.pool(how.threads.number()?)?;
    for size in sizes.iter().map(|size| size.get()) {
        let (solutions, seconds) = count_turn(turn.into(), size, pool, streams)?;
        let line = TurnLine { schema: 1, size, symmetry, solutions: solutions.to_string(), seconds };
        layout.line(size, &line, streams)?;
    }
    Ok(Exit::Fine)
}
