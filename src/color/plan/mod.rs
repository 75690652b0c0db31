//! Cuts a count into units of work: class > family > unit > term.

mod class;
mod cost;
mod cut;
mod family;
mod rows;
mod symmetry;
mod units;

pub use class::{Class, Side};
pub(crate) use cut::{Unit, cut};
pub(crate) use family::Family;
pub use family::Term;
pub(crate) use rows::WalkRows;
#[cfg(test)]
pub(crate) use rows::row_order;
pub use units::{Method, Units};
