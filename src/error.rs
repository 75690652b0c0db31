//! The library's one error type. Every message names the wrong value and says what to give instead. Messages address
//! users of the library; the program adds what its users can type.
//!
//! Errors hold only numbers and texts, so that every part of the library can use them.

/// What can go wrong when counting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A board size above the largest that is possible, or not a number at all.
    #[error("'{given}' is not a board size: give a whole number from 0 to {largest}")]
    Size {
        /// What was given.
        given: String,
        /// The largest size that is possible, for most functions 32.
        largest: usize,
    },
    /// A board that is too large for the solver.
    #[error(
        "solver '{name}' counts boards up to n = {largest}, not {n}: give a smaller size, or the solver bitmask, which counts every size"
    )]
    TooLarge {
        /// The solver.
        name: String,
        /// The size that was asked for.
        n: usize,
        /// The largest size that the solver counts.
        largest: usize,
    },
    /// A thread count outside `1..=4096`.
    #[error("cannot run on {given} threads: give a number from 1 to {max}")]
    Threads {
        /// What was given.
        given: usize,
        /// The largest number that is accepted.
        max: usize,
    },
    /// No solver or no instruction set has this name.
    #[error("there is no {what} '{name}': give one of {known}")]
    Unknown {
        /// What has no such name: "solver" or "instruction set".
        what: &'static str,
        /// The name asked for.
        name: String,
        /// The names there are, separated by commas.
        known: String,
    },
    /// A queen outside the board.
    #[error("the queen of row {row} is in column {column}: give columns below the size, {size}, counted from 0")]
    OffBoard {
        /// Her row, counted from 0.
        row: u32,
        /// The column given.
        column: u32,
        /// The size n of the board.
        size: usize,
    },
    /// The machine lacks an instruction set that was asked for by name.
    #[error("this machine cannot run '{name}': it has {available}; give one of these")]
    IsaMissing {
        /// The instruction set asked for.
        name: &'static str,
        /// What the machine has, separated by commas.
        available: String,
    },
    /// The count was cancelled before it was complete.
    #[error("stopped{}: there is no result", after(*units_done, *units))]
    Cancelled {
        /// Units of work that were complete.
        units_done: usize,
        /// Units of work in all. 0 if what was stopped has no units, or no plan yet.
        units: usize,
    },
    /// The system refused memory.
    ///
    /// Only lists, packs, programs, tables and lists of units report it. If the system refuses one of the other
    /// requests, all of them below 1 MiB (plans, threads, names, errors), the process aborts.
    #[error("cannot get {bytes} more bytes of memory: use fewer threads, or a machine with more memory")]
    Memory {
        /// The bytes that were requested.
        bytes: u64,
    },
    /// A bug of a solver, or a faulty machine: a complete count is known to be wrong, a solver panicked, its count does
    /// not fit its integers, it made another number of workers than the engine asked for, or it found what its own
    /// rules exclude.
    #[error("{}{problem}: the solver has a bug, or the machine is faulty", of_unit(*unit))]
    Bug {
        /// The unit of work, if the bug shows there.
        unit: Option<usize>,
        /// What cannot be, as a clause.
        problem: String,
    },
    /// A unit of work that the plan does not have.
    #[error("there is no unit of work {unit}: this plan has {units}, numbered from 0")]
    Unit {
        /// The unit asked for.
        unit: usize,
        /// Units in the plan.
        units: usize,
    },
}

impl Error {
    /// The error of a solver whose count does not fit its integers of `bits` bits.
    #[must_use]
    pub fn overflow(bits: u32) -> Self {
        Self::Bug { unit: None, problem: format!("the count does not fit its {bits}-bit counter") }
    }

    /// The error of a complete count that contradicts `fact`, a clause.
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

/// The library's result type.
pub type Result<T, E = Error> = std::result::Result<T, E>;
