//! Draws boards and searches as SVG.

mod animation;
mod boards;
mod piece;
mod step;

pub(crate) use animation::animated_search;
pub(crate) use boards::boards;
pub(crate) use step::step;
