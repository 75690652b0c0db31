//! What the measuring subcommands share: signals are heeded and progress is shown while a measurement runs.

use nqueens::{CancelToken, Error, measure};

use super::Streams;
use super::exit::Exit;
use super::interrupt::Interrupts;
use super::progress::Display;

/// Does the work on this thread while another one waits for signals, on which it cancels the token. The display is
/// drawn only when the work says so, between samples.
pub(super) fn watched<T>(
    streams: &Streams<'_>,
    work: impl FnOnce(&CancelToken, &mut Display) -> measure::Result<T>,
) -> anyhow::Result<T> {
    watched_by(&Interrupts::catch()?, streams, work)
}

/// The same, the signals being caught already.
pub(super) fn watched_by<T>(
    interrupts: &Interrupts,
    streams: &Streams<'_>,
    work: impl FnOnce(&CancelToken, &mut Display) -> measure::Result<T>,
) -> anyhow::Result<T> {
    let cancel = CancelToken::new();
    let mut display = Display::new("measuring", streams.is_quiet());
    let result = interrupts.while_cancelling(&cancel, || {}, || work(&cancel, &mut display))?;
    drop(display);
    result.map_err(|error| match error {
        measure::Error::Count(Error::Cancelled { .. }) => interrupts
            .caught()
            .unwrap_or(Exit::Failure)
            .error("stopped before everything was measured: there is no result"),
        error => error.into(),
    })
}
