//! Boards of any size, solutions or not, their images under symmetry, sizes, and the published counts.

pub mod construct;
pub mod known;
mod placed;
mod size;

pub use placed::{Board, fundamental};
pub use size::Size;
