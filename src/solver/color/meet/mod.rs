//! Joins the two colors. The counts of one color fill a table. The table is turned (transposed) and multiplied with the
//! weights of the symmetry. Then the counts of the other color are multiplied with the table.

mod axis;
mod capped;
mod dot;
mod fill;
mod halves;
mod note;
mod sink;
mod table;
mod turn;
mod turned;
mod walk;
mod weights;

pub(crate) use axis::Axis;
pub(crate) use fill::{Fill, Filling};
pub(crate) use note::Alive;
pub(crate) use table::{Peak, Table};
pub(crate) use turn::{Filled, MAX_ENTRY_BYTES, Turning};
pub(crate) use turned::{Turned, TurnedMemory};
pub(crate) use walk::Batch;
pub(crate) use weights::{Columns, Weights};
