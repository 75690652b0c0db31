//! Long work, whose progress is shown on standard error and which a signal cancels.
//!
//! A terminal shows a bar, any other stream gets a line each minute, and with `--quiet` nothing is shown.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use nqueens::{CancelToken, Progress};

use super::bar;
use super::output::obeys_escapes;
use super::stop::Stop;
use super::time_left::TimeLeft;
use super::units::plural;
use super::{Streams, escape::escaped, say, signals};

/// The time between two looks for signals. A shorter time would disturb measurements.
const TICK: Duration = Duration::from_millis(100);

/// The time between two bars. It is not shorter, because the log of a terminal keeps every bar.
const DRAW_EVERY: Duration = Duration::from_millis(250);

/// The time before the first bar.
const BAR_AFTER: Duration = Duration::from_millis(500);

/// The time before the first line of progress, on streams without a bar.
const FIRST_LINE_AFTER: Duration = Duration::from_secs(10);

/// The time between two lines, so that the log of a night stays short.
const LINE_EVERY: Duration = Duration::from_secs(60);

/// A piece of long work. When it ends, its bar is erased.
pub(crate) struct Task {
    label: String,
    start: Instant,
    /// Its token is also cancelled by a signal and at the deadline.
    pub(crate) stop: Stop,
    /// Whether progress is shown as a bar rather than in lines.
    has_bar: bool,
    is_quiet: bool,
    /// The time at which progress is shown next.
    next: Mutex<Duration>,
}

impl Task {
    /// Creates the task, starts its clock, and begins to catch signals.
    pub(crate) fn new(label: &str, streams: &Streams<'_>) -> io::Result<Self> {
        signals::catch()?;
        let has_bar = obeys_escapes(&io::stderr());
        let next = Mutex::new(if has_bar { BAR_AFTER } else { FIRST_LINE_AFTER });
        Ok(Self {
            label: label.to_owned(),
            start: Instant::now(),
            stop: Stop::default(),
            has_bar,
            is_quiet: streams.quiet,
            next,
        })
    }

    /// Also cancels the work at the deadline, if there is one.
    pub(crate) fn until(mut self, deadline: Option<Instant>) -> Self {
        self.stop.deadline = deadline;
        self
    }

    /// Does work that updates a `Progress`. If the work fails, the label is added to the error.
    pub(crate) fn run<T>(
        &self,
        mut time_left: TimeLeft,
        work: impl FnOnce(&CancelToken, &Progress) -> nqueens::Result<T>,
    ) -> anyhow::Result<T> {
        /// The longest time between two ticks that counts as work. A longer time means that the process was suspended.
        const LONGEST_TICK: Duration = Duration::from_secs(5);
        let progress = &Progress::new();
        let mut seen = self.start;
        let mut elapsed = Duration::ZERO;
        let mut tick = || {
            self.report_refused_threads(progress);
            elapsed += seen.elapsed().min(LONGEST_TICK);
            seen = Instant::now();
            time_left.update(elapsed.as_secs_f64(), progress.snapshot());
            self.show(time_left.fraction(), || time_left.in_words());
        };
        let result = self.watch(&mut tick, || work(&self.stop.cancel, progress));
        self.report_refused_threads(progress);
        result.map_err(|error| anyhow::Error::from(error).context(self.label.clone()))
    }

    /// Does work that shows its own progress between samples, because drawing would disturb a sample. If the work is
    /// stopped, its error is `stopped`, because the message of the library is that there is no result.
    pub(crate) fn watch_while<T>(
        &self,
        stopped: impl FnOnce() -> String,
        work: impl FnOnce() -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let result = self.watch(|| {}, work);
        result.map_err(|error| match error.downcast_ref() {
            Some(nqueens::Error::Cancelled { .. }) => anyhow!(stopped()),
            _ => error,
        })
    }

    /// Does the work on this thread, while another thread calls `tick` every tenth of a second or, once it has to stop,
    /// cancels the token.
    fn watch<T>(&self, mut tick: impl FnMut() + Send, work: impl FnOnce() -> T) -> T {
        // In a series of short tasks, nobody else looks for signals.
        if self.stop.has_come() {
            self.stop.cancel.cancel();
        }
        let result = thread::scope(|scope| {
            let (done, is_done) = mpsc::channel::<()>();
            let look = move || {
                while is_done.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                    if self.stop.has_come() {
                        // A second signal, which ends the program at once, would leave the bar on the screen.
                        bar::erase();
                        self.stop.cancel.cancel();
                    } else {
                        tick();
                    }
                }
            };
            if thread::Builder::new().spawn_scoped(scope, look).is_err() {
                // The system refuses the thread. The work continues without it, and a signal ends the program at once.
                signals::obey();
            }
            let result = work();
            drop(done);
            result
        });
        bar::erase();
        result
    }

    /// Shows the share of finished work, followed by `text`, if it is time to show progress again.
    pub(crate) fn show(&self, fraction: f64, text: impl FnOnce() -> String) {
        let elapsed = self.start.elapsed();
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_quiet || elapsed < *next {
            return;
        }
        if self.has_bar && bar::is_in_foreground() {
            const BAR_WIDTH: usize = 12;
            let done = "=".repeat(((BAR_WIDTH as f64 * fraction) as usize).min(BAR_WIDTH));
            *next = elapsed + DRAW_EVERY;
            bar::draw(&format!("{} [{done:BAR_WIDTH$}] {}", escaped(&self.label), text()));
        } else {
            *next = elapsed + LINE_EVERY;
            say(format_args!("{}: {}", self.label, text()));
        }
    }

    /// Says that the system refuses threads, at most once in a process.
    fn report_refused_threads(&self, progress: &Progress) {
        static IS_SAID: AtomicBool = AtomicBool::new(false);
        let refused = progress.snapshot().threads_refused;
        if refused > 0 && !self.is_quiet && !IS_SAID.swap(true, Relaxed) {
            let refused = plural(refused, "thread");
            let limits = "ulimit -u, or pids.max of its control group";
            say(format_args!("the system refuses {refused} ({limits}): counting on the others"));
        }
    }
}
