//! The solvers that search row by row.

mod arrays;
mod bitmask;
mod forecast;
mod list;
mod mirrored;
mod naive;
mod permutation;
mod plan;
mod profile;
pub mod trace;

pub(crate) use mirrored::Bitmask;
pub(crate) use plan::{ARRAYS, NAIVE, PERMUTATION};
