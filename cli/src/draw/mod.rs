//! Draws boards and searches as SVG pictures.

pub(crate) mod board;
pub(crate) mod search;
pub(crate) mod svg;
