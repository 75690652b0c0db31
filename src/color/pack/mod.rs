//! Packs: the keys of a list that the first queens of a walk leave alive, dealt to the bytes of words.

mod deal;
mod packer;
mod planes;
mod prefixes;
mod store;
mod tiles;

pub(crate) use deal::Layout;
pub(crate) use packer::{PackRequest, Packer};
pub(crate) use planes::{ALL_KEYS, NO_PLANE, PlaneNumbers};
pub(crate) use store::{Pack, Store};
#[cfg(test)]
pub(crate) use tiles::divide;
pub(crate) use tiles::{SPARSE_TILE_WORDS, Tile};
