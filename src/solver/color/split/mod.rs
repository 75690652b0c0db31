//! The board in four sub-boards: which squares there are, which lines a queen takes, and how queens are placed on one
//! sub-board.

mod geometry;
mod placements;
mod side;

pub(crate) use geometry::{Geometry, SubBoard, Subset, elements, full, reversed, subsets};
pub(crate) use placements::{BoardRow, Queens, extend};
pub(crate) use side::Side;
