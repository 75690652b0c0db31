//! Merged packs: a second formulation of the color split, in plain Rust. The kernels for graphics cards follow it.
//!
//! - `shape.rs`: which lists a walk merges, and what it counts on its last rows
//! - `host.rs`: counts with them

pub mod host;
pub mod shape;
