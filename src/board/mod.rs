//! What a board is: its size, its solutions and their symmetries, boards of any size that may be wrong, and the counts that
//! were published.

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
