//! `nqueens trace --profile`: the number of queens that the search places in each row.

use nqueens::board::Size;
use nqueens::registry;
use nqueens::solver::Isa;
use nqueens::trace;

use crate::machine::calibration;
use crate::terminal::Streams;
use crate::terminal::table::{Column, Table};
use crate::terminal::task::Task;
use crate::terminal::time_left::Forecast;

/// Counts the nodes of each row, and shows the progress.
pub(super) fn count(size: Size, streams: &Streams<'_>) -> anyhow::Result<Vec<u64>> {
    // The profile has both halves of the first row, and goes step by step.
    let seconds = 2.5 * calibration::thread_seconds(registry::find("bitmask")?, size, Isa::Portable, 1);
    let task = Task::new(&format!("n = {size}"), streams)?;
    task.run(Forecast::new(seconds, 1), |cancel, _| trace::profile(size, cancel))
}

/// One line for each row of the board, with a bar for its nodes.
pub(super) fn in_text(profile: &[u64]) -> String {
    const BAR: usize = 48;
    let (most, all) = (profile.iter().copied().max().unwrap_or(1), profile.iter().sum::<u64>().to_string());
    let table = Table::new([Column::Figures(6), Column::Figures(all.len().max(5)), Column::Text(BAR)]);
    let bar = |nodes: u64| "█".repeat((BAR as f64 * nodes as f64 / most as f64).ceil() as usize);
    let row = |(queens, &nodes): (usize, &u64)| table.line(&[queens.to_string(), nodes.to_string(), bar(nodes)]);
    let rows: String = profile.iter().enumerate().map(row).collect();
    format!("{}{rows}{}", table.line(&["queens", "nodes"]), table.line(&["all", &all]))
}
