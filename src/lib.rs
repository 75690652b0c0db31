//! Counts the solutions of the n-queens puzzle: the ways to place n queens on an n x n board so that no queen attacks
//! another. Counts are exact, and use all cores and the vector instructions of the machine. n may be up to 32.
//!
//! The heart of the library is the solver `bitmask`, a dozen lines on three masks in `src/rows/bitmask.rs`. The solver
//! `color` is faster on large boards.
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
//! // A choice of solver and threads.
//! let outcome = Counter::new(12)?.solver("bitmask").threads(2).run()?;
//! assert_eq!(outcome.solutions, 14_200);
//! # Ok::<(), nqueens::Error>(())
//! ```
//!
//! # What is where?
//!
//! | name | use it to |
//! | --- | --- |
//! | [`count()`], [`solutions`](fn@solutions), [`classes`] | count, list or classify solutions in one call |
//! | [`Counter`], [`Outcome`] | choose the settings of a count, and read its result |
//! | [`CancelToken`], [`Progress`] | stop a count, and watch its progress |
//! | [`Error`] | find out why a call failed |
//! | [`board`] | handle sizes, boards and their images, and published counts |
//! | [`registry`] | find a solver by its name, or the fastest one for a size |
//! | [`solver`] | write a solver of your own, or name an instruction set for [`Counter::isa`] |
//! | [`engine`] | count single units of work on threads |
//! | [`tally`] | add up counts |
//! | [`symmetric`] | count or list solutions that look the same after a turn |
//! | [`trace`] | follow the search, one step at a time |
//! | [`verify`] | compare each unit of work of a solver with the reference |
//!
//! [`count()`], [`classes`], [`solutions`](fn@solutions) and [`Counter::new`] take the size n as a `usize` and check
//! it; other functions that count or list take a [`board::Size`]. Rows and columns of squares are `u32`, counted from
//! 0. A [`Board`](board::Board) may be larger than any `Size`: [`board::construct`] makes a solution for any `u32` but
//! 2 and 3.
//!
//! # How fast are debug builds?
//!
//! They are about 100 times slower than release builds. To optimize this package in your debug builds too, add these
//! lines to your Cargo.toml. Your first build then takes about a minute on one core:
//!
//! ```toml
//! [profile.dev.package.n-queens]
//! opt-level = 3
//! debug-assertions = false
//! ```
//!
//! # Which threads count?
//!
//! By default, a count has one thread for each hardware thread that this process may use, although a short count uses
//! only the calling thread. [`Counter::threads`] sets the number of threads. The calling thread is one of them; the
//! others form a rayon pool that lives as long as the count. If the system refuses threads, the count goes on with
//! fewer, and [`Snapshot::threads_refused`] shows how many were refused. The result does not depend on the number of
//! threads.
//!
//! A count on several threads that you start on a thread of a rayon pool creates all of its threads, and blocks the
//! calling thread until it ends. You may therefore hold a lock while you count, or count in a parallel loop. If the
//! loop keeps all cores busy, give each count a single thread: `.threads(1)`.
//!
//! # How do I stop or watch a count?
//!
//! A [`CancelToken`] stops counts within a fraction of a second:
//!
//! - [`cancel`](CancelToken::cancel), called from any thread, stops every count with this token. It cannot be undone.
//! - [`child`](CancelToken::child) creates a token for a part of the work, which is cancelled with its parent or alone.
//! - [`check`](CancelToken::check) is for a solver of your own, which calls `cancel.check()?` during its search.
//!
//! Pass the token to [`Counter::cancelled_by`], [`Solutions::cancelled_by`] or [`engine::Count::cancelled_by`]. A
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
//! In an asynchronous program, run a count on a thread for blocking work, for example with tokio's `spawn_blocking`. To
//! stop it when nobody waits for it any longer, put the token into a type whose `drop` calls [`CancelToken::cancel`].
//!
//! # What can fail?
//!
//! All errors have one type, [`Error`]. Its message names the wrong value and says what to give instead.
//!
//! [`Counter::new`] fails for a size above 32. Setters such as [`Counter::solver`] cannot fail: if a setting is wrong,
//! [`Counter::run`] returns the error, as does [`Counter::threads_used`], which does not count.
//!
//! [`Counter::run`] returns an error rather than a total that is known to be wrong. If you deserialize an [`Outcome`],
//! nothing checks its total; call [`verify::check_total`].
//!
//! A function that returns a [`Result`] reports a wrong argument as an error, as well as any false claim that your own
//! [`Plan`](solver::Plan) makes about itself. Functions that need a solution do not check whether a board is one, so
//! their result is meaningless if it is not. An argument causes a panic only where the documentation has a section
//! *Panics*: methods of plans and workers may panic for a unit that the plan does not have, or for a board that is not
//! a solution of its size. The library prints nothing.
//!
//! If [`Worker::count`](solver::Worker::count) of your own solver panics, the count returns [`Error::Bug`], unless your
//! program is built with `panic = "abort"`. A panic in any other code of yours passes through the library to the
//! caller.
//!
//! # How long does a count take, and how much memory?
//!
//! n = 18 takes a moment, and n = 22 takes a minute or two. Around n = 24 the time grows about sixfold from n to n + 1.
//! [`Counter::predicted`] estimates time and memory.
//!
//! # Can I add a solver?
//!
//! Yes. Implement [`Solver`](solver::Solver), [`Plan`](solver::Plan) and [`Worker`](solver::Worker), and pass the
//! solver to [`Counter::with_solver`]. The module [`solver`] says what each of them must do, and
//! `examples/own_solver.rs` is a complete solver.
//!
//! # Features
//!
//! - `serde`: [`Outcome`], [`Predicted`], [`tally::Tally`], [`tally::Work`], [`board::Board`], [`board::Size`] and
//!   [`solver::Isa`] can be serialized and deserialized, and [`symmetric::Classes`] can be serialized. Counts become
//!   strings of digits, because many JSON readers round numbers above 2^53.
//!
//! Without this feature, the package depends on rayon and thiserror and, for vector instructions, on archmage and
//! safe_unaligned_simd.
//!
//! The package needs Rust 1.89 or later. The folder `examples` contains programs, and `src/README.md` explains the
//! architecture.

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

/// Runs the code of README.md and src/README.md as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("README.md")]
struct CodeOfPages;
