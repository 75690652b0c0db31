//! The library's one error type. Every message names the value at fault and says what to give instead. It speaks to users
//! of the library; the program adds what they can type.
//!
//! It holds plain numbers and names, so that every part of the library can use it.

/// What can go wrong when counting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A board size outside `0..=32`, or not a number at all.
    #[error("'{given}' is not a board size: give a whole number from 0 to {largest}")]
    Size {
        /// What was given.
        given: String,
        /// The largest size there is.
        largest: usize,
    },
    /// A board size above what the command or function at hand can do, or not a number at all.
    #[error("'{given}' is not a board size that this can be done for: give a whole number from 0 to {max}")]
    SizeAbove {
        /// What was given.
        given: String,
        /// The largest size that is accepted.
        max: usize,
    },
    /// A thread count outside `1..=4096`.
    #[error("cannot run on {given} threads: give a number from 1 to {max}")]
    Threads {
        /// What was given.
        given: usize,
        /// The most that is accepted.
        max: usize,
    },
    /// No solver has this name.
    #[error("there is no solver '{name}': give one of {known}")]
    UnknownSolver {
        /// The name asked for.
        name: String,
        /// The names there are, separated by commas.
        known: String,
    },
    /// Queens that are no solution.
    #[error(
        "the columns {columns:?} are no solution: give each row's column, counted from 0, no two queens attacking each other"
    )]
    NoSolution {
        /// What was given.
        columns: Vec<u8>,
    },
    /// A queen beside the board.
    #[error("the queen of row {row} is in column {column}: give columns below the size, {size}, counted from 0")]
    OffBoard {
        /// Her row, counted from 0.
        row: usize,
        /// The column given.
        column: u32,
        /// The size n of the board.
        size: usize,
    },
    /// The solver counts but cannot list the boards.
    #[error("solver '{name}' only counts: to see the boards give one of {known}")]
    CannotEnumerate {
        /// The solver asked for.
        name: &'static str,
        /// Solvers that can.
        known: String,
    },
    /// No instruction set has this name.
    #[error("there is no instruction set '{name}': give one of {known}")]
    UnknownIsa {
        /// The name asked for.
        name: String,
        /// The names there are, separated by commas.
        known: String,
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
    #[error("stopped after {units_done} of {units} units of work ({:.1} % of the predicted work): nothing was counted in full", 100.0 * f64::from(*per_mille) / 1000.0)]
    Cancelled {
        /// Units of work that were complete.
        units_done: usize,
        /// Units of work in all.
        units: usize,
        /// Share of the predicted cost that was complete, in thousandths.
        per_mille: u32,
    },
    /// The time for a count ran out before it was complete.
    #[error("the deadline passed after {units_done} of {units} units of work ({:.1} % of the predicted work): nothing was counted in full; give more time", 100.0 * f64::from(*per_mille) / 1000.0)]
    Deadline {
        /// Units of work that were complete.
        units_done: usize,
        /// Units of work in all.
        units: usize,
        /// Share of the predicted cost that was complete, in thousandths.
        per_mille: u32,
    },
    /// A count is predicted to take more memory than it may.
    #[error(
        "n = {n} with '{solver}' takes about {} MiB on {}, more than the limit of {} MiB: {}", bytes >> 20,
        threads_in_words(*threads), limit >> 20, way_out(*fitting)
    )]
    MemoryLimit {
        /// The size.
        n: usize,
        /// The solver.
        solver: &'static str,
        /// The threads.
        threads: usize,
        /// The bytes that are predicted.
        bytes: u64,
        /// The bytes that it may take.
        limit: u64,
        /// The most threads that are predicted to take no more than that; 0 where one takes more.
        fitting: usize,
    },
    /// A worker panicked, as one of your own solver may.
    #[error("the solver panicked at unit of work {unit} ({message}): this is a bug of the solver")]
    Panic {
        /// The unit.
        unit: usize,
        /// What the panic said.
        message: String,
    },
    /// A checked addition overflowed.
    #[error("the count does not fit its {bits}-bit counter: this is a bug of the solver")]
    Overflow {
        /// Width of the counter.
        bits: u32,
    },
    /// A weighted sum is not a multiple of its divisor: some unit of work was counted wrong.
    #[error(
        "the weighted sum {sum} is not a multiple of {divisor}, so a unit of work was counted wrong: the solver has a bug, or the machine is faulty"
    )]
    Indivisible {
        /// The sum over all units of work.
        sum: u128,
        /// What it must be a multiple of.
        divisor: u64,
    },
    /// A sum does not fit the residues that were added up apart from it.
    #[error(
        "the sum {sum} of all units does not fit the residues that were added up apart from it: a machine adds wrong"
    )]
    Residue {
        /// The sum over all units of work.
        sum: u128,
    },
    /// There is not enough memory to go on.
    #[error(
        "there is no memory for {bytes} more bytes: count on fewer threads, which take less, or on a machine with more memory"
    )]
    Memory {
        /// What was asked for.
        bytes: u64,
    },
    /// A complete count that differs from the published one.
    #[error(
        "counted {counted} for n = {n}, where {published} were published: this count is wrong, because the solver has a bug or the machine is faulty"
    )]
    Published {
        /// The size.
        n: usize,
        /// What was counted.
        counted: u128,
        /// What was published.
        published: u128,
    },
    /// A complete count that cannot be right, because the orbits of the square's symmetries are no whole number.
    #[error(
        "counted {counted} for n = {n}, which with the symmetric solutions makes no whole number of orbits (Burnside): this count is wrong, because the solver has a bug or the machine is faulty"
    )]
    Orbits {
        /// The size.
        n: usize,
        /// What was counted.
        counted: u128,
    },
    /// A unit of work that the plan does not have.
    #[error("there is no unit of work {unit}: this plan has {units}, numbered from 0")]
    Unit {
        /// The unit asked for.
        unit: usize,
        /// Units in the plan.
        units: usize,
    },
    /// The threads could not be started.
    #[error("could not start {threads} threads ({reason}): ask for fewer")]
    ThreadPool {
        /// How many were asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
}

fn threads_in_words(threads: usize) -> String {
    if threads == 1 { "one thread".to_owned() } else { format!("{threads} threads") }
}

/// What to do where a count does not fit its memory.
fn way_out(fitting: usize) -> String {
    match fitting {
        0 => "allow more, or choose the solver 'bitmask', which takes next to none and much longer".to_owned(),
        _ => format!("count on {}, which fits", threads_in_words(fitting)),
    }
}

/// The library's result type.
pub type Result<T> = std::result::Result<T, Error>;

/// So that what cannot fail may stand where this error is expected.
impl From<std::convert::Infallible> for Error {
    fn from(never: std::convert::Infallible) -> Self {
        match never {}
    }
}
