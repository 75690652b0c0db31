#![doc = include_str!("README.md")]

pub mod board;
mod cancel;
pub mod count;
mod counter;
pub mod engine;
mod error;
#[cfg(feature = "cli")]
pub mod measure;
mod monitor;
#[cfg(feature = "cli")]
pub mod report;
#[cfg(feature = "cli")]
pub mod run;
pub mod solver;
#[cfg(any(feature = "cli", test))]
mod splitmix;
pub mod verify;
pub mod version;

pub use cancel::CancelToken;
pub use counter::{Counter, Outcome, count, solutions};
pub use error::{Error, Result};
pub use monitor::{Monitor, Progress};
pub use solver::registry::solutions_by;

/// The code in README.md, run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeCode;
