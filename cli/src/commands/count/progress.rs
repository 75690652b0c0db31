//! Counts one size after another, with a note before each and its progress.

use std::time::Instant;

use nqueens::{CancelToken, Counter, Outcome, Progress};

use super::super::counting::Counting;
use crate::forecast::{self, CountForecast};
use crate::terminal::task::Task;
use crate::terminal::time_left::Forecast;
use crate::terminal::{Streams, signals, units};

/// Counts each size on the threads that fit, after a note with solver, threads, time and memory. For counts over ten
/// minutes the note ends with `advice`.
pub(super) fn each(
    counters: Vec<Counter>,
    counting: &Counting,
    advice: &str,
    streams: &mut Streams<'_>,
    mut count: impl FnMut(&Counter, &mut Streams<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut said = String::new();
    // Who reads a note or a result may stop the next count.
    signals::catch()?;
    for counter in counters {
        let (counter, on) = counting.fit(counter)?;
        // Nobody has timed a card.
        let forecast = if counting.cards.is_some() { None } else { Some(CountForecast::of(&counter)?) };
        // Nobody reads a note before a count of milliseconds ends.
        if !streams.quiet && forecast.is_none_or(|forecast| forecast.seconds() >= WORTH_A_NOTE_SECONDS) {
            let choice = counter.choice()?;
            let code = counting.code(choice.solver, Some(choice.isa))?;
            let mut words = format!("counting with {code} {on}");
            // A user has not read a forecast of less than a second before the count ends.
            if let Some(forecast) = forecast.filter(|forecast| forecast.seconds() >= 1.0) {
                let (time, trust) = (forecast::range(forecast.seconds()), forecast.trust());
                let memory = units::bytes(counter.predicted()?.bytes);
                let advice = if forecast.seconds() < 600.0 { "" } else { advice };
                words += &format!("; n = {} takes {time} and {memory}{trust}{advice}", counter.size());
            }
            if words != said {
                streams.note(&words);
                said = words;
            }
        }
        count(&counter, streams)?;
    }
    Ok(())
}

/// Counts that are predicted to take less get no note.
const WORTH_A_NOTE_SECONDS: f64 = 0.05;

/// Counts. Returns the outcome and the seconds that it took.
pub(in super::super) fn count(counter: &Counter, streams: &Streams<'_>) -> anyhow::Result<(Outcome, f64)> {
    let run = |cancel: &CancelToken, progress: &Progress| {
        let start = Instant::now();
        let outcome = counter.clone().cancelled_by(cancel).progress(progress).run()?;
        Ok((outcome, start.elapsed().as_secs_f64()))
    };
    let label = format!("n = {}", counter.size());
    let threads = counter.threads_used()?;
    let forecast = Forecast::new(CountForecast::of(counter)?.seconds() * threads as f64, threads);
    Task::new(&label, streams)?.run(forecast, run)
}
