//! Watches a count while it runs: shows how far it is, and stops it when a signal comes.

use std::time::Instant;

use nqueens::{CancelToken, Counter, Error, Monitor, Outcome, Progress};

use super::Streams;
use super::duration::in_words;
use super::exit::Exit;
use super::interrupt::Interrupts;
use super::progress::Display;

/// Watches work that shows its progress on a monitor.
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
        self.run(&format!("n = {size}"), forecast, |cancel, monitor| {
            let start = Instant::now();
            counter
                .clone()
                .cancelled_by(cancel)
                .run_with(monitor)
                .map(|outcome| (outcome, start.elapsed().as_secs_f64()))
        })
    }

    /// Does the work on this thread while another one watches it. Work that a signal stopped is an error that
    /// says how far it was.
    pub(crate) fn run<T>(
        &self,
        label: &str,
        forecast: Forecast,
        work: impl FnOnce(&CancelToken, &Monitor) -> nqueens::Result<T>,
    ) -> anyhow::Result<T> {
        let (cancel, monitor) = (&CancelToken::new(), &Monitor::new());
        let start = Instant::now();
        let mut display = Display::new(label, self.quiet);
        let tick = move || {
            let (seconds, progress) = (start.elapsed().as_secs_f64(), monitor.progress());
            display.show(progress.fraction, || forecast.in_words(seconds, progress));
        };
        let result = self.interrupts.while_cancelling(cancel, tick, || work(cancel, monitor))?;
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

    fn in_words(&self, elapsed: f64, progress: Progress) -> String {
        let left = match self.seconds_left(elapsed, progress) {
            Some(left) => format!("about {} left", in_words(left)),
            None => "no telling yet how much longer".to_owned(),
        };
        let done = 100.0 * progress.fraction;
        format!("{done:.1} % of the predicted work done after {}, {left}", in_words(elapsed))
    }
}

/// Says so where a count will take longer than anybody waits.
pub(super) fn warn_if_endless(counter: &Counter, streams: &Streams<'_>) {
    const YEAR: f64 = 365.25 * 86400.0;
    let (choice, size, threads) = (counter.choice(), counter.size(), counter.threads_used());
    let seconds = choice.solver.predicted_seconds(size, choice.isa) / threads as f64;
    if seconds > YEAR {
        streams.note(format_args!(
            "warning: n = {size} is predicted to take about {} here with {} on {threads} {}; counting all the same, \
             Ctrl-C stops it",
            in_words(seconds),
            choice.solver.name(),
            if threads == 1 { "thread" } else { "threads" },
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_the_share_that_is_done() {
        let forecast = Forecast { threads: 2, predicted_seconds: 30.0 };
        let left = |elapsed, units_done, fraction| {
            let mut progress = Progress::default();
            (progress.units, progress.units_done, progress.fraction) = (100, units_done, fraction);
            forecast.seconds_left(elapsed, progress)
        };
        assert_eq!(left(5.0, 0, 0.0), Some(25.0));
        assert_eq!(left(31.0, 1, 0.01), None);
        // 50 units of 100 done and two half done: 51 in 51 seconds.
        assert_eq!(left(51.0, 50, 0.5).map(f64::round), Some(49.0));
    }
}
