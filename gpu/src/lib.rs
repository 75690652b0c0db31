//! Counts units of the color split on graphics cards. [`Cards`] is a solver for the library `nqueens` whose plans,
//! units and tallies are those of `color`.
//!
//! - `adapter.rs`: the cards of this machine, and the choice of those that count
//! - `cards.rs`: all cards of a machine, and the workers that count on them
//! - `card.rs`: a single card, its buffers and its kernels
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

/// Compiles the code of README.md.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CodeOfReadme;
