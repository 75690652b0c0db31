//! Sizes, solutions, symmetries, boards of any size, solutions or not, and the published counts.

pub mod construct;
pub mod known;
mod placed;
mod size;

pub use placed::{Board, fundamental};
pub use size::Size;
