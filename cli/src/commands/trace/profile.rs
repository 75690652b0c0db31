//! `nqueens trace --profile`: the number of queens that the search places in each row.

use nqueens::board::Size;
use nqueens::registry;
use nqueens::solver::Isa;
use nqueens::trace;

use crate::machine::calibration;
use crate::terminal::Streams;
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
    const BAR: f64 = 48.0;
    let most = profile.iter().copied().max().unwrap_or(1);
    let width = most.to_string().len().max("nodes".len());
    let mut text = format!("queens  {:>width$}\n", "nodes");
    for (queens, &nodes) in profile.iter().enumerate() {
        let bar = "█".repeat((BAR * nodes as f64 / most as f64).ceil() as usize);
        text += format!("{queens:>6}  {nodes:>width$}  {bar}").trim_end();
        text.push('\n');
    }
    text + &format!("   all  {:>width$}\n", profile.iter().sum::<u64>())
}
