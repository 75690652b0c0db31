//! The library's one error type. Every message names the wrong value and says what to give instead. Messages are for
//! users of the library. The program adds what its users can type.
//!
//! Errors hold only numbers and texts, so every part of the library can use them.

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
        row: usize,
        /// The column given.
        column: u32,
        /// The size n of the board.
        size: usize,
    },
    /// The solver counts solutions but cannot list them.
    #[error("solver '{name}' cannot list boards: give one of {known}")]
    CannotEnumerate {
        /// The solver asked for.
        name: &'static str,
        /// Solvers that can list them, separated by commas.
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
    #[error("stopped after {units_done} of {units} {} of work: there is no result", if *units == 1 { "unit" } else { "units" })]
    Cancelled {
        /// Units of work that were complete.
        units_done: usize,
        /// Units of work in all. 0 if the count was stopped before its plan was made.
        units: usize,
    },
    /// A worker panicked: its solver has a bug.
    #[error("the solver panicked at unit of work {unit} ({message}): this is a bug of the solver")]
    Panic {
        /// The unit.
        unit: usize,
        /// What the panic said.
        message: String,
    },
    /// A checked addition overflowed, or an entry of a table needs more than its bytes.
    #[error("the count does not fit its {bits}-bit counter: this is a bug of the solver")]
    Overflow {
        /// Width of the counter.
        bits: u32,
    },
    /// A unit's tally is not a multiple of its [`tally_divisor`](crate::solver::Plan::tally_divisor).
    #[error(
        "unit of work {unit} counts {tally}, which is not a multiple of its weight {divisor}: the solver has a bug, or the machine is faulty"
    )]
    Tally {
        /// The unit.
        unit: usize,
        /// What it counts.
        tally: u128,
        /// What that must be a multiple of.
        divisor: u64,
    },
    /// The system refused memory.
    ///
    /// The program aborts if the system refuses a request below 1 MiB that is not for lists, packs, programs or tables:
    /// those of plans, threads, names and errors.
    #[error("cannot get {bytes} more bytes of memory: use fewer threads, or a machine with more memory")]
    Memory {
        /// The bytes that were requested.
        bytes: u64,
    },
    /// A complete count that is known to be wrong.
    #[error("counted {counted} for n = {n}, but {fact}: the solver has a bug, or the machine is faulty")]
    Wrong {
        /// The size.
        n: usize,
        /// What was counted.
        counted: u128,
        /// What the count contradicts, as a clause: the published count or Burnside's lemma.
        fact: String,
    },
    /// A unit of work that the plan does not have.
    #[error("there is no unit of work {unit}: this plan has {units}, numbered from 0")]
    Unit {
        /// The unit asked for.
        unit: usize,
        /// Units in the plan.
        units: usize,
    },
    /// A plan made another number of workers than was asked for: its solver has a bug.
    #[error("the plan made {made} workers for {asked} threads: this is a bug of the solver")]
    Workers {
        /// How many were asked for.
        asked: usize,
        /// How many it made.
        made: usize,
    },
    /// No graphics card can count.
    #[error("no graphics card can count here: {reason}")]
    NoCard {
        /// What each card lacks, or what to install if there is none.
        reason: String,
    },
    /// A graphics card counted a unit of work wrong.
    #[error(
        "the graphics card '{card}' is wrong at unit of work {unit} ({problem}): the card, its driver or the solver is faulty"
    )]
    Card {
        /// The card.
        card: String,
        /// The unit.
        unit: usize,
        /// What differs from what the processor counts, or what contradicts itself.
        problem: String,
    },
    /// The threads could not be started.
    #[error("could not start {threads} threads ({reason}): ask for fewer")]
    ThreadPool {
        /// How many were asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
    /// The thread that waits for a deadline could not be started.
    #[error(
        "could not start the thread that waits for the deadline ({reason}): leave out the deadline, or end other threads"
    )]
    Timer {
        /// What the system said.
        reason: String,
    },
}

/// The library's result type.
pub type Result<T, E = Error> = std::result::Result<T, E>;
