//! Counts one size after another, with a note before each count and its progress.

use std::time::Instant;

use nqueens::{CancelToken, Counter, Outcome, Progress};

use super::super::counting::Counting;
use crate::exit;
use crate::forecast::{self, Forecast};
use crate::terminal::task::Task;
use crate::terminal::time_left::TimeLeft;
use crate::terminal::{Streams, signals, units};

/// The least predicted time of a count with a note. Nobody reads a note before a shorter count ends.
const WORTH_A_NOTE_SECONDS: f64 = 0.05;

/// The least predicted time of a count whose note contains a forecast.
const WORTH_A_FORECAST_SECONDS: f64 = 1.0;

/// The least predicted time of a count whose note recommends a folder.
const WORTH_A_FOLDER_SECONDS: f64 = 600.0;

/// The longest predicted time of a count that needs no confirmation.
const YEAR_SECONDS: f64 = 365.25 * 86_400.0;

/// Counts each size on the threads that fit in memory, after a note with the solver, the threads, the time and the
/// memory. The note of a long count recommends `folder`, the option that saves finished work, which is empty if the
/// count cannot be saved.
pub(super) fn each(
    counters: Vec<Counter>,
    counting: &Counting,
    folder: &str,
    streams: &mut Streams<'_>,
    mut count: impl FnMut(&Counter, &mut Streams<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut said = String::new();
    signals::catch()?;
    for counter in counters {
        let (counter, on) = counting.fit(counter)?;
        // Nobody has timed a card.
        let forecast = if counting.cards.is_some() { None } else { Some(Forecast::of(&counter)?) };
        if !streams.quiet && forecast.is_none_or(|forecast| forecast.seconds() >= WORTH_A_NOTE_SECONDS) {
            let choice = counter.choice()?;
            let code = counting.code(choice.solver, Some(choice.isa))?;
            let mut words = format!("counting with {code} {on}");
            if let Some(forecast) = forecast.filter(|forecast| forecast.seconds() >= WORTH_A_FORECAST_SECONDS) {
                let (time, trust) = (forecast::range(forecast.seconds()), forecast.trust());
                let memory = units::bytes(counter.predicted()?.bytes);
                words += &format!("; n = {} takes {time} and {memory}{trust}", counter.size());
                if forecast.seconds() >= WORTH_A_FOLDER_SECONDS && !folder.is_empty() {
                    words += &format!(". To keep finished work, add {folder}");
                }
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

/// Fails if a count takes more than a year on the threads of its counter, because a user who names neither a solver nor
/// a folder has probably mistyped the size. `folder` is that of [`each`].
pub(in super::super) fn refuse_years(counter: &Counter, folder: &str) -> anyhow::Result<()> {
    let (forecast, solver) = (Forecast::of(counter)?, counter.choice()?.solver.name());
    if forecast.seconds() <= YEAR_SECONDS {
        return Ok(());
    }
    let (size, time) = (counter.size(), forecast::range(forecast.seconds()));
    let or_folder = if folder.is_empty() { String::new() } else { format!(", or '{folder}' to keep finished work") };
    Err(exit::Kind::Failure
        .error(format!("n = {size} takes {time} here: to count it nevertheless, add '--solver {solver}'{or_folder}")))
}

/// Counts and shows the progress. Returns the outcome, and the seconds that the count took.
pub(in super::super) fn count(counter: &Counter, streams: &Streams<'_>) -> anyhow::Result<(Outcome, f64)> {
    let run = |cancel: &CancelToken, progress: &Progress| {
        let start = Instant::now();
        let outcome = counter.clone().cancelled_by(cancel).progress(progress).run()?;
        Ok((outcome, start.elapsed().as_secs_f64()))
    };
    let label = format!("n = {}", counter.size());
    let time_left = TimeLeft::new(Forecast::of(counter)?.seconds(), counter.threads_used()?);
    Task::new(&label, streams)?.run(time_left, run)
}
