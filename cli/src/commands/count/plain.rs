//! Counts one size after another without saving shards, with a note before each count.

use std::time::Instant;

use nqueens::{CancelToken, Counter, Outcome, Progress};

use crate::commands::counting::{Counting, Fitted};
use crate::exit;
use crate::forecast::{Forecast, YEAR_SECONDS};
use crate::terminal::task::Task;
use crate::terminal::time_left::TimeLeft;
use crate::terminal::{Streams, signals, units};

/// The minimum predicted time of a count with a note. Nobody reads a note before a shorter count ends.
const WORTH_A_NOTE_SECONDS: f64 = 0.05;

/// The minimum predicted time of a count whose note contains a forecast.
const WORTH_A_FORECAST_SECONDS: f64 = 1.0;

/// The minimum predicted time of a count whose note recommends a folder.
const WORTH_A_FOLDER_SECONDS: f64 = 600.0;

/// A count that is about to begin, with its forecast.
pub(crate) struct Prepared {
    pub(super) counter: Counter,
    forecast: Forecast,
}

/// Counts each size on the threads that fit in memory, after a note about the count.
pub(super) fn each(
    counters: Vec<Counter>,
    counting: &Counting,
    can_be_saved: bool,
    streams: &mut Streams<'_>,
    mut count: impl FnMut(&Prepared, &mut Streams<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut last = String::new();
    // A signal after the first note is told, even if no task has begun yet.
    signals::catch()?;
    for counter in counters {
        let Fitted { threads, words } = counting.fit(&counter)?;
        let prepared = Prepared::new(counter.threads(threads))?;
        let note = prepared.note(&words, counting, can_be_saved)?;
        if let Some(note) = note.filter(|note| *note != last) {
            streams.note(&note);
            last = note;
        }
        count(&prepared, streams)?;
    }
    Ok(())
}

impl Prepared {
    pub(crate) fn new(counter: Counter) -> nqueens::Result<Self> {
        Ok(Self { forecast: Forecast::of(&counter)?, counter })
    }

    /// Returns the note about a count, or `None` for a short one. It names the code that counts, its threads or cards
    /// (`on`), and the time and memory, and recommends a folder for a long count that can be saved.
    fn note(&self, on: &str, counting: &Counting, can_be_saved: bool) -> anyhow::Result<Option<String>> {
        let Self { counter, forecast } = self;
        let mut note = format!("counting with {} {on}", counting.code(counter.choice()?.solver)?);
        // There is no forecast for cards, because nobody has timed one.
        if counting.cards.is_some() {
            return Ok(Some(note));
        }
        let seconds = forecast.seconds();
        if seconds >= WORTH_A_FORECAST_SECONDS {
            let (time, memory) = (forecast.range(), units::bytes(counter.predicted()?.bytes));
            note += &format!("; n = {} takes {time} and {memory}{}", counter.size(), forecast.trust());
        }
        if seconds >= WORTH_A_FOLDER_SECONDS && can_be_saved {
            note += ". To keep finished work, add --dir FOLDER";
        }
        Ok((seconds >= WORTH_A_NOTE_SECONDS).then_some(note))
    }

    /// Fails if the count takes more than a year on its threads, because a user who names neither a solver nor a folder
    /// has probably mistyped the size.
    pub(crate) fn refuse_years(&self, can_be_saved: bool) -> anyhow::Result<()> {
        let is_hopeful = can_be_saved && !self.forecast.takes_ages();
        let or_folder = if is_hopeful { ", or '--dir FOLDER' to keep finished work" } else { "" };
        if self.forecast.seconds() > YEAR_SECONDS { self.refuse(or_folder) } else { Ok(()) }
    }

    /// Fails if nobody will see the end of the count, for which a folder is not confirmation enough.
    pub(super) fn refuse_ages(&self) -> anyhow::Result<()> {
        if self.forecast.takes_ages() { self.refuse("") } else { Ok(()) }
    }

    fn refuse(&self, or_folder: &str) -> anyhow::Result<()> {
        let (size, solver, time) = (self.counter.size(), self.counter.choice()?.solver.name(), self.forecast.range());
        Err(exit::Kind::Failure
            .error(format!("n = {size} takes {time} here: to count it anyway, add '--solver {solver}'{or_folder}")))
    }

    /// Counts and shows the progress. Returns the outcome, and the seconds that the count took.
    pub(crate) fn count(&self, streams: &Streams<'_>) -> anyhow::Result<(Outcome, f64)> {
        let counter = &self.counter;
        let run = |cancel: &CancelToken, progress: &Progress| {
            let start = Instant::now();
            let outcome = counter.clone().cancelled_by(cancel).progress(progress).run()?;
            Ok((outcome, start.elapsed().as_secs_f64()))
        };
        let time_left = TimeLeft::new(self.forecast.seconds(), counter.threads_used()?);
        Task::new(&format!("n = {}", counter.size()), streams)?.run(time_left, run)
    }
}
