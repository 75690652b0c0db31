//! The four sub-boards: their squares, the lines of a queen, and the placements on a sub-board.

mod color;
mod geometry;
mod placements;

pub use color::{Color, Sides};
pub use geometry::{Geometry, SubBoard, Subset, elements, full, subsets};
pub(crate) use geometry::{MARK, SIDE, pair, reversed};
pub(crate) use placements::{BoardRow, Queens, UNCHECKED_SUB_BOARD_ROWS, extend, two_lines};
