//! `Counter`, the settings of a count, its result, and the three shortcuts `count`, `solutions` and `classes`.

use std::borrow::Cow;
use std::sync::Arc;

use crate::board::Size;
use crate::engine::{self, Counted};
use crate::solver::{Isa, Plan, Solver};
use crate::symmetric::{Classes, Turn};
use crate::tally::{Tally, Work};
use crate::{CancelToken, Error, Progress, Result, Solutions, registry, rows, verify};

/// Counts the solutions of the n queens puzzle on all cores with the fastest solver.
///
/// ```
/// assert_eq!(nqueens::count(8)?, 92);
/// # Ok::<(), nqueens::Error>(())
/// ```
///
/// # Errors
/// [`Error::Size`] for n above 32.
pub fn count(n: usize) -> Result<u128> {
    Counter::new(n)?.run().map(|outcome| outcome.solutions)
}

/// Counts the solutions of each class of symmetry, and the fundamental solutions, on all cores.
///
/// ```
/// let classes = nqueens::classes(8)?;
/// assert_eq!((classes.all, classes.fundamental, classes.half_turn), (92, 12, 4));
/// # Ok::<(), nqueens::Error>(())
/// ```
///
/// # Errors
/// [`Error::Size`] for n above 32.
pub fn classes(n: usize) -> Result<Classes> {
    let size = Size::new(n)?;
    let turned = |turn: Turn| turn.plan(size).count().run().map(|total| total.solutions);
    Classes::new(size, count(n)?, turned(Turn::Half)?, turned(Turn::Quarter)?)
}

/// Iterates over the solutions in lexicographic order, in constant memory. A token can stop it:
/// [`Solutions::cancelled_by`].
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

/// Settings of one count: size, solver, threads, instruction set, a token that stops it, and a progress that shows it.
///
/// A setter such as [`Counter::threads`] cannot fail, and the last call of it applies. [`Counter::run`],
/// [`Counter::choice`] and [`Counter::threads_used`] return an error if a setting is wrong.
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
    /// `None`: the default of [`Counter::threads`].
    threads: Option<usize>,
    isa: Isa,
    cancel: CancelToken,
    progress: Progress,
}

/// What a count is predicted to take.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Predicted {
    /// Seconds on its threads, on the machine in docs/color-split.md. An error of a factor of two does not matter.
    pub seconds: f64,
    /// Bytes of memory at the peak, beside the program itself.
    pub bytes: u64,
}

/// The solver that the user chose.
#[derive(Debug, Clone)]
enum Chosen {
    Named(String),
    Own(Arc<dyn Solver>),
}

/// Adds `auto` to the names that an error lists. It is not a solver, but a counter accepts it.
fn with_auto(error: Error) -> Error {
    match error {
        Error::Unknown { what, name, known } => Error::Unknown { what, name, known: format!("auto, {known}") },
        error => error,
    }
}

/// Counts that are predicted to take less time run on the calling thread alone, because starting another thread takes
/// longer.
const SHORTEST_SHARED_SECONDS: f64 = 2.5e-4;

impl Counter {
    /// A count for an n x n board, with the fastest solver, on all cores.
    ///
    /// # Errors
    /// [`Error::Size`] for n above 32.
    pub fn new(n: usize) -> Result<Self> {
        Ok(Self::for_size(Size::new(n)?))
    }

    /// A count for a board of this size, with the fastest solver, on all cores.
    #[must_use]
    pub fn for_size(size: Size) -> Self {
        Self {
            size,
            solver: Chosen::Named("auto".to_owned()),
            threads: None,
            isa: registry::machine_isa(),
            cancel: CancelToken::new(),
            progress: Progress::new(),
        }
    }

    /// Sets the solver by its name; [`registry::SOLVERS`] has all. The default, `auto`, is the fastest for the size.
    ///
    /// If no solver has this name, [`Counter::run`] returns [`Error::Unknown`].
    #[must_use]
    pub fn solver(mut self, name: &str) -> Self {
        self.solver = Chosen::Named(name.to_owned());
        self
    }

    /// Sets the solver itself: one of the [`registry`], such as [`registry::BITMASK`], or your own, as in
    /// `examples/own_solver.rs`.
    #[must_use]
    pub fn with_solver(mut self, solver: impl Solver + 'static) -> Self {
        self.solver = Chosen::Own(Arc::new(solver));
        self
    }

    /// Sets the number of threads. The calling thread is one of them, unless it belongs to a rayon pool. The others
    /// live as long as the count.
    ///
    /// The default is one thread for each core that this process may use, or fewer if the system refuses them. If a
    /// count is predicted to take less than a quarter of a millisecond, the default is the calling thread alone.
    ///
    /// If the number is outside `1..=4096`, [`Counter::run`] returns [`Error::Threads`].
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Sets the instruction set. The default is the best of this machine. A solver without code for it is portable.
    ///
    /// If this machine lacks `isa`, [`Counter::run`] returns [`Error::IsaMissing`].
    #[must_use]
    pub fn isa(mut self, isa: Isa) -> Self {
        self.isa = isa;
        self
    }

    /// Stops the count when `cancel` is cancelled. Several counts can share a token.
    #[must_use]
    pub fn cancelled_by(mut self, cancel: &CancelToken) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// Shows the progress of the count in `progress`. [`Progress::calling`] makes one that calls you.
    #[must_use]
    pub fn progress(mut self, progress: &Progress) -> Self {
        self.progress = progress.clone();
        self
    }

    /// Predicts the time and the memory of the count, and counts nothing.
    ///
    /// ```
    /// let predicted = nqueens::Counter::new(20)?.threads(2).predicted()?;
    /// assert!(predicted.seconds > 0.1 && predicted.bytes > 1 << 20);
    /// # Ok::<(), nqueens::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Counter::threads_used`].
    pub fn predicted(&self) -> Result<Predicted> {
        let registry::Choice { solver, isa, .. } = self.choice()?;
        let threads = self.threads_used()?;
        let seconds = solver.predicted_seconds(self.size, isa) / threads as f64;
        Ok(Predicted { seconds, bytes: solver.predicted_bytes(self.size, isa, threads) })
    }

    /// The size of the board.
    #[must_use]
    pub fn size(&self) -> Size {
        self.size
    }

    /// Returns the solver and the instruction set that will be used, and why.
    ///
    /// # Errors
    /// [`Error::Unknown`], [`Error::TooLarge`], [`Error::IsaMissing`].
    pub fn choice(&self) -> Result<registry::Choice<'_>> {
        let isa = self.isa.checked()?;
        let solver = match &self.solver {
            Chosen::Named(name) if name == "auto" => return Ok(registry::choose(self.size, isa)),
            Chosen::Named(name) => registry::find(name).map_err(with_auto)?,
            Chosen::Own(solver) => &**solver,
        };
        solver.check_size(self.size)?;
        Ok(registry::Choice { solver, isa: registry::best_isa(solver, isa), reason: "asked for" })
    }

    /// Makes the plan of the count: its units of work, which [`engine::Count`] can count one by one.
    ///
    /// ```
    /// let plan = nqueens::Counter::new(12)?.plan()?;
    /// let mut total = plan.count().units(0..9).run()?;
    /// total.add(plan.count().units(9..plan.units()).run()?)?;
    /// assert_eq!(total.solutions, 14_200);
    /// # Ok::<(), nqueens::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Counter::choice`], [`Error::Cancelled`], [`Error::Memory`].
    pub fn plan(&self) -> Result<Box<dyn Plan>> {
        let choice = self.choice()?;
        choice.solver.plan(self.size, choice.isa, &self.cancel)
    }

    /// Returns the most threads that will be used: fewer if there are fewer units, or if the system refuses some.
    ///
    /// It checks all settings, and counts nothing.
    ///
    /// ```
    /// use nqueens::{Counter, Error};
    ///
    /// assert!(matches!(Counter::new(8)?.solver("fast").threads_used(), Err(Error::Unknown { .. })));
    /// # Ok::<(), nqueens::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unknown`], [`Error::TooLarge`], [`Error::IsaMissing`], [`Error::Threads`].
    pub fn threads_used(&self) -> Result<usize> {
        self.threads_of(&self.choice()?)
    }

    fn threads_of(&self, choice: &registry::Choice<'_>) -> Result<usize> {
        let &registry::Choice { solver, isa, .. } = choice;
        let is_short = || solver.predicted_seconds(self.size, isa) < SHORTEST_SHARED_SECONDS;
        let default = || if is_short() { 1 } else { engine::default_threads() };
        engine::check_threads(self.threads.unwrap_or_else(default))
    }

    /// Counts the solutions.
    ///
    /// # Errors
    /// - The errors of [`Counter::threads_used`], before it counts.
    /// - [`Error::Cancelled`]: the count was stopped.
    /// - [`Error::Memory`]: the system refused memory.
    /// - [`Error::Bug`]: the solver has a bug, or the count is known to be wrong (see [`verify::check_total`]).
    pub fn run(&self) -> Result<Outcome> {
        self.progress.reset();
        let choice = self.choice()?;
        let threads = self.threads_of(&choice)?;
        let plan = choice.solver.plan(self.size, choice.isa, &self.cancel)?;
        let count = plan.count().threads(threads).cancelled_by(&self.cancel).progress(&self.progress);
        let Counted { sum: Tally { solutions, work }, threads, units } = count.run_on_threads()?;
        verify::check_total(self.size, solutions)?;
        let (size, isa, solver) = (self.size, choice.isa, choice.solver.name().into());
        Ok(Outcome { size, solutions, work, solver, isa, threads, units })
    }
}

/// The result of a finished count.
///
/// The feature `serde` writes and reads it. Reading does not check the count; [`verify::check_total`] does. A line of
/// `nqueens count --json` can be read as an outcome, unless most of a run was counted by graphics cards.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Outcome {
    /// The size counted.
    pub size: Size,
    /// The number of solutions.
    #[cfg_attr(feature = "serde", serde(with = "crate::decimal"))]
    pub solutions: u128,
    /// The work that it took. It depends on the instruction set, and not on the number of threads.
    pub work: Work,
    /// The name of the solver: one of the registry, or your own.
    pub solver: Cow<'static, str>,
    /// The instruction set that was used.
    pub isa: Isa,
    /// The number of threads that counted. There are never more than units.
    pub threads: usize,
    /// The number of units of work.
    pub units: usize,
}

#[cfg(test)]
mod tests;
