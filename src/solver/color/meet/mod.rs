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
pub(crate) use fill::{Entries, Fill};
pub(crate) use note::Alive;
pub(crate) use table::{Table, largest_byte};
pub(crate) use turned::{MAX_ENTRY_BYTES, Source, TableMemory, Turned};
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
    let Turned { low, wide, is_flat } = table;
    if is_flat {
        dispatch(isa, note::LookUp { batch, low, high: wide.map(|wide| wide.high), alive })
    } else {
        dispatch(isa, dot::Dot { batch, low, wide })
    }
}
