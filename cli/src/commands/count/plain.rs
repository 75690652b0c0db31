//! Counts one size after another without saving shards, with a note before each count.

use nqueens::board::Size;

use super::layout::{Counted, Layout};
use super::symmetry;
use crate::commands::counting::Counting;
use crate::commands::prepared::{Prepared, refuse_years};
use crate::terminal::{Streams, signals, units};

/// The minimum predicted time of a count with a note. Nobody reads a note before a shorter count ends.
const WORTH_A_NOTE_SECONDS: f64 = 0.05;

/// The minimum predicted time of a count whose note recommends a folder.
const WORTH_A_FOLDER_SECONDS: f64 = 600.0;

/// Counts each size on the cards or on the threads that fit in memory, and prints the result. Refuses all of them if
/// one would take too long.
pub(super) fn print_each(
    sizes: &[Size],
    counting: &Counting,
    layout: &mut Layout<'_>,
    streams: &mut Streams<'_>,
) -> anyhow::Result<()> {
    let can_be_saved = sizes.len() == 1 && !layout.options.classes;
    sizes.iter().try_for_each(|&size| refuse_years(size, counting, can_be_saved))?;
    // A signal after the first note must be reported, even if no task has begun yet.
    signals::catch()?;
    let mut last = String::new();
    for &size in sizes {
        // The memory that is free now decides the number of threads.
        let prepared = &Prepared::new(size, counting)?;
        if let Some(note) = note_before(prepared, can_be_saved).filter(|note| *note != last) {
            streams.note(&note);
            last = note;
        }
        if layout.options.classes {
            symmetry::print_classes(prepared, counting, layout, streams)?;
            continue;
        }
        let (outcome, seconds) = prepared.outcome(streams)?;
        let mut json = serde_json::to_value(&outcome)?;
        if let Some(cards) = &counting.cards {
            json["cards"] = (cards.work)();
        }
        let columns = layout.columns(outcome.solutions, &outcome.work);
        layout.print_count(Counted { size: outcome.size, columns, seconds, json }, streams)?;
    }
    Ok(())
}

/// Returns the note about a count, or `None` for a short one. It names the code that counts, its threads or cards, and
/// the time and memory, and recommends a folder for a long count that can be saved.
fn note_before(prepared: &Prepared<'_>, can_be_saved: bool) -> Option<String> {
    let Prepared { size, code, forecast, hardware, threads, .. } = prepared;
    let mut note = format!("counting with {code} {hardware}");
    let Some(seconds) = forecast.known_seconds() else { return Some(note) };
    if forecast.is_worth_showing() {
        let memory = units::bytes(code.solver.predicted_bytes(*size, code.isa, *threads));
        note += &format!("; n = {size} takes {} and {memory}{}", forecast.range(), forecast.caveats_in_words());
    }
    if seconds >= WORTH_A_FOLDER_SECONDS && can_be_saved {
        note += ". To keep finished work, add --dir RUN";
    }
    (seconds >= WORTH_A_NOTE_SECONDS).then_some(note)
}
