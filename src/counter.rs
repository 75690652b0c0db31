//! The settings of a count (`Counter`), its result, and the three shortcuts `count`, `solutions` and `classes`.

use std::borrow::Cow;
use std::sync::Arc;

use crate::board::Size;
use crate::engine::{self, Counted};
use crate::solver::{Isa, Plan, Solver};
use crate::symmetric::{Classes, Turn};
use crate::tally::{Tally, Work};
use crate::{CancelToken, Error, Progress, Result, Solutions, registry, rows, verify};

/// Counts the solutions for an n x n board on all cores, with the fastest solver.
///
/// ```
/// assert_eq!(nqueens::count(8)?, 92);
/// # Ok::<(), nqueens::Error>(())
/// ```
///
/// # Errors
/// [`Error::Size`] for n above 32, and those of [`Counter::run`].
pub fn count(n: usize) -> Result<u128> {
    Counter::new(n)?.run().map(|outcome| outcome.solutions)
}

/// Counts the solutions of each class of symmetry and the fundamental solutions, on all cores.
///
/// The numbers of solutions that look the same after a turn are published for every size (A032522 and A033148). This
/// function counts them again, and any other result is an error. To stop or watch this work, count with a [`Counter`]
/// and with [`Turn::plan`], and pass the three numbers to [`Classes::new`].
///
/// ```
/// let classes = nqueens::classes(8)?;
/// assert_eq!((classes.all, classes.fundamental, classes.half_turn), (92, 12, 4));
/// # Ok::<(), nqueens::Error>(())
/// ```
///
/// # Errors
/// [`Error::Size`] for n above 32, and those of [`Counter::run`] and [`Classes::new`].
pub fn classes(n: usize) -> Result<Classes> {
    let size = Size::new(n)?;
    let turned = |turn: Turn| turn.plan(size).count().run().map(|total| total.solutions);
    Classes::new(size, count(n)?, turned(Turn::Half)?, turned(Turn::Quarter)?)
}

/// Returns an iterator over the solutions in lexicographic order, which needs constant memory. A token can
/// [stop](Solutions::cancelled_by) it.
///
/// ```
/// let first = nqueens::solutions(8)?.next().unwrap();
/// assert_eq!(first.columns(), [0, 4, 7, 5, 2, 6, 1, 3]);
/// assert_eq!(nqueens::solutions(8)?.count(), 92);
/// # Ok::<(), nqueens::Error>(())
/// ```
///
/// # Errors
/// [`Error::Size`] for n above 32.
pub fn solutions(n: usize) -> Result<Solutions> {
    Ok(rows::solutions(Size::new(n)?))
}

/// The settings of a count: size, solver, threads, instruction set, cancel token and progress. [`run`](Self::run)
/// counts.
///
/// A setter such as [`threads`](Self::threads) cannot fail, and its last call takes effect. If a setting is wrong,
/// [`run`](Self::run) returns the error, as does [`threads_used`](Self::threads_used), which does not count. A counter
/// can run again; its clones share its token and its progress.
///
/// ```
/// use nqueens::{Counter, Progress};
///
/// let progress = Progress::new();
/// let outcome = Counter::new(10)?.solver("bitmask").threads(2).progress(&progress).run()?;
/// assert_eq!(outcome.solutions, 724);
/// assert_eq!(progress.snapshot().fraction, 1.0);
/// # Ok::<(), nqueens::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Counter {
    size: Size,
    solver: Chosen,
    /// `None` for the default of [`Counter::threads`].
    threads: Option<usize>,
    /// `None` for the best one of the solver.
    isa: Option<Isa>,
    cancel: CancelToken,
    progress: Progress,
}

/// The solver that the user chose.
#[derive(Debug, Clone)]
enum Chosen {
    /// The fastest one for the size.
    Auto,
    Named(String),
    Own(Arc<dyn Solver>),
}

/// A count that is predicted to take less time than this runs on the calling thread alone, because starting another
/// thread takes longer.
const SHORTEST_SHARED_SECONDS: f64 = 2.5e-4;

impl Counter {
    /// Creates a counter for an n x n board, with the fastest solver, on all cores.
    ///
    /// # Errors
    /// [`Error::Size`] for n above 32.
    pub fn new(n: usize) -> Result<Self> {
        Ok(Self::for_size(Size::new(n)?))
    }

    /// Creates a counter for a board of this size, with the fastest solver, on all cores.
    #[must_use]
    pub fn for_size(size: Size) -> Self {
        Self {
            size,
            solver: Chosen::Auto,
            threads: None,
            isa: None,
            cancel: CancelToken::new(),
            progress: Progress::new(),
        }
    }

    /// Sets the solver by its name. [`registry::SOLVERS`] lists all solvers; the default, `auto`, chooses the fastest
    /// one for the size.
    ///
    /// If no solver has this name, [`Counter::run`] returns [`Error::Unknown`].
    #[must_use]
    pub fn solver(mut self, name: &str) -> Self {
        self.solver = if name == "auto" { Chosen::Auto } else { Chosen::Named(name.to_owned()) };
        self
    }

    /// Sets a solver of your own, as in `examples/own_solver.rs`.
    #[must_use]
    pub fn with_solver(mut self, solver: Arc<dyn Solver>) -> Self {
        self.solver = Chosen::Own(solver);
        self
    }

    /// Sets the number of threads. The calling thread is one of them, unless the count has several and that thread
    /// belongs to a rayon pool. The others live as long as the count.
    ///
    /// The default is [`engine::default_threads`], or the calling thread alone if the count is predicted to take less
    /// than a quarter of a millisecond.
    ///
    /// If the number is outside `1..=4096`, [`Counter::run`] returns [`Error::Threads`].
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Sets the instruction set. A solver that has no code for it counts with portable code. The default is the best
    /// one of this machine for which the solver has code.
    ///
    /// If this machine lacks `isa`, [`Counter::run`] returns [`Error::IsaMissing`].
    #[must_use]
    pub fn isa(mut self, isa: Isa) -> Self {
        self.isa = Some(isa);
        self
    }

    /// Stops the count when `cancel` is cancelled. Several counts can share a token.
    #[must_use]
    pub fn cancelled_by(mut self, cancel: &CancelToken) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// Shows the progress of the count in `progress`. [`Progress::calling`] creates one that calls you.
    #[must_use]
    pub fn progress(mut self, progress: &Progress) -> Self {
        self.progress = progress.clone();
        self
    }

    /// Predicts the time and memory of the count, without counting.
    ///
    /// ```
    /// let predicted = nqueens::Counter::new(20)?.threads(2).predicted()?;
    /// assert!(predicted.seconds > Some(0.1) && predicted.bytes > 1 << 20);
    /// # Ok::<(), nqueens::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Counter::threads_used`].
    pub fn predicted(&self) -> Result<Predicted> {
        let (registry::Choice { solver, isa }, threads) = (self.choice()?, self.threads_used()?);
        let seconds = solver.predicted_seconds(self.size, isa).map(|seconds| seconds / threads as f64);
        Ok(Predicted { seconds, bytes: solver.predicted_bytes(self.size, isa, threads) })
    }

    /// Returns the solver and the instruction set that the count will use.
    ///
    /// # Errors
    /// - [`Error::Unknown`]: no solver has this name.
    /// - [`Error::TooLarge`]: the solver does not count boards of this size.
    /// - [`Error::IsaMissing`]: this machine lacks the instruction set.
    pub fn choice(&self) -> Result<registry::Choice<'_>> {
        let isa = self.isa.map(Isa::checked).transpose()?;
        let solver = match &self.solver {
            Chosen::Auto => return Ok(registry::choose(self.size, isa)),
            Chosen::Named(name) => registry::find(name).map_err(with_auto)?,
            Chosen::Own(solver) => &**solver,
        };
        solver.check_size(self.size)?;
        Ok(registry::Choice { solver, isa: registry::isa_of(solver, isa) })
    }

    /// Makes the plan of the count, which consists of its units of work. Only the size, the solver and the instruction
    /// set go into the plan.
    ///
    /// ```
    /// let plan = nqueens::Counter::new(12)?.plan()?;
    /// let mut total = plan.count().units(0..9).threads(2).run()?;
    /// total.add(plan.count().units(9..plan.units()).run()?)?;
    /// assert_eq!(total.solutions, 14_200);
    /// # Ok::<(), nqueens::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Counter::choice`], [`Error::Cancelled`] and [`Error::Memory`]; [`Error::Bug`] if the solver made
    /// a plan for another size.
    pub fn plan(&self) -> Result<Box<dyn Plan>> {
        let registry::Choice { solver, isa } = self.choice()?;
        let plan = solver.plan(self.size, isa, &self.cancel)?;
        if plan.size() != self.size {
            let problem = format!("'{}' made a plan for n = {}, not {}", solver.name(), plan.size(), self.size);
            return Err(Error::Bug { unit: None, problem });
        }
        Ok(plan)
    }

    /// Returns the largest number of threads that the count will use, and checks all settings, without counting. The
    /// count uses fewer threads if it has fewer units, or if the system refuses threads.
    ///
    /// ```
    /// use nqueens::{Counter, Error};
    ///
    /// assert!(matches!(Counter::new(8)?.solver("fast").threads_used(), Err(Error::Unknown { .. })));
    /// # Ok::<(), nqueens::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Counter::choice`], and [`Error::Threads`] if the number is outside `1..=4096`.
    pub fn threads_used(&self) -> Result<usize> {
        let registry::Choice { solver, isa } = self.choice()?;
        let predicted = || solver.predicted_seconds(self.size, isa);
        let is_short = || predicted().is_some_and(|seconds| seconds < SHORTEST_SHARED_SECONDS);
        let default = || if is_short() { 1 } else { engine::default_threads() };
        engine::check_threads(self.threads.unwrap_or_else(default))
    }

    /// Counts the solutions. The calling thread is blocked until the count is complete or stopped.
    ///
    /// # Errors
    /// - The errors of [`Counter::threads_used`]: a setting is wrong, and nothing was counted.
    /// - [`Error::Cancelled`]: the count was stopped.
    /// - [`Error::Memory`]: the system refused memory.
    /// - [`Error::Entry`]: an entry of a table of the solver `color` may not fit in its integers.
    /// - [`Error::Bug`]: the solver has a bug, or the total is [known to be wrong](verify::check_total).
    /// - All other errors of a solver of your own.
    pub fn run(&self) -> Result<Outcome> {
        self.progress.reset();
        let (choice, threads, plan) = (self.choice()?, self.threads_used()?, self.plan()?);
        let count = plan.count().threads(threads).cancelled_by(&self.cancel).progress(&self.progress);
        let Counted { sum: Tally { solutions, work }, threads, units } = count.run_on_threads()?;
        verify::check_total(self.size, solutions)?;
        let (size, isa, solver) = (self.size, choice.isa, choice.solver.name().into());
        Ok(Outcome { size, solutions, work, solver, isa, threads, units })
    }
}

/// Adds `auto`, which is not a solver but which a counter accepts, to the names that an error lists.
fn with_auto(error: Error) -> Error {
    match error {
        Error::Unknown { what, name, known } => Error::Unknown { what, name, known: format!("auto, {known}") },
        error => error,
    }
}

/// The predicted time and memory of a count.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Predicted {
    /// Elapsed seconds on the threads of the count, if each of them is as fast as the processor for which the solver
    /// [predicts](Solver::predicted_seconds). On one and two threads, measured times were within a factor of two. More
    /// threads were not measured: the forecast assumes that threads do not slow each other down, and is too short if
    /// there are more threads than about a tenth of the units. `None` if the solver does not predict; all solvers of
    /// this crate do.
    pub seconds: Option<f64>,
    /// Peak memory of the count in bytes, without what the process takes before it.
    pub bytes: u64,
}

/// The result of a complete count.
///
/// With the feature `serde`, it can be serialized and deserialized. Deserializing does not check the total;
/// [`verify::check_total`] does. A line of `nqueens count --json` can be read as an outcome, unless graphics cards
/// counted most of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Outcome {
    /// The size of the board.
    pub size: Size,
    /// The number of solutions.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub solutions: u128,
    /// The work that the count took, which does not depend on the number of threads.
    pub work: Work,
    /// The name of the solver: one from the registry, or your own.
    pub solver: Cow<'static, str>,
    /// The instruction set that counted.
    pub isa: Isa,
    /// The number of threads that took part, without those that the system refused. It is at most the number of units,
    /// and at least 1. A thread takes part even if the others leave no unit to it. In a line of `nqueens count --dir`,
    /// it is 0 if no shard was missing.
    pub threads: usize,
    /// The number of units of work.
    pub units: usize,
}

#[cfg(test)]
mod tests;
