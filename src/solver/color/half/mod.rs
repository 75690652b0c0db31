//! One color: the list of its placements on the odd rows, the packs made from it for the first queens on its even rows,
//! and the programs that say what is left of the walk.

mod deal;
mod format;
mod groups;
mod lane_bits;
mod lists;
mod packer;
mod planes;
mod program;
mod rows;
mod store;
mod tiles;

pub(crate) use deal::Layout;
pub(crate) use format::{MAX_CHILDREN, NOT_COUNTED, Program, Walk};
pub(crate) use groups::{GroupedProgram, GroupedWalk, MAX_GROUP};
pub(crate) use lists::Lists;
pub(crate) use packer::{Packer, Request};
pub(crate) use planes::{ALL_KEYS, NUMBERS};
#[cfg(test)]
pub(crate) use planes::{FIRST_SQUARE, NO_PLANE};
pub(crate) use program::{Draft, Form, Format};
pub(crate) use rows::Rows;
pub(crate) use store::Store;
pub(crate) use tiles::Tile;
