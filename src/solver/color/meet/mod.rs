//! Where the two colors meet: a table is filled with one color's counts, turned round with the weights of the symmetry,
//! and multiplied with the other color's counts.

mod axis;
mod dot;
mod fill;
mod groups;
mod large;
mod sparse;
mod table;
mod turn;
mod turned;
mod walk;
mod weights;

pub(crate) use axis::Axis;
pub(crate) use dot::Dot;
pub(crate) use fill::Fill;
pub(crate) use sparse::{Alive, SparseDot};
pub(crate) use table::{Peak, Table};
pub(crate) use turn::{MAX_ENTRY_BYTES, Turn};
pub(crate) use turned::Turned;
pub(crate) use walk::Replay;
pub(crate) use weights::{Columns, Weights};
