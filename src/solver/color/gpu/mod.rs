//! Merged packs: a second formulation of the color split, in plain Rust and on graphics cards.

mod host;
mod shape;

pub(super) use host::count;
