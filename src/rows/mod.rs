//! The solvers that search row by row.

pub(crate) mod bitmask;
mod forecast;
pub(crate) mod textbook;
pub mod trace;
