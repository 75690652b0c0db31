//! Pictures of boards and searches, and the page made from records.

pub(crate) mod page;
pub(crate) mod picture;
pub(crate) mod svg;
