//! The progress of a running count.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A handle that shows how far a count is. Give it to the count, then watch it from another thread, or let it
/// [call](Self::calling) you. All clones show the same progress.
///
/// You can use a handle for one count after another, because each count sets it back to zero before it makes its plan.
/// Counts that run at the same time need a handle each: a shared handle would show a mixture, although the results
/// would be right.
///
/// To stop a count, use a [`CancelToken`](crate::CancelToken).
///
/// ```
/// use nqueens::{Counter, Progress};
///
/// let progress = Progress::new();
/// assert_eq!(Counter::new(10)?.progress(&progress).run()?.solutions, 724);
/// assert_eq!(progress.snapshot().fraction, 1.0);
/// # Ok::<(), nqueens::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Progress(Arc<State>);

#[derive(Default)]
struct State {
    /// One lock for all figures, so that a snapshot never mixes those of two counts.
    figures: Mutex<Figures>,
    watch: Option<Box<dyn Fn(Snapshot) + Send + Sync>>,
}

#[derive(Default)]
struct Figures {
    /// The number of units; `None` until the plan is made.
    units: Option<usize>,
    units_done: usize,
    /// The predicted cost of all units.
    cost: f64,
    /// The share of `cost` that is complete. Costs that contradict their sum make only this share wrong.
    share_done: f64,
    threads_refused: usize,
}

impl Figures {
    fn snapshot(&self) -> Snapshot {
        // A plan without units is complete as soon as it is made.
        let is_complete = self.units == Some(self.units_done);
        Snapshot {
            units: self.units.unwrap_or(0),
            units_done: self.units_done,
            fraction: if is_complete { 1.0 } else { self.share_done.min(1.0) },
            threads_refused: self.threads_refused,
        }
    }
}

/// The progress of a count at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct Snapshot {
    /// The number of units of work; 0 until the plan is made.
    pub units: usize,
    /// The number of units that are complete.
    pub units_done: usize,
    /// The share of the predicted cost that is complete, from 0 to 1.
    pub fraction: f64,
    /// The number of threads that the system refused to start. The count goes on without them.
    pub threads_refused: usize,
}

impl Progress {
    /// Creates a handle for a count that has not begun.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a handle that calls `watch` after each unit of work, on the thread that counted the unit.
    ///
    /// Threads may call `watch` at the same time, so that a call may show less progress than the one before. A unit of
    /// a large board takes minutes.
    ///
    /// ```
    /// use nqueens::{Counter, Progress};
    ///
    /// let progress = Progress::calling(|snapshot| println!("{:.0} %", 100.0 * snapshot.fraction));
    /// assert_eq!(Counter::new(14)?.progress(&progress).run()?.solutions, 365_596);
    /// # Ok::<(), nqueens::Error>(())
    /// ```
    #[must_use]
    pub fn calling(watch: impl Fn(Snapshot) + Send + Sync + 'static) -> Self {
        Self(Arc::new(State { watch: Some(Box::new(watch)), ..State::default() }))
    }

    /// Returns the progress at this moment.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.figures().snapshot()
    }

    fn figures(&self) -> MutexGuard<'_, Figures> {
        self.0.figures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the progress back to zero, for a count that has no plan yet.
    pub(crate) fn reset(&self) {
        *self.figures() = Figures::default();
    }

    /// Begins a count at zero, with `units` units whose predicted costs add up to `cost`.
    pub(crate) fn begin(&self, units: usize, cost: f64) {
        *self.figures() = Figures { units: Some(units), cost, ..Figures::default() };
    }

    /// Notes how many threads the system refused.
    pub(crate) fn refuse_threads(&self, threads: usize) {
        self.figures().threads_refused = threads;
    }

    /// Adds one complete unit, whose predicted cost is `cost`.
    pub(crate) fn finish_unit(&self, cost: f64) {
        let snapshot = {
            let mut figures = self.figures();
            // `max` also turns the share of absurd costs, which may be no number, into 0.
            figures.share_done += (cost / figures.cost).max(0.0);
            figures.units_done += 1;
            figures.snapshot()
        };
        if let Some(watch) = &self.0.watch {
            watch(snapshot);
        }
    }
}

/// Shows the progress at this moment.
impl std::fmt::Debug for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Progress").field(&self.snapshot()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;
    use std::sync::atomic::AtomicBool;
    use std::sync::atomic::Ordering::Relaxed;

    use super::*;
    use crate::{Counter, Error};

    #[test]
    fn progress_is_the_share_of_the_cost_in_any_measure() {
        for scale in [1e-12, 1e30] {
            let progress = Progress::new();
            progress.begin(2, 10.0 * scale);
            progress.finish_unit(7.0 * scale);
            let snapshot = progress.snapshot();
            assert_eq!((snapshot.units, snapshot.units_done), (2, 1));
            assert!((snapshot.fraction - 0.7).abs() < 1e-9, "{snapshot:?}");
            progress.reset();
            assert_eq!(progress.snapshot(), Snapshot::default());
        }
    }

    #[test]
    fn a_plan_without_units_is_complete() {
        let progress = Progress::new();
        progress.begin(0, 0.0);
        assert_eq!(progress.snapshot(), Snapshot { fraction: 1.0, ..Snapshot::default() });
        let plan = crate::symmetric::Turn::Quarter.plan(crate::board::Size::new(2).unwrap());
        let progress = Progress::new();
        assert_eq!(plan.count().progress(&progress).run().unwrap().solutions, 0);
        assert_eq!((plan.units(), progress.snapshot().fraction), (0, 1.0));
    }

    /// One handle for three counts. The second one is smaller, so a figure left over from the first would be noticed.
    #[test]
    fn each_count_begins_at_zero_and_one_that_fails_stays_there() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let watch = {
            let seen = seen.clone();
            move |snapshot| seen.lock().unwrap().push(snapshot)
        };
        let progress = Progress::calling(watch);
        let count = |n, solver| {
            progress.refuse_threads(3);
            Counter::new(n).unwrap().solver(solver).threads(1).progress(&progress).run()
        };
        for n in [9, 8] {
            let units = count(n, "arrays").unwrap().units;
            let seen = std::mem::take(&mut *seen.lock().unwrap());
            let expected = (1..=units).map(|units_done| (units, units_done, units_done as f64 / units as f64, 0));
            for (snapshot, (units, units_done, fraction, threads_refused)) in seen.iter().zip(expected) {
                assert!((snapshot.fraction - fraction).abs() < 1e-9, "n = {n}: {snapshot:?}");
                let fraction = snapshot.fraction;
                assert_eq!(*snapshot, Snapshot { units, units_done, fraction, threads_refused }, "n = {n}");
            }
            assert_eq!((seen.len(), progress.snapshot().fraction), (units, 1.0), "n = {n}");
        }
        assert!(matches!(count(8, "fast"), Err(Error::Unknown { .. })));
        assert_eq!(progress.snapshot(), Snapshot::default());
    }

    /// Counts of three and of five units share a handle, one after the other, until a watcher has seen the progress
    /// change often enough to meet every moment of a count. A count of a plan begins without a reset.
    #[test]
    #[cfg_attr(target_family = "wasm", ignore = "it has no threads")]
    fn no_snapshot_mixes_two_counts() {
        let (progress, is_over) = (Progress::new(), AtomicBool::new(false));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for units in [3, 5].into_iter().cycle().take_while(|_| !is_over.load(Relaxed)) {
                    if units == 3 {
                        progress.reset();
                    }
                    progress.begin(units, units as f64);
                    (0..units).for_each(|_| progress.finish_unit(1.0));
                }
            });
            let is_of_one_count = |&Snapshot { units, units_done, fraction, .. }: &Snapshot| {
                let share = units_done as f64 / units.max(1) as f64;
                [0, 3, 5].contains(&units) && units_done <= units && (fraction - share).abs() < 1e-9
            };
            let (mut last, mut changes) = (progress.snapshot(), 0);
            while changes < 200 && is_of_one_count(&last) {
                let next = progress.snapshot();
                changes += usize::from(next != last);
                last = next;
            }
            is_over.store(true, Relaxed);
            assert!(is_of_one_count(&last), "{last:?}");
        });
    }

    #[test]
    fn a_call_may_take_a_snapshot() {
        static PROGRESS: OnceLock<Progress> = OnceLock::new();
        let progress = PROGRESS.get_or_init(|| {
            Progress::calling(|snapshot| {
                let progress = PROGRESS.get().expect("the count has begun");
                assert!(progress.0.figures.try_lock().is_ok(), "it would wait for itself");
                assert_eq!(progress.snapshot(), snapshot);
            })
        });
        progress.begin(1, 1.0);
        progress.finish_unit(1.0);
    }

    /// A user's plan may predict any costs.
    #[test]
    fn absurd_costs_make_no_absurd_progress() {
        for cost in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::MAX] {
            let progress = Progress::new();
            progress.begin(3, 3.0 * cost);
            for _ in 0..2 {
                progress.finish_unit(cost);
                assert!((0.0..1.0).contains(&progress.snapshot().fraction), "{cost}: {:?}", progress.snapshot());
            }
            progress.finish_unit(cost);
            assert_eq!(progress.snapshot().fraction, 1.0);
        }
        let progress = Progress::new();
        progress.begin(3, 1.0);
        progress.finish_unit(2.0);
        assert_eq!(progress.snapshot().fraction, 1.0, "a unit costs more than all units");
    }
}
