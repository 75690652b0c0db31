//! Draws boards as SVG pictures.

pub(crate) mod board;
pub(crate) mod svg;
