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
pub(crate) use table::{Table, largest_byte};
pub(crate) use turned::{MAX_ENTRY_BYTES, Turned, TurnedMemory, Turning};
pub(crate) use walk::Batch;
pub(crate) use weights::{Columns, Weights};

use crate::Result;
use crate::count::Work;
use crate::solver::simd::{Isa, dispatch};

/// Returns the sum of a walk's counts times the entries of a turned table, and the work.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub(crate) fn sum(isa: Isa, batch: Batch<'_>, table: Turned<'_>, alive: &mut Alive) -> Result<(u128, Work)> {
    match table {
        Turned { low, wide, is_flat: true } => {
            dispatch(isa, note::LookUp { batch, low, high: wide.map(|wide| wide.high), alive })
        }
        Turned { low, wide: None, .. } => dispatch(isa, dot::Dot { batch, table: low }),
        Turned { low, wide: Some(wide), .. } => dispatch(isa, dot::Dot { batch, table: (low, wide) }),
    }
}
