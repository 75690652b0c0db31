//! The library's front: a builder that counts, and the shortcuts around it.

use std::sync::Arc;
use std::time::Instant;

use crate::board::Size;
use crate::count::Total;
use crate::engine::{self, Pool};
use crate::outcome::Outcome;
use crate::solver::{Isa, Solutions, Solver, SolverName, registry};
use crate::{CancelToken, Error, Monitor, Result, verify};

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

/// Iterates over the solutions in lexicographic order, in constant memory. [`Solutions::cancelled_by`] has a token stop it.
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
    registry::solutions_by(registry::find("mask")?, Size::new(n)?)
}

/// A count to be made: size, solver, threads, instruction set, and what ends it early.
///
/// ```
/// use nqueens::{Counter, Monitor};
///
/// let monitor = Monitor::new();
/// let outcome = Counter::new(10)?.solver("mask")?.threads(2)?.run_with(&monitor)?;
/// assert_eq!(outcome.solutions, 724);
/// assert_eq!(monitor.progress().fraction, 1.0);
/// # Ok::<(), nqueens::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Counter {
    size: Size,
    solver: Chosen,
    /// Where nobody chose, [`Counter::threads`] says which.
    pool: Option<Pool>,
    isa: Isa,
    cancel: CancelToken,
    deadline: Option<Instant>,
    memory_limit: Option<u64>,
}

/// The solver that was asked for.
#[derive(Debug, Clone)]
enum Chosen {
    BySize,
    Named(&'static dyn Solver),
    Own(Arc<dyn Solver>),
}

/// What takes no longer on one thread is done before another is started: `mask` up to n = 10, `bitmask` up to 11 with vectors.
const SHORTEST_SHARED_SECONDS: f64 = 2.5e-4;

impl Counter {
    /// A count for an n x n board, with the fastest solver, on all cores.
    ///
    /// # Errors
    /// [`Error::Size`] for n above 32.
    pub fn new(n: usize) -> Result<Self> {
        Ok(Self::for_size(Size::new(n)?))
    }

    /// The same for a size that is known to be right.
    #[must_use]
    pub fn for_size(size: Size) -> Self {
        Self {
            size,
            solver: Chosen::BySize,
            pool: None,
            isa: registry::machine_isa(),
            cancel: CancelToken::new(),
            deadline: None,
            memory_limit: None,
        }
    }

    /// Uses the solver of this name, given as a [`SolverName`] or as text; `auto`, the default, chooses by size.
    ///
    /// # Errors
    /// [`Error::UnknownSolver`] for a text that names none.
    pub fn solver<N>(mut self, name: N) -> Result<Self>
    where
        N: TryInto<SolverName>,
        Error: From<N::Error>,
    {
        self.solver = registry::named(name.try_into()?).map_or(Chosen::BySize, Chosen::Named);
        Ok(self)
    }

    /// Uses your own solver; `examples/own_solver.rs` has one.
    #[must_use]
    pub fn with_solver(mut self, solver: Arc<dyn Solver>) -> Self {
        self.solver = Chosen::Own(solver);
        self
    }

    /// Uses so many threads: the one that calls [`Counter::run`], and others that are started for this count and end with
    /// it. The default is one for every core this process may use, and for a count that is predicted to take less than a
    /// quarter of a millisecond the calling thread alone.
    ///
    /// # Errors
    /// [`Error::Threads`] for 0 and for more than 4096.
    pub fn threads(mut self, threads: usize) -> Result<Self> {
        self.pool = Some(Pool::Own(Pool::Own(threads).threads()?));
        Ok(self)
    }

    /// Uses the threads of the [rayon] pool in which [`Counter::run`] is called, and starts none: all of them that
    /// have nothing else to do. Outside of any pool it is rayon's global one.
    ///
    /// ```
    /// let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    /// let counter = nqueens::Counter::new(12)?.in_current_pool();
    /// let outcome = pool.install(|| counter.run())?;
    /// assert_eq!((outcome.solutions, outcome.threads), (14_200, 3));
    /// # Ok::<(), nqueens::Error>(())
    /// ```
    #[must_use]
    pub fn in_current_pool(mut self) -> Self {
        self.pool = Some(Pool::Current);
        self
    }

    /// Uses the code for this instruction set, or the best the solver has below it.
    ///
    /// # Errors
    /// [`Error::IsaMissing`] where the machine lacks it.
    pub fn isa(mut self, isa: Isa) -> Result<Self> {
        self.isa = isa.checked()?;
        Ok(self)
    }

    /// Stops when this token is cancelled, which may be shared with other counts.
    #[must_use]
    pub fn cancelled_by(mut self, cancel: &CancelToken) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// Stops at this moment: a count that is not complete by then is an [`Error::Deadline`], which says how far it was. A
    /// thread is started that waits for it.
    ///
    /// ```
    /// use std::time::{Duration, Instant};
    /// use nqueens::{Counter, Error};
    ///
    /// let counter = Counter::new(26)?.deadline(Instant::now() + Duration::from_millis(50));
    /// assert!(matches!(counter.run(), Err(Error::Deadline { .. })));
    /// # Ok::<(), nqueens::Error>(())
    /// ```
    #[must_use]
    pub fn deadline(mut self, deadline: Instant) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Counts only where the prediction of the solver ([`Solver::predicted_bytes`]) is so many bytes at most: on fewer
    /// threads than the default, or not at all. What the count then takes is not measured.
    ///
    /// ```
    /// use nqueens::{Counter, Error};
    ///
    /// let counter = Counter::new(28)?.memory_limit(256 << 20);
    /// assert!(matches!(counter.run(), Err(Error::MemoryLimit { fitting: 0, .. })));
    /// # Ok::<(), nqueens::Error>(())
    /// ```
    #[must_use]
    pub fn memory_limit(mut self, bytes: u64) -> Self {
        self.memory_limit = Some(bytes);
        self
    }

    /// The size to be counted.
    #[must_use]
    pub fn size(&self) -> Size {
        self.size
    }

    /// The solver and instruction set that will be used, and why.
    #[must_use]
    pub fn choice(&self) -> registry::Choice<'_> {
        let solver = match &self.solver {
            Chosen::BySize => return registry::choose(self.size, self.isa),
            Chosen::Named(solver) => *solver,
            Chosen::Own(solver) => &**solver,
        };
        registry::Choice { solver, isa: registry::best_isa(solver, self.isa), reason: "asked for" }
    }

    /// The threads that will be used; in the current pool, where this is called.
    #[must_use]
    pub fn threads_used(&self) -> usize {
        // Where the pool cannot be started or the threads do not fit the memory, the count says why.
        self.pool_used().and_then(Pool::threads).unwrap_or(1)
    }

    /// The most threads, up to those that will be used, whose predicted memory is at most `limit` bytes; 0 where one
    /// thread takes more. `bytes_of_stack` is added for each thread: 0, unless the limit is one of the address space.
    #[must_use]
    pub fn threads_within(&self, limit: u64, bytes_of_stack: u64) -> usize {
        self.fitting(self.threads_used(), limit, bytes_of_stack)
    }

    fn fitting(&self, threads: usize, limit: u64, bytes_of_stack: u64) -> usize {
        let registry::Choice { solver, isa, .. } = self.choice();
        let bytes = |threads| solver.predicted_bytes(self.size, isa, threads) + threads as u64 * bytes_of_stack;
        (1..=threads).rev().find(|&threads| bytes(threads) <= limit).unwrap_or(0)
    }

    fn pool_used(&self) -> Result<Pool> {
        let registry::Choice { solver, isa, .. } = self.choice();
        let is_short = solver.predicted_seconds(self.size, isa) < SHORTEST_SHARED_SECONDS;
        let default = || Pool::Own(if is_short { 1 } else { engine::default_threads() });
        let pool = self.pool.unwrap_or_else(default);
        let Some(limit) = self.memory_limit else { return Ok(pool) };
        let threads = pool.threads()?;
        match self.fitting(threads, limit, 0) {
            fitting if fitting == threads => Ok(pool),
            fitting @ 1.. if self.pool.is_none() => Ok(Pool::Own(fitting)),
            fitting => Err(Error::MemoryLimit {
                n: self.size.get(),
                solver: solver.name(),
                threads,
                bytes: solver.predicted_bytes(self.size, isa, threads),
                limit,
                fitting,
            }),
        }
    }

    /// Counts.
    ///
    /// # Errors
    /// [`Error::Cancelled`], [`Error::Deadline`]; [`Error::MemoryLimit`], [`Error::Memory`]; [`Error::ThreadPool`] where
    /// the threads cannot be started; [`Error::Panic`], [`Error::Overflow`] and [`Error::Indivisible`] would be bugs; [`Error::Published`] and [`Error::Orbits`] where the count is known to be
    /// wrong (see [`verify::check_total`]).
    pub fn run(&self) -> Result<Outcome> {
        self.run_with(&Monitor::new())
    }

    /// Counts, showing on `monitor` how far it is.
    ///
    /// # Errors
    /// Those of [`Counter::run`].
    pub fn run_with(&self, monitor: &Monitor) -> Result<Outcome> {
        let choice = self.choice();
        let pool = self.pool_used()?;
        let threads = pool.threads()?;
        let plan = choice.solver.plan(self.size, choice.isa);
        let units: Vec<usize> = (0..plan.units()).collect();
        let total = engine::run_until(self.deadline, &*plan, &units, pool, &self.cancel, monitor)?;
        let divisor = u128::from(plan.divisor());
        if total.solutions % divisor != 0 {
            return Err(Error::Indivisible { sum: total.solutions, divisor: plan.divisor() });
        }
        let solutions = total.solutions / divisor;
        verify::check_total(self.size, solutions)?;
        let counted = Total::new(solutions, total.work);
        Ok(Outcome::of(counted, self.size, (choice.solver.name().into(), choice.isa), threads, units.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::Plan;

    /// The first line of the project says "on all cores", whoever counts.
    #[test]
    #[cfg_attr(target_family = "wasm", ignore = "it has no threads")]
    fn every_solver_counts_on_as_many_threads_as_are_asked_for_and_places_the_same_queens() {
        for (solver, n) in registry::SOLVERS.into_iter().flat_map(|solver| [(solver, 7), (solver, 10)]) {
            let outcomes = [1, 3].map(|threads| {
                let counter = Counter::new(n).unwrap().solver(solver.name()).unwrap();
                counter.threads(threads).unwrap().run().unwrap()
            });
            assert_eq!(outcomes.each_ref().map(|outcome| outcome.threads), [1, 3], "{}", solver.name());
            assert_eq!(outcomes[0].work, outcomes[1].work, "{}", solver.name());
            assert_eq!(outcomes[0].solutions, outcomes[1].solutions, "{}", solver.name());
        }
    }

    #[test]
    fn short_counts_start_no_thread_unless_they_are_told_to() {
        let threads = |n, solver: &str| Counter::new(n).unwrap().solver(solver).unwrap().threads_used();
        for (n, solver) in [(0, "auto"), (8, "auto"), (10, "auto"), (8, "mask"), (8, "check"), (8, "bitmask")] {
            assert_eq!(threads(n, solver), 1, "n = {n}, {solver}");
        }
        for (n, solver) in [(12, "mask"), (10, "check"), (13, "bitmask"), (16, "auto")] {
            assert_eq!(threads(n, solver), engine::default_threads(), "n = {n}, {solver}");
        }
        assert_eq!(Counter::new(8).unwrap().threads(5).unwrap().threads_used(), 5);
    }

    /// A solver of the user's own, which says that each thread takes a MiB.
    struct Own;

    impl Solver for Own {
        fn name(&self) -> &'static str {
            "own"
        }

        fn about(&self) -> &'static str {
            "what somebody else wrote"
        }

        fn plan(&self, size: Size, isa: Isa) -> Box<dyn Plan> {
            registry::reference().plan(size, isa)
        }

        fn predicted_seconds(&self, _size: Size, _isa: Isa) -> f64 {
            1.0
        }

        fn predicted_bytes(&self, _size: Size, _isa: Isa, threads: usize) -> u64 {
            (threads as u64) << 20
        }
    }

    #[test]
    #[cfg_attr(target_family = "wasm", ignore = "it has no threads")]
    fn a_count_keeps_below_its_memory_limit_or_is_refused() {
        let counter = || Counter::new(8).unwrap().with_solver(Arc::new(Own));
        let outcome = counter().memory_limit(1 << 20).run().unwrap();
        assert_eq!((outcome.solutions, &*outcome.solver, outcome.threads), (92, "own", 1));
        assert_eq!(counter().memory_limit(3 << 20).threads(3).unwrap().run().unwrap().threads, 3);
        // Threads that were asked for are not left out in silence.
        let refused = counter().memory_limit((3 << 20) - 1).threads(3).unwrap().run().unwrap_err();
        assert_eq!(
            refused.to_string(),
            "n = 8 with 'own' takes about 3 MiB on 3 threads, more than the limit of 2 MiB: count on 2 threads, which fits"
        );
        assert_eq!([0, 1 << 20].map(|stack| counter().threads(9).unwrap().threads_within(6 << 20, stack)), [6, 3]);
        let refused = counter().memory_limit(1000).run().unwrap_err();
        assert!(matches!(refused, Error::MemoryLimit { n: 8, limit: 1000, fitting: 0, .. }), "{refused}");
        assert!(refused.to_string().contains("allow more"), "{refused}");
    }

    /// Every solver, in a pool of its caller's: the same outcome as with threads of its own.
    #[test]
    #[cfg_attr(target_family = "wasm", ignore = "it has no threads")]
    fn a_count_in_the_callers_pool_is_the_same_count() {
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for (solver, n) in registry::SOLVERS.into_iter().flat_map(|solver| [(solver, 5), (solver, 9), (solver, 11)])
            {
                let counter = Counter::new(n).unwrap().solver(solver.name()).unwrap().threads(threads).unwrap();
                let own = counter.run().unwrap();
                let counter = counter.in_current_pool();
                let monitor = Monitor::new();
                let outcome = pool.install(|| counter.run_with(&monitor)).unwrap();
                assert_eq!((&outcome, monitor.progress().fraction), (&own, 1.0));
                assert_eq!(pool.install(|| counter.threads_used()), outcome.threads);
                let cancel = CancelToken::new();
                cancel.cancel();
                let cancelled = pool.install(|| counter.cancelled_by(&cancel).run());
                assert!(matches!(cancelled, Err(Error::Cancelled { units_done: 0, .. })), "{cancelled:?}");
            }
        }
    }
}
