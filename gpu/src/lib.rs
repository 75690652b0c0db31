//! Counts units of the color split on graphics cards. [`Cards`] is a solver for the library `nqueens`: its plans, units
//! and tallies are those of `color`.
//!
//! - `adapter.rs`: which cards this machine has, and which of them count
//! - `cards.rs`: all cards of a machine, and workers that count on them
//! - `card.rs`: one card, its buffers and kernels
//! - `shape.rs`: which lists a walk merges, and what it counts on its last rows
//! - `unit.rs`, `kernels/`: how a card counts a unit

#![forbid(unsafe_code)]

mod adapter;
mod card;
mod cards;
mod shape;
#[cfg(test)]
mod tests;
mod unit;

pub use adapter::{Adapter, Choice, NoCard, adapters};
pub use cards::{CHECKED_EVERY, CardWork, Cards, KernelSeconds, units_of_this_thread};
