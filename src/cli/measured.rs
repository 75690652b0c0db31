//! What the measuring subcommands share: signals are heeded and progress is shown while a measurement runs.

use std::cell::RefCell;
use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use nqueens::{Error, Monitor, measure};

use super::Streams;
use super::exit::Exit;
use super::interrupt::Interrupts;

/// How often signals are looked for: seldom enough to leave the measurement alone.
const TICK: Duration = Duration::from_millis(100);

/// Where no bar can be drawn: one line each.
const LINE_EVERY: Duration = Duration::from_secs(60);

/// Does the work on this thread while another one waits for signals, on which it cancels the monitor.
pub(super) fn watched<T>(
    streams: &Streams<'_>,
    work: impl FnOnce(&Monitor, &Display) -> measure::Result<T>,
) -> anyhow::Result<T> {
    let interrupts = Interrupts::catch()?;
    let monitor = Monitor::new();
    let display = Display::new(streams.is_quiet());
    let result = thread::scope(|scope| {
        let (done, is_done) = channel::<()>();
        let watch = || {
            // The channel moves into this thread: it is not shared.
            let is_done = is_done;
            while is_done.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                if interrupts.caught().is_some() {
                    monitor.cancel();
                }
            }
        };
        thread::Builder::new()
            .spawn_scoped(scope, watch)
            .map_err(|error| anyhow::Error::from(error).context("cannot start the thread that waits for signals"))?;
        let result = work(&monitor, &display);
        drop(done);
        anyhow::Ok(result)
    })?;
    display.clear();
    result.map_err(|error| match error {
        measure::Error::Count(Error::Cancelled { .. }) => interrupts
            .caught()
            .unwrap_or(Exit::Failure)
            .error("stopped before everything was measured: there is no result"),
        error => error.into(),
    })
}

/// A bar on a terminal, a line a minute elsewhere.
pub(super) struct Display(RefCell<Kind>);

enum Kind {
    None,
    Bar(ProgressBar),
    Lines { start: Instant, next: Duration },
}

impl Display {
    fn new(is_quiet: bool) -> Self {
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let kind = if is_quiet {
            Kind::None
        } else if std::io::stderr().is_terminal() && !is_dumb {
            let style =
                ProgressStyle::with_template("[{bar:25}] {msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
            Kind::Bar(ProgressBar::new(1000).with_style(style.progress_chars("=> ")))
        } else {
            Kind::Lines { start: Instant::now(), next: LINE_EVERY }
        };
        Self(RefCell::new(kind))
    }

    /// Shows how far the measurement is and what it is at.
    pub(super) fn show(&self, fraction: f64, message: &str) {
        match &mut *self.0.borrow_mut() {
            Kind::None => {}
            Kind::Bar(bar) => {
                bar.set_position((1000.0 * fraction) as u64);
                bar.set_message(message.to_owned());
            }
            Kind::Lines { start, next } => {
                if start.elapsed() >= *next {
                    eprintln!("nqueens: {message}");
                    *next += LINE_EVERY;
                }
            }
        }
    }

    fn clear(&self) {
        if let Kind::Bar(bar) = &*self.0.borrow() {
            bar.finish_and_clear();
        }
    }
}
