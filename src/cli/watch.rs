//! Watches a count while it runs: shows how far it is, and stops it when a signal comes.

use std::io::IsTerminal;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use nqueens::{Counter, Error, Monitor, Outcome, Progress};

use super::duration::in_words;
use super::exit::Exit;
use super::interrupt::Interrupts;

/// How often signals are looked for and the bar is drawn.
const TICK: Duration = Duration::from_millis(100);
/// A count shorter than this is not worth a bar.
const BAR_AFTER: Duration = Duration::from_millis(500);
/// Where no bar can be drawn: one line each.
const LINE_EVERY: Duration = Duration::from_secs(60);

/// Watches work that reports to a monitor.
pub(crate) struct Watch<'a> {
    pub(crate) interrupts: &'a Interrupts,
    pub(crate) quiet: bool,
}

impl Watch<'_> {
    /// Counts, watched, and tells the seconds it took.
    pub(crate) fn count(&self, counter: &Counter) -> anyhow::Result<(Outcome, f64)> {
        let choice = counter.choice();
        let (size, threads) = (counter.size(), counter.threads_used());
        let forecast = Forecast::new(choice.solver.predicted_seconds(size, choice.isa), threads);
        let monitor = Monitor::new();
        self.run(&monitor, &format!("n = {size}"), forecast, || {
            let start = Instant::now();
            counter.run_with(&monitor).map(|outcome| (outcome, start.elapsed().as_secs_f64()))
        })
    }

    /// Does the work on this thread while another one watches its monitor. Work that a signal stopped is an error that
    /// says how far it was.
    pub(crate) fn run<T>(
        &self,
        monitor: &Monitor,
        label: &str,
        forecast: Forecast,
        work: impl FnOnce() -> nqueens::Result<T>,
    ) -> anyhow::Result<T> {
        let result = thread::scope(|scope| {
            let start = Instant::now();
            let (done, is_done) = mpsc::channel::<()>();
            let watch = move || {
                let mut display = if self.quiet { None } else { Some(Display::new(label)) };
                while is_done.recv_timeout(TICK) == Err(mpsc::RecvTimeoutError::Timeout) {
                    if self.interrupts.caught().is_some() {
                        monitor.cancel();
                        display = None;
                    }
                    if let Some(display) = &mut display {
                        display.show(start.elapsed(), monitor.progress(), &forecast);
                    }
                }
            };
            let watcher = thread::Builder::new().spawn_scoped(scope, watch).map_err(|error| {
                anyhow::Error::from(error).context("cannot start the thread that shows the progress")
            })?;
            let result = work();
            drop(done);
            // The bar is gone before anything else is printed.
            let _ = watcher.join();
            anyhow::Ok(result)
        })?;
        result.map_err(|error| match error {
            Error::Cancelled { .. } => {
                self.interrupts.caught().unwrap_or(Exit::Failure).error(format!("{label}: {error}"))
            }
            error => error.into(),
        })
    }
}

/// What is known before a count about the time it takes.
pub(crate) struct Forecast {
    threads: usize,
    /// On all of them.
    predicted_seconds: f64,
}

impl Forecast {
    /// The forecast for work that takes one core so many seconds.
    pub(crate) fn new(core_seconds: f64, threads: usize) -> Self {
        Self { threads, predicted_seconds: core_seconds / threads as f64 }
    }

    /// The seconds left: by the share of the predicted cost that is done, as soon as every thread has finished a unit;
    /// before that by the prediction, and `None` where that has proved wrong.
    fn seconds_left(&self, elapsed: f64, progress: Progress) -> Option<f64> {
        let units_left = progress.units.saturating_sub(progress.units_done);
        if progress.units_done < self.threads || units_left == 0 {
            return Some(self.predicted_seconds - elapsed).filter(|&left| left > 0.0);
        }
        // Units that are being counted are half done on average.
        let cost_of_one = (1.0 - progress.fraction) / units_left as f64;
        let done = progress.fraction + 0.5 * cost_of_one * self.threads.min(units_left) as f64;
        Some(elapsed * (1.0 - done) / done)
    }
}

/// A bar on a terminal, a line a minute elsewhere.
enum Display {
    Bar { bar: Option<ProgressBar>, label: String },
    Lines { next: Duration, label: String },
}

impl Display {
    fn new(label: &str) -> Self {
        let label = label.to_owned();
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        if std::io::stderr().is_terminal() && !is_dumb {
            Self::Bar { bar: None, label }
        } else {
            Self::Lines { next: LINE_EVERY, label }
        }
    }

    fn show(&mut self, elapsed: Duration, progress: Progress, forecast: &Forecast) {
        let seconds = elapsed.as_secs_f64();
        let done = format!("{:.1} % of the predicted work done", 100.0 * progress.fraction);
        let left = match forecast.seconds_left(seconds, progress) {
            Some(left) => format!("about {} left", in_words(left)),
            None => "no telling yet how much longer".to_owned(),
        };
        match self {
            Self::Bar { bar, label } if elapsed >= BAR_AFTER => {
                let bar = bar.get_or_insert_with(|| new_bar(label));
                bar.set_position((1000.0 * progress.fraction) as u64);
                bar.set_message(format!("{done}, {left}"));
            }
            Self::Lines { next, label } if elapsed >= *next => {
                eprintln!("nqueens: {label}: {done} after {}, {left}", in_words(seconds));
                *next += LINE_EVERY;
            }
            _ => {}
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        if let Self::Bar { bar: Some(bar), .. } = self {
            bar.finish_and_clear();
        }
    }
}

fn new_bar(label: &str) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{prefix} [{bar:25}] {msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(1000).with_style(style.progress_chars("=> ")).with_prefix(label.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_the_share_that_is_done() {
        let forecast = Forecast { threads: 2, predicted_seconds: 30.0 };
        let left = |elapsed, units_done, fraction| {
            forecast.seconds_left(elapsed, Progress { units: 100, units_done, fraction })
        };
        assert_eq!(left(5.0, 0, 0.0), Some(25.0));
        assert_eq!(left(31.0, 1, 0.01), None);
        // 50 units of 100 done and two half done: 51 in 51 seconds.
        assert_eq!(left(51.0, 50, 0.5).map(f64::round), Some(49.0));
    }
}
