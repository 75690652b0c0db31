//! Counts with progress, and the time that a count is predicted to take.

use std::time::Instant;

use nqueens::{Counter, Outcome};

use crate::machine::pace;
use crate::terminal::Streams;
use crate::terminal::duration::in_words;
use crate::terminal::plural::plural;
use crate::terminal::task::Task;
use crate::terminal::time_left::Forecast;

/// Predicted seconds of a count on its threads.
pub(crate) fn predicted_seconds(counter: &Counter) -> nqueens::Result<f64> {
    let (choice, threads) = (counter.choice()?, counter.threads_used()?);
    Ok(pace::thread_seconds(choice.solver, counter.size(), choice.isa, threads) / threads as f64)
}

/// Counts. Returns the outcome and the seconds that it took.
pub(crate) fn count(counter: &Counter, streams: &Streams<'_>) -> anyhow::Result<(Outcome, f64)> {
    let threads = counter.threads_used()?;
    let forecast = Forecast::new(predicted_seconds(counter)? * threads as f64, threads);
    Task::new(&format!("n = {}", counter.size()), streams)?.run(forecast, |cancel, monitor| {
        let start = Instant::now();
        let outcome = counter.clone().cancelled_by(cancel).run_with(monitor)?;
        Ok((outcome, start.elapsed().as_secs_f64()))
    })
}

/// Warns if a count is predicted to take more than a year.
pub(crate) fn warn_if_endless(counter: &Counter, streams: &Streams<'_>) -> nqueens::Result<()> {
    const YEAR: f64 = 365.25 * 86400.0;
    let seconds = predicted_seconds(counter)?;
    if seconds > YEAR {
        streams.note(format_args!(
            "warning: n = {} is predicted to take about {} here with {} on {}; counting anyway, Ctrl-C stops it",
            counter.size(),
            in_words(seconds),
            counter.choice()?.solver.name(),
            plural(counter.threads_used()?, "thread"),
        ));
    }
    Ok(())
}
