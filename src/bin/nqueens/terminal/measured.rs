//! What the measuring subcommands share: signals are heeded and progress is shown while a measurement runs.

use crate::bench;
use nqueens::{CancelToken, Error};

use super::Streams;
use super::progress::Display;
use super::signals::Interrupts;
use crate::exit::Exit;

/// Does the work on this thread while another one waits for signals, on which it cancels the token. The display is
/// drawn only when the work says so, between samples.
pub(crate) fn watched<T>(
    streams: &Streams<'_>,
    work: impl FnOnce(&CancelToken, &mut Display) -> bench::Result<T>,
) -> anyhow::Result<T> {
    watched_by(&Interrupts::catch()?, streams, work)
}

/// The same, the signals being caught already.
pub(crate) fn watched_by<T>(
    interrupts: &Interrupts,
    streams: &Streams<'_>,
    work: impl FnOnce(&CancelToken, &mut Display) -> bench::Result<T>,
) -> anyhow::Result<T> {
    let cancel = CancelToken::new();
    let mut display = Display::new("measuring", streams.is_quiet());
    let result = interrupts.while_cancelling(&cancel, || {}, || work(&cancel, &mut display))?;
    drop(display);
    result.map_err(|error| match error {
        bench::Error::Count(Error::Cancelled { .. }) => interrupts
            .caught()
            .unwrap_or(Exit::Failure)
            .error("stopped before everything was measured: there is no result"),
        error => error.into(),
    })
}
