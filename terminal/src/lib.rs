//! What the programs `nqueens` and `abgate` share: signals, typed paths, escapes for each kind of output, and figures with units.

pub mod escape;
pub mod path;
pub mod signals;
pub mod units;
