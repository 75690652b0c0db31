//! Sizes, solutions, symmetries, boards of any size whose queens may attack each other, and the published counts.

pub mod construct;
pub mod known;
mod placed;
mod size;
mod solution;
mod symmetry;

pub use placed::{Attack, Board, Line};
pub use size::Size;
pub use solution::Solution;
pub use symmetry::{Class, Symmetry, fundamental};
