//! One color: the list of its placements on the odd rows, packs of the keys that the first queens of a walk leave
//! alive, and programs for the rest of the walk.

mod deal;
mod form;
mod groups;
mod lists;
mod packer;
mod parents;
mod planes;
mod program;
mod rows;
mod store;
mod tiles;

pub(crate) use deal::Layout;
pub(crate) use form::{Form, NOT_COUNTED, Program, Read};
pub(crate) use groups::{Groups, GroupsWalk, MAX_GROUP};
pub(crate) use lists::{Listing, Lists};
pub(crate) use packer::{Packer, Request};
pub(crate) use parents::{MAX_CHILDREN, Parents, ParentsWalk};
pub(crate) use planes::{ALL_KEYS, NUMBERS};
#[cfg(test)]
pub(crate) use planes::{FIRST_SQUARE, NO_PLANE};
pub(crate) use program::{Draft, Walks};
pub(crate) use rows::Rows;
pub(crate) use store::{Pack, Store};
pub(crate) use tiles::Tile;
