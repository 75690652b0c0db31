//! Shows the progress of a count, and stops it on a signal.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use nqueens::{CancelToken, Counter, Error, Monitor, Outcome};

use super::duration::in_words;
use super::plural::plural;
use super::progress::Display;
use super::signals::Interrupts;
use super::time_left::Forecast;
use super::{Streams, say};
use crate::exit::Exit;
use crate::machine::pace;

/// Watches work with a monitor.
pub(crate) struct Watch<'a> {
    pub(crate) interrupts: &'a Interrupts,
    pub(crate) quiet: bool,
}

impl Watch<'_> {
    /// Counts. Returns the outcome and the seconds that it took.
    pub(crate) fn count(&self, counter: &Counter) -> anyhow::Result<(Outcome, f64)> {
        let choice = counter.choice()?;
        let (size, threads) = (counter.size(), counter.threads_used()?);
        let forecast = Forecast::new(pace::thread_seconds(choice.solver, size, choice.isa, threads), threads);
        self.run(&format!("n = {size}"), forecast, |cancel, monitor| {
            let start = Instant::now();
            counter
                .clone()
                .cancelled_by(cancel)
                .run_with(monitor)
                .map(|outcome| (outcome, start.elapsed().as_secs_f64()))
        })
    }

    /// Does the work on this thread while another one watches it.
    ///
    /// # Errors
    /// After a signal, an error that says how much was done.
    pub(crate) fn run<T>(
        &self,
        label: &str,
        mut forecast: Forecast,
        work: impl FnOnce(&CancelToken, &Monitor) -> nqueens::Result<T>,
    ) -> anyhow::Result<T> {
        let (cancel, monitor) = (&CancelToken::new(), &Monitor::new());
        let mut work_time = WorkTime::since(Instant::now());
        let mut display = Display::new(label, self.quiet);
        let tell = || self.tell_of_refused_threads(monitor.progress().threads_refused);
        let tick = move || {
            tell();
            forecast.update(work_time.after_a_pause(Instant::now()).as_secs_f64(), monitor.progress());
            display.show(forecast.fraction(), || forecast.in_words());
        };
        let result = self.interrupts.while_cancelling(cancel, tick, || work(cancel, monitor));
        tell();
        result.map_err(|error| match error {
            Error::Cancelled { .. } => {
                self.interrupts.caught().unwrap_or(Exit::Failure).error(format!("{label}: {error}"))
            }
            error => error.into(),
        })
    }

    /// Notes once that the system refuses threads.
    fn tell_of_refused_threads(&self, refused: usize) {
        static IS_TOLD: AtomicBool = AtomicBool::new(false);
        if refused > 0 && !self.quiet && !IS_TOLD.swap(true, Relaxed) {
            let refused = plural(refused, "thread");
            let limits = "ulimit -u, or pids.max of its control group";
            say("nqueens", &format!("the system refuses {refused} ({limits}): counting on those that it starts"));
        }
    }
}

/// The time that work took, without the time that the process was suspended (Ctrl-Z, SIGSTOP).
struct WorkTime {
    work: Duration,
    seen: Instant,
}

impl WorkTime {
    /// The longest pause between two looks that counts as work. There are ten looks per second, fewer on a busy machine.
    const LONGEST_PAUSE: Duration = Duration::from_secs(5);

    fn since(start: Instant) -> Self {
        Self { work: Duration::ZERO, seen: start }
    }

    /// Adds the time since the last look, and returns the sum.
    fn after_a_pause(&mut self, now: Instant) -> Duration {
        self.work += now.duration_since(self.seen).min(Self::LONGEST_PAUSE);
        self.seen = now;
        self.work
    }
}

/// Warns if a count is predicted to take more than a year.
pub(crate) fn warn_if_endless(counter: &Counter, streams: &Streams<'_>) -> nqueens::Result<()> {
    const YEAR: f64 = 365.25 * 86400.0;
    let (choice, size, threads) = (counter.choice()?, counter.size(), counter.threads_used()?);
    let seconds = pace::thread_seconds(choice.solver, size, choice.isa, threads) / threads as f64;
    if seconds > YEAR {
        streams.note(format_args!(
            "warning: n = {size} is predicted to take about {} here with {} on {}; counting anyway, \
             Ctrl-C stops it",
            in_words(seconds),
            choice.solver.name(),
            plural(threads, "thread"),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_of_suspension_is_not_time_of_work() {
        let start = Instant::now();
        let mut time = WorkTime::since(start);
        let at = |seconds| start + Duration::from_secs(seconds);
        assert_eq!([1, 4, 8].map(|seconds| time.after_a_pause(at(seconds)).as_secs()), [1, 4, 8]);
        assert_eq!([3608, 3610].map(|seconds| time.after_a_pause(at(seconds)).as_secs()), [13, 15]);
    }
}
