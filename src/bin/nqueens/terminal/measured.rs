//! Runs a measurement with progress, and stops it on a signal.

use nqueens::CancelToken;

use super::Streams;
use super::progress::Display;
use super::signals::Interrupts;
use crate::exit::Exit;

/// Does the work on this thread while another one waits for signals. A signal cancels the token. The work draws the
/// display, between samples.
pub(crate) fn watched_by<T>(
    interrupts: &Interrupts,
    streams: &Streams<'_>,
    work: impl FnOnce(&CancelToken, &mut Display) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let cancel = CancelToken::new();
    let mut display = Display::new("measuring", streams.quiet);
    let result = interrupts.while_cancelling(&cancel, || {}, || work(&cancel, &mut display));
    drop(display);
    result.map_err(|error| match interrupts.caught() {
        Some(exit) if Exit::of(&error) == Exit::Interrupted => {
            exit.error("stopped before everything was measured: there is no result")
        }
        _ => error,
    })
}
