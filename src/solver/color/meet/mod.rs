//! Joins the two colors. The counts of one color fill a table. The table is turned (transposed) and multiplied with the
//! weights of the symmetry. Then the counts of the other color are multiplied with the table.

mod axis;
mod dot;
mod fill;
mod note;
mod sink;
mod table;
mod turned;
mod walk;
mod weights;

pub(crate) use axis::Axis;
pub(crate) use fill::{Fill, Filling};
pub(crate) use note::Alive;
pub(crate) use table::{Peak, Table};
pub(crate) use turned::{MAX_ENTRY_BYTES, Turned, TurnedMemory, Turning};
pub(crate) use walk::Batch;
pub(crate) use weights::{Columns, Weights};
