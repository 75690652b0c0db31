//! What a board is: its size, its solutions and their symmetries, and the counts that were published.

pub mod known;
mod size;
mod solution;

pub use size::Size;
pub use solution::Solution;
