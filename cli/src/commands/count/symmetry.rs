//! `nqueens count --symmetry` and `--classes`: counts solutions by their symmetry.

use std::time::Instant;

use nqueens::board::Size;
use nqueens::symmetric::{Classes, Turn};
use serde_json::json;

use super::layout::{Counted, Layout, ResultColumn};
use crate::commands::counting::Counting;
use crate::commands::options::turn_name;
use crate::commands::prepared::Prepared;
use crate::terminal::Streams;
use crate::terminal::task::Task;
use crate::terminal::time_left::TimeLeft;

/// Counts the solutions that look the same after a turn, for each size (`--symmetry`).
pub(super) fn print_turns(
    turn: Turn,
    sizes: &[Size],
    threads: usize,
    layout: &mut Layout<'_>,
    streams: &mut Streams<'_>,
) -> anyhow::Result<()> {
    for &size in sizes {
        let (solutions, seconds) = count_turn(turn, size, threads, streams)?;
        let json = json!({"size": size, "symmetry": turn_name(turn), "solutions": solutions.to_string()});
        let columns = vec![ResultColumn { heading: turn_name(turn), width: 16, value: solutions }];
        layout.print(Counted { size, columns, seconds, json }, streams)?;
    }
    Ok(())
}

/// Counts all, symmetric and fundamental solutions for a size (`--classes`).
pub(super) fn print_classes(
    prepared: &Prepared<'_>,
    counting: &Counting,
    layout: &mut Layout<'_>,
    streams: &mut Streams<'_>,
) -> anyhow::Result<()> {
    let size = prepared.size;
    // Cards do not count symmetric solutions.
    let threads = if counting.cards.is_some() { counting.processor_threads() } else { prepared.threads };
    // Symmetric solutions first, because they take less time.
    let (quarter_turn, quarter_seconds) = count_turn(Turn::Quarter, size, threads, streams)?;
    let (half_turn, half_seconds) = count_turn(Turn::Half, size, threads, streams)?;
    let (outcome, seconds) = prepared.outcome(streams)?;
    let classes = Classes::new(size, outcome.solutions, half_turn, quarter_turn)?;
    let columns = vec![
        layout.column("solutions", classes.all),
        ResultColumn { heading: "half turn", width: 12, value: classes.half_turn },
        ResultColumn { heading: "quarter turn", width: 12, value: classes.quarter_turn },
        layout.column("fundamental", classes.fundamental),
        layout.column("orbits: 8", classes.asymmetric_orbits),
        ResultColumn { heading: "4", width: 11, value: classes.half_turn_orbits },
        ResultColumn { heading: "2", width: 11, value: classes.quarter_turn_orbits },
    ];
    let seconds = quarter_seconds + half_seconds + seconds;
    let json = serde_json::to_value(classes)?;
    Ok(layout.print(Counted { size, columns, seconds, json }, streams)?)
}

/// Counts the solutions that look the same after a turn, and shows the progress. Returns the count, and the seconds
/// that it took.
fn count_turn(turn: Turn, size: Size, threads: usize, streams: &Streams<'_>) -> anyhow::Result<(u128, f64)> {
    // Measured on one thread. From n to n + 1, the time grows by a factor of 3.2 for half turns and 1.9 for quarter
    // turns.
    let n = size.get() as f64;
    let core_seconds = match turn {
        Turn::Half => 8.0 * 3.2f64.powf(n - 26.0),
        Turn::Quarter => 0.01 * 1.9f64.powf(n - 32.0),
    };
    let task = Task::new(&format!("n = {size}, {turn}"), streams)?;
    task.run(TimeLeft::new(Some(core_seconds / threads as f64), threads), |cancel, progress| {
        let start = Instant::now();
        let counted = turn.plan(size).count().threads(threads).cancelled_by(cancel).progress(progress).run()?;
        Ok((counted.solutions, start.elapsed().as_secs_f64()))
    })
}
