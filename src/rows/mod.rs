//! The solvers that search row by row. Read this folder first, because almost everything else only makes counts faster:
//! `src/README.md` begins with five files to read in order, three of which are here.
//!
//! `naive`, `permutation`, `arrays` and `bitmask` form a ladder: the header of each file says how it differs from the
//! program before it. `stepper.rs` is the search of `bitmask`, one step at a time, for [`trace`](crate::trace) and for
//! lists of solutions.

mod arrays;
mod bitmask;
mod naive;
mod permutation;
mod plan;
mod stepper;

pub(crate) use arrays::solutions as reference_boards;
use plan::RowByRow;
pub use stepper::{Event, Masks};
pub(crate) use stepper::{Stepper, solutions};

pub(crate) static NAIVE: RowByRow = RowByRow {
    name: "naive",
    about: "Row by row, with each new queen tested against all earlier ones",
    nanoseconds_per_node: 90.0,
    is_mirrored: false,
    count_below: naive::count_below,
};
pub(crate) static PERMUTATION: RowByRow = RowByRow {
    name: "permutation",
    about: "Permutations of the columns, with only diagonals tested",
    nanoseconds_per_node: 46.0,
    is_mirrored: false,
    count_below: permutation::count_below,
};
pub(crate) static ARRAYS: RowByRow = RowByRow {
    name: "arrays",
    about: "The reference: boolean arrays for columns, diagonals and antidiagonals",
    nanoseconds_per_node: 44.0,
    is_mirrored: false,
    count_below: arrays::count_below,
};
pub(crate) static BITMASK: RowByRow = RowByRow {
    name: "bitmask",
    about: "Three 64-bit masks for columns and diagonals, half of the first row",
    nanoseconds_per_node: 6.0,
    is_mirrored: true,
    count_below: bitmask::count_below,
};
