//! Counts the solutions of the n-queens puzzle: the ways to place n queens on an n x n board so that no queen attacks
//! another. Counts are exact, for n up to 32, and use all cores and the machine's vector instructions.
//!
//! The heart is the solver `bitmask`: ten lines on three masks, in `src/rows/bitmask.rs`. The solver `color` is faster
//! on large boards.
//!
//! # Quick start
//!
//! ```
//! use nqueens::Counter;
//!
//! // All cores, the fastest solver.
//! assert_eq!(nqueens::count(8)?, 92);
//!
//! // The boards themselves, in lexicographic order and constant memory.
//! let first = nqueens::solutions(8)?.next().expect("there are 92");
//! assert_eq!(first.columns(), [0, 4, 7, 5, 2, 6, 1, 3]);
//!
//! // With a choice of solver and threads.
//! let outcome = Counter::new(12)?.solver("bitmask").threads(2).run()?;
//! assert_eq!(outcome.solutions, 14_200);
//! # Ok::<(), nqueens::Error>(())
//! ```
//!
//! # What is where?
//!
//! | name | what it is for |
//! | --- | --- |
//! | [`count()`], [`solutions`](fn@solutions), [`classes`] | the three shortcuts |
//! | [`Counter`], [`Outcome`] | the settings of a count, and its result |
//! | [`CancelToken`], [`Progress`] | stop a count; watch its progress |
//! | [`Error`] | everything that can fail |
//! | [`board`] | sizes, boards and their images, published counts |
//! | [`registry`] | the solvers by name, and the choice among them |
//! | [`solver`] | the traits for a solver of your own |
//! | [`engine`] | counts single units of work on threads |
//! | [`tally`] | the number types of counts |
//! | [`symmetric`] | solutions that look the same after a turn; the number of fundamental solutions |
//! | [`trace`] | the search, one step at a time |
//! | [`verify`] | compares each unit of work of a solver with the reference |
//!
//! A size n is a `usize` in [`count()`], [`classes`], [`solutions`](fn@solutions) and [`Counter::new`], which check it.
//! Elsewhere it is a [`board::Size`]. Rows and columns of squares are `u32`, counted from 0. Boards of any size have
//! their size as `usize`, and [`board::construct`] makes one for any `u32`.
//!
//! # How fast are debug builds?
//!
//! They are about 100 times slower. These lines in your Cargo.toml optimise this package in your debug builds. The
//! first build then takes about a minute of one core:
//!
//! ```toml
//! [profile.dev.package.n-queens]
//! opt-level = 3
//! debug-assertions = false
//! ```
//!
//! # Which threads count?
//!
//! By default a count uses every core that this process may use. A short count uses only the calling thread.
//! [`Counter::threads`] sets the number. The calling thread is one of them; the others are a rayon pool that lives as
//! long as the count. Where the system refuses threads, the count goes on with fewer, and [`Snapshot::threads_refused`]
//! says how many it refused. The result does not depend on the number of threads.
//!
//! A count that begins on a thread of a rayon pool also has threads of its own, and blocks that thread until it ends.
//! You may therefore hold a lock while you count, or count in a parallel loop. If the loop keeps all cores busy, give
//! each count one thread: `.threads(1)`.
//!
//! # How do I stop or watch a count?
//!
//! A [`CancelToken`] stops counts within a fraction of a second. It offers:
//!
//! - [`cancel`](CancelToken::cancel) stops everything that has the token, from any thread. It cannot be undone.
//! - [`child`](CancelToken::child) makes a token for a part: it is cancelled with its parent, and can be cancelled
//!   alone.
//! - [`check`](CancelToken::check) is for solvers of your own: `cancel.check()?`. It only reads flags.
//!
//! [`Counter::cancelled_by`], [`Solutions::cancelled_by`] and [`engine::Count::cancelled_by`] accept one. A
//! [`Progress`] shows other threads how far a count is, or [calls you](Progress::calling) after each unit of work.
//!
//! ```
//! use nqueens::{CancelToken, Counter, Error, Progress};
//!
//! let cancel = CancelToken::new();
//! let progress = Progress::new();
//! let counter = Counter::new(22)?.cancelled_by(&cancel).progress(&progress);
//! let result = std::thread::scope(|scope| {
//!     let counting = scope.spawn(|| counter.run());
//!     println!("{:.1} % done", 100.0 * progress.snapshot().fraction);
//!     cancel.cancel();
//!     counting.join().expect("a count does not panic")
//! });
//! assert!(matches!(result, Err(Error::Cancelled { .. })));
//! # Ok::<(), nqueens::Error>(())
//! ```
//!
//! In an asynchronous program, run a count on a thread for blocking work, such as tokio's `spawn_blocking`. Cancel the
//! token when nobody waits for the count any longer: put it into a type whose `drop` calls [`CancelToken::cancel`].
//!
//! # What can fail?
//!
//! All errors are of one type, [`Error`]. Its message names the wrong value and says what to give instead.
//!
//! [`Counter::new`] fails for a size above 32. Setters such as [`Counter::solver`] cannot fail. If a setting is wrong,
//! [`Counter::run`] returns the error. [`Counter::threads_used`] returns it without counting.
//!
//! [`Counter::run`] never returns a total that is known to be wrong: it returns an error. Reading an [`Outcome`] does
//! not check its total; [`verify::check_total`] does.
//!
//! A function that returns a [`Result`] reports a wrong argument as an error, and so it does with any false claim that
//! your own [`Plan`](solver::Plan) makes about itself. Functions that need a solution do not check it, so their result
//! is meaningless for another board. A function panics because of its arguments only if its page has a section
//! *Panics*: methods of plans and workers do, for a unit that the plan does not have or a board that is not a solution
//! of its size. The library prints nothing.
//!
//! A panic in [`Worker::count`](solver::Worker::count) of a solver of your own is [`Error::Bug`], unless your program
//! is built with `panic = "abort"`. A panic in other code of yours that the library calls comes out of the call.
//!
//! # How long does a count take, and how much memory?
//!
//! n = 18 takes a moment, n = 22 some minutes. Near n = 24 the time grows about sixfold from n to n + 1.
//! [`Counter::predicted`] estimates time and memory.
//!
//! # Can I add a solver?
//!
//! Yes. Implement [`Solver`](solver::Solver), [`Plan`](solver::Plan) and [`Worker`](solver::Worker), and give the
//! solver to [`Counter::with_solver`]. The page of [`solver`] says what each must do; `examples/own_solver.rs` is a
//! whole one.
//!
//! # Features
//!
//! - `serde`: [`Outcome`], [`tally::Tally`], [`Predicted`] and [`board::Board`] can be serialized and deserialized.
//!   Counts are strings of digits, because many JSON readers round numbers above 2^53.
//!
//! Without it the package depends on rayon and thiserror, and for vector instructions on archmage and
//! safe_unaligned_simd.
//!
//! The package needs Rust 1.89 or later. The folder `examples` has programs. `src/README.md` explains the architecture.

#![forbid(unsafe_code)]

#[cfg(test)]
extern crate self as nqueens;

#[cfg(test)]
#[path = "../tests/support/altered.rs"]
mod altered;
pub mod board;
mod cancel;
mod color;
mod counter;
mod decimal;
pub mod engine;
mod error;
#[doc(hidden)]
pub mod internal;
mod memory;
mod progress;
pub mod registry;
mod rows;
mod simd;
mod solutions;
pub mod solver;
mod splitmix;
pub mod symmetric;
pub mod tally;
#[cfg(test)]
mod tests;
pub mod trace;
pub mod verify;

pub use cancel::{CancelToken, Cancelled};
pub use counter::{Counter, Outcome, Predicted, classes, count, solutions};
pub use error::{Error, Result};
pub use progress::{Progress, Snapshot};
pub use solutions::Solutions;

/// The code in README.md and src/README.md, run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("README.md")]
struct CodeOfPages;
