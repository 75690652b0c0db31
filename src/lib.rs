//! Counts the ways to place n queens on an n x n board so that none attacks another: exactly, for any n up to 32, on all
//! cores and with the vector instructions the machine has.
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
//! # Debug builds
//!
//! Without the optimiser a count takes about 100 times as long. Debug builds of your program optimise this package alone
//! with these lines in your Cargo.toml:
//!
//! ```toml
//! [profile.dev.package.n-queens]
//! opt-level = 3
//! ```
//!
//! # Threads
//!
//! A count runs on as many threads as this process may use (a short one on the calling thread alone), or on as many as
//! [`Counter::threads`] says. The calling thread
//! is one of them; the others are started for the count, in a pool of their own, and end with it. With
//! [`Counter::in_current_pool`] it starts none and runs on the threads of the rayon pool that it is called in. The result is
//! the same for any number of threads.
//!
//! # Cancelling and watching
//!
//! A [`CancelToken`] stops counts from another thread, within a fraction of a second; a [`Monitor`] shows how far one is.
//!
//! ```
//! use nqueens::{CancelToken, Counter, Error, Monitor};
//!
//! let (cancel, monitor) = (CancelToken::new(), Monitor::new());
//! let counter = Counter::new(22)?.cancelled_by(&cancel);
//! let result = std::thread::scope(|scope| {
//!     let counting = scope.spawn(|| counter.run_with(&monitor));
//!     println!("{:.1} % done", 100.0 * monitor.progress().fraction);
//!     cancel.cancel();
//!     counting.join().expect("a count does not panic")
//! });
//! assert!(matches!(result, Err(Error::Cancelled { .. })));
//! # Ok::<(), nqueens::Error>(())
//! ```
//!
//! [`Counter::deadline`] stops a count at a moment, [`Counter::memory_limit`] refuses one that is predicted to take more, and
//! [`Solutions::cancelled_by`] stops a search for boards. In an asynchronous program a count belongs on a thread for what
//! takes long: `examples/tokio.rs` shows it.
//!
//! # What can fail
//!
//! All errors are one [`Error`], whose message names the value at fault and says what to give instead: a size above 32, a
//! solver or an instruction set that is not there, threads that the system will not start, a count that was cancelled. A
//! total that is known to be wrong is an error and never a result. Nothing panics on account of what it is given, and
//! nothing is printed. Where the worker of a solver of your own panics, the count is an [`Error::Panic`], unless your program
//! is built with `panic = "abort"`.
//!
//! # How long, and how much memory
//!
//! It grows about tenfold with n. [`solver::Solver::predicted_seconds`] and [`solver::Solver::predicted_bytes`] of the
//! solver that [`Counter::choice`] names tell roughly; n = 18 is a moment, n = 22 some minutes.
//!
//! # Features
//!
//! - `cli` (default): the crates that the command line program needs. A library wants `default-features = false`: then it
//!   depends on rayon and thiserror, and for vector instructions on archmage and safe_unaligned_simd.
//! - `serde`, of which `cli` makes use: [`Outcome`], [`board::Solution`], [`board::Board`], [`symmetric::Classes`] and what
//!   they consist of can be written and read. What is read is checked: no text makes a solution of queens that attack each
//!   other, or an outcome that is known to be wrong. Counts are strings of digits, because they pass 2^53.
//!
//! It needs Rust 1.89 or later. Examples are in the folder `examples`, and how it works inside is told in `src/README.md`.

#![forbid(unsafe_code)]

// By the name that the program has for it, in tests that both share.
#[cfg(test)]
extern crate self as nqueens;

#[cfg(test)]
mod altered;
pub mod board;
mod cancel;
pub mod count;
mod counter;
#[cfg(feature = "serde")]
#[doc(hidden)]
pub mod decimal;
pub mod engine;
mod error;
mod monitor;
mod outcome;
pub mod solver;
#[doc(hidden)]
pub mod splitmix;
pub mod symmetric;
pub mod trace;
pub mod verify;

pub use cancel::CancelToken;
pub use counter::{Counter, count, solutions};
pub use error::{Error, Result};
pub use monitor::{Monitor, Progress};
pub use outcome::Outcome;
pub use solver::Solutions;
pub use solver::registry::solutions_by;

/// The code in src/README.md, run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("README.md")]
struct ArchitectureCode;

/// The code in README.md, run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeCode;

/// The code in docs/learn.md, run as a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../docs/learn.md")]
struct LearnCode;
