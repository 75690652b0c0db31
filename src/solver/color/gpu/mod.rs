//! Merged packs: a second formulation of the color split, in plain Rust and on graphics cards.

#[cfg(feature = "gpu")]
mod card;
mod host;
mod shape;
#[cfg(all(test, feature = "gpu"))]
mod tests;
#[cfg(feature = "gpu")]
mod unit;
#[cfg(feature = "gpu")]
mod worker;

pub(super) use host::count;
#[cfg(feature = "gpu")]
pub use worker::{CHECKED_EVERY, CardWork, Cards};
