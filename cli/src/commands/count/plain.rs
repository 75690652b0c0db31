//! Counts one size after another without saving shards, with a note before each count.

use nqueens::Counter;

use crate::commands::counting::Counting;
use crate::commands::prepared::Prepared;
use crate::terminal::{Streams, signals, units};

/// The minimum predicted time of a count with a note. Nobody reads a note before a shorter count ends.
const WORTH_A_NOTE_SECONDS: f64 = 0.05;

/// The minimum predicted time of a count whose note contains a forecast.
pub(super) const WORTH_A_FORECAST_SECONDS: f64 = 1.0;

/// The minimum predicted time of a count whose note recommends a folder.
const WORTH_A_FOLDER_SECONDS: f64 = 600.0;

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
        let prepared = Prepared::new(counter, counting)?;
        let note = note(&prepared, counting, can_be_saved)?;
        if let Some(note) = note.filter(|note| *note != last) {
            streams.note(&note);
            last = note;
        }
        count(&prepared, streams)?;
    }
    Ok(())
}

/// Returns the note about a count, or `None` for a short one. It names the code that counts, its threads or cards, and
/// the time and memory, and recommends a folder for a long count that can be saved.
fn note(prepared: &Prepared, counting: &Counting, can_be_saved: bool) -> anyhow::Result<Option<String>> {
    let Prepared { counter, forecast, on } = prepared;
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
