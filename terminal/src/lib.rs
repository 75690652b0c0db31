//! What the programs `nqueens` and `abgate` share: signals, escapes for each kind of output, and figures with units.

pub mod escape;
pub mod signals;
pub mod units;
