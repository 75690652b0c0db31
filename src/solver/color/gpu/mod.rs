//! Merged packs: a second formulation of the color split, in plain Rust and on graphics cards.
//!
//! - `shape.rs`: which lists a walk merges, and what it counts on its last rows
//! - `host.rs`: plain Rust
//! - `card.rs`, `unit.rs`, `kernels/`: graphics cards

#[cfg(feature = "gpu")]
mod card;
mod host;
mod shape;
#[cfg(all(test, feature = "gpu"))]
mod tests;
#[cfg(feature = "gpu")]
mod unit;

#[cfg(feature = "gpu")]
pub(super) use card::{Card, KERNELS, Trouble};
pub(super) use host::count;
#[cfg(feature = "gpu")]
pub(super) use unit::Counter;
