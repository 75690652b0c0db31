//! The solvers that search row by row. Read this folder first: everything else is speed.
//!
//! 1. Three masks of 64 bits say which squares of the next row are attacked. `bitmask.rs` counts with them, in ten
//!    lines.
//! 2. Each choice of queens in the first rows is a unit of work. `plan.rs` lists the units.
//! 3. The units are split over the threads of a rayon pool, in [`engine`](crate::engine).
//! 4. Each thread adds up its own count, and the counts of the threads are summed at the end.
//! 5. The reference, `arrays.rs`, lists all boards with boolean arrays, and [`verify`](crate::verify) compares every
//!    unit with them.
//!
//! `naive`, `permutation`, `arrays` and `bitmask` are a ladder: the header of each file says what it changes in the
//! program before. `stepper.rs` is the search of `bitmask`, one step at a time: [`trace`](crate::trace) shows it.

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
    about: "Row by row, each new queen tested against all earlier ones",
    nanoseconds_per_node: 90.0,
    is_mirrored: false,
    search: naive::search,
};
pub(crate) static PERMUTATION: RowByRow = RowByRow {
    name: "permutation",
    about: "Permutations searched by swapping, only diagonals tested",
    nanoseconds_per_node: 46.0,
    is_mirrored: false,
    search: permutation::search,
};
pub(crate) static ARRAYS: RowByRow = RowByRow {
    name: "arrays",
    about: "The reference: boolean arrays for columns, diagonals and antidiagonals",
    nanoseconds_per_node: 44.0,
    is_mirrored: false,
    search: arrays::search,
};
pub(crate) static BITMASK: RowByRow = RowByRow {
    name: "bitmask",
    about: "Three masks of 64 bits for columns and diagonals, half of the first row",
    nanoseconds_per_node: 6.0,
    is_mirrored: true,
    search: bitmask::search,
};
