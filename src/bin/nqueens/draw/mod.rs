//! SVG: boards, steps and charts, and the page made from records.

pub(crate) mod page;
pub(crate) mod picture;
pub(crate) mod scale;
pub(crate) mod svg;
pub(crate) mod theme;
