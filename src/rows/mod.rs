//! The solvers that search row by row.

mod arrays;
mod bitmask;
mod forecast;
mod naive;
mod permutation;
mod plan;
pub mod trace;

use plan::RowByRow;

pub(crate) static NAIVE: RowByRow = RowByRow {
    name: "naive",
    about: "row by row, each new queen tested against all earlier ones",
    nanoseconds_per_node: 90.0,
    is_mirrored: false,
    search: naive::search,
    solutions: None,
};
pub(crate) static PERMUTATION: RowByRow = RowByRow {
    name: "permutation",
    about: "permutations searched by swapping, only diagonals tested",
    nanoseconds_per_node: 46.0,
    is_mirrored: false,
    search: permutation::search,
    solutions: None,
};
pub(crate) static ARRAYS: RowByRow = RowByRow {
    name: "arrays",
    about: "the reference: boolean arrays for columns, diagonals and antidiagonals",
    nanoseconds_per_node: 44.0,
    is_mirrored: false,
    search: arrays::search,
    solutions: Some(arrays::solutions),
};
pub(crate) static BITMASK: RowByRow = RowByRow {
    name: "bitmask",
    about: "three masks of 64 bits for columns and diagonals, half of the first row",
    nanoseconds_per_node: 6.0,
    is_mirrored: true,
    search: bitmask::search,
    solutions: Some(trace::solutions),
};
