//! Counts on graphics cards: `card.rs`, `unit.rs`, `kernels/`.

#[path = "../../../../gpu/src/card.rs"]
mod card;
#[cfg(test)]
#[path = "../../../../gpu/src/tests.rs"]
mod tests;
#[path = "../../../../gpu/src/unit.rs"]
mod unit;

#[cfg(test)]
use super::merged::host;
use super::merged::shape;
pub(super) use card::{Card, KERNELS, Trouble};
pub(super) use unit::Counter;
