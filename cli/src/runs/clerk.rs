//! Threads that call the file system for the threads that count. A call may have no answer for hours, for example if a
//! server is down. It then holds up its clerk, and nobody who counts.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, SendError, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

use super::patience::patiently;
use crate::terminal::say;
use crate::terminal::units::in_words;

/// How long a thread that counts waits for an answer. A slow server needs less for a record.
const ANSWER: Duration = Duration::from_secs(3);

type Job<'env> = Box<dyn FnOnce() + Send + 'env>;

/// A thread that does one job after another.
pub(super) struct Clerk<'env> {
    jobs: Sender<Job<'env>>,
    answers: &'env Answers,
}

/// Whether the file system answers a clerk.
pub(super) struct Answers {
    /// What the threads that count do without an answer, as a clause.
    way_out: &'static str,
    /// Since when nobody waits for the clerk any more, and whether that was told. `None` once it has done a job.
    late_since: Mutex<Option<(Instant, bool)>>,
    /// Whether the last attempt failed. [`patiently`] tells that.
    has_failed: AtomicBool,
}

impl Answers {
    pub(super) fn new(way_out: &'static str) -> Self {
        Self { way_out, late_since: Mutex::default(), has_failed: AtomicBool::new(false) }
    }

    /// Does a part of a job that may be repeated, until the file system lets it succeed.
    pub(super) fn patiently<T>(
        &self,
        is_stopped: impl Fn() -> bool,
        mut work: impl FnMut() -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        patiently(is_stopped, || work().inspect_err(|_| self.has_failed.store(true, Relaxed)))
            .inspect(|_| self.has_failed.store(false, Relaxed))
    }

    fn late_since(&self) -> std::sync::MutexGuard<'_, Option<(Instant, bool)>> {
        self.late_since.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that there was no answer in time.
    fn miss(&self) {
        self.late_since().get_or_insert_with(|| {
            let is_told = !self.has_failed.load(Relaxed);
            if is_told {
                let waited = in_words(ANSWER.as_secs_f64());
                say("nqueens", &format!("no answer from the file system for {waited}: {}", self.way_out));
            }
            (Instant::now(), is_told)
        });
    }

    /// Notes that a job is done.
    fn come(&self) {
        if let Some((since, true)) = self.late_since().take() {
            let waited = in_words((since.elapsed() + ANSWER).as_secs_f64());
            say("nqueens", &format!("the file system answers again, after {waited}"));
        }
    }
}

impl<'env> Clerk<'env> {
    /// Starts the thread. It ends when the clerk is dropped and all jobs are done.
    pub(super) fn start<'scope>(scope: &'scope Scope<'scope, 'env>, answers: &'env Answers) -> Self {
        let (jobs, list) = mpsc::channel::<Job<'env>>();
        // If the system refuses this thread, nobody receives, and the threads that count do the jobs.
        let _ = thread::Builder::new().spawn_scoped(scope, move || list.into_iter().for_each(|job| job()));
        Self { jobs, answers }
    }

    /// Gives the clerk a job. If nobody waits for its result any more, `unheard` gets it.
    pub(super) fn give<T: Send + 'env>(
        &self,
        job: impl FnOnce() -> T + Send + 'env,
        unheard: impl FnOnce(T) + Send + 'env,
    ) -> Receiver<T> {
        let (answer, answered) = mpsc::channel();
        let answers = self.answers;
        let job = move || {
            let done = job();
            answers.come();
            if let Err(SendError(done)) = answer.send(done) {
                unheard(done);
            }
        };
        if let Err(SendError(job)) = self.jobs.send(Box::new(job)) {
            job();
        }
        answered
    }

    /// Waits for the result of a job; `None` if the file system does not answer.
    pub(super) fn wait<T>(&self, answered: &Receiver<T>) -> Option<T> {
        let patience = if self.is_late() { Duration::ZERO } else { ANSWER };
        answered.recv_timeout(patience).inspect_err(|_| self.answers.miss()).ok()
    }

    /// Whether an earlier job has no answer yet.
    pub(super) fn is_late(&self) -> bool {
        self.answers.late_since().is_some()
    }
}
