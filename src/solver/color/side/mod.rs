//! One color: the list of its placements on the odd rows, packs of the keys that the first queens of a walk leave
//! alive, and programs for the rest of the walk.

mod deal;
mod groups;
mod lists;
mod packer;
mod planes;
mod program;
mod rows;
mod store;
mod tiles;
mod write;

pub(crate) use deal::Layout;
pub(crate) use lists::Lists;
pub(crate) use packer::{Packer, Request};
pub(crate) use planes::{ALL_KEYS, NUMBERS};
#[cfg(test)]
pub(crate) use planes::{FIRST_SQUARE, NO_PLANE, Planes};
pub(crate) use program::{MAX_GROUP, NOT_COUNTED, Program, Walk};
pub(crate) use rows::Rows;
pub(crate) use store::{Pack, Store};
pub(crate) use tiles::Tile;
pub(crate) use write::{Draft, Walks};
