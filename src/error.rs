//! The error type of the whole library. A message names the wrong value and says what to give instead. It addresses
//! users of the library; the program adds what its own users can type.
//!
//! Errors contain only numbers and text, so that every part of the library can use them.

/// The reason why a call failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A board size above the largest possible one, or a string that is not a whole number.
    #[error("'{given}' is not a board size: give a whole number from 0 to {largest}")]
    Size {
        /// The size or text that was given.
        given: String,
        /// The largest possible size, 32.
        largest: usize,
    },
    /// A board that is too large for the solver.
    #[error(
        "solver '{name}' counts boards up to n = {largest}, not {n}: give a smaller size, or the solver bitmask, which counts every size"
    )]
    TooLarge {
        /// The solver.
        name: String,
        /// The size that was given.
        n: usize,
        /// The largest size that the solver counts.
        largest: usize,
    },
    /// A number of threads outside `1..=4096`.
    #[error("cannot run on {given} threads: give a number from 1 to {max}")]
    Threads {
        /// The number that was given.
        given: usize,
        /// The largest number of threads.
        max: usize,
    },
    /// A name that no solver or no instruction set has.
    #[error("there is no {what} '{name}': give one of {known}")]
    Unknown {
        /// The kind of thing that was looked for: "solver" or "instruction set".
        what: &'static str,
        /// The name that was given.
        name: String,
        /// All names of this kind, separated by commas.
        known: String,
    },
    /// A queen outside the board.
    #[error("the queen in row {row} is in column {column}: give columns below the size, {size}, counted from 0")]
    OffBoard {
        /// The row of the queen, counted from 0.
        row: u32,
        /// The column that was given.
        column: u32,
        /// The size n of the board.
        size: usize,
    },
    /// An instruction set that this machine lacks.
    #[error("this machine lacks the instruction set '{name}': give one of {available}")]
    IsaMissing {
        /// The instruction set that was given.
        name: &'static str,
        /// The instruction sets of this machine, separated by commas.
        available: String,
    },
    /// The count was cancelled before it was complete.
    #[error("stopped{}: there is no result", after(*units_done, *units))]
    Cancelled {
        /// The number of units of work that were complete.
        units_done: usize,
        /// The number of all units of work; 0 if the plan was not made yet, or if a search without units was stopped.
        units: usize,
    },
    /// The system refused memory.
    ///
    /// A count returns this error if a large request is refused. Small ones, such as those for threads and names, are
    /// below 1 MiB, and the process aborts if the system refuses one. Plans that an [`Audit`](crate::solver::Audit)
    /// makes are not protected: if memory for one is refused, the process aborts too. It also aborts if an allocator
    /// fails to shrink a block of memory.
    #[error("cannot get {bytes} more bytes of memory: use fewer threads, or a machine with more memory")]
    Memory {
        /// The number of bytes that were requested.
        bytes: u64,
    },
    /// Plans for two sizes, where all must be for one.
    #[error("these plans are for n = {first} and n = {other}: give plans for one size")]
    Sizes {
        /// The size of the first plan.
        first: usize,
        /// The size of another plan.
        other: usize,
    },
    /// An entry of a table, times its weight, that may need more than the two bytes that the solver `color` has for it:
    /// the solver knows only bounds of both. No known entry does, but this is proved only for smaller boards
    /// (src/color/proof.md).
    #[error("a table entry may need more than two bytes, which no known entry does: give the solver bitmask")]
    Entry,
    /// A bug in a solver, or a faulty machine: a complete count is known to be wrong, a solver panicked, its count does
    /// not fit in its integers, it made the wrong number of workers or a plan for another size, or it found something
    /// that its own rules exclude.
    #[error("{}{problem}: the solver has a bug, or the machine is faulty", of_unit(*unit))]
    Bug {
        /// The unit of work that shows the bug; `None` if no single unit does.
        unit: Option<usize>,
        /// The observation that cannot be right, as a clause.
        problem: String,
    },
    /// A unit of work that the plan does not have.
    #[error("there is no unit of work {unit}: this plan has {units}, numbered from 0")]
    Unit {
        /// The unit that was given.
        unit: usize,
        /// The number of units in the plan.
        units: usize,
    },
}

impl Error {
    /// Returns the error of a solver whose count does not fit in its integers of `bits` bits.
    #[must_use]
    pub fn overflow(bits: u32) -> Self {
        Self::Bug { unit: None, problem: format!("the count does not fit in {bits} bits") }
    }

    /// Returns the error of a complete count that contradicts `fact`, which is a clause.
    pub(crate) fn wrong(n: impl std::fmt::Display, counted: u128, fact: &str) -> Self {
        Self::Bug { unit: None, problem: format!("counted {counted} for n = {n}, but {fact}") }
    }
}

fn after(units_done: usize, units: usize) -> String {
    match units {
        0 => String::new(),
        1 => format!(" after {units_done} of 1 unit of work"),
        _ => format!(" after {units_done} of {units} units of work"),
    }
}

fn of_unit(unit: Option<usize>) -> String {
    unit.map_or(String::new(), |unit| format!("unit of work {unit}: "))
}

/// The result type of the library.
pub type Result<T, E = Error> = std::result::Result<T, E>;
