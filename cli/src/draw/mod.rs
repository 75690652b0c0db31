//! Pictures of boards and searches, and the page made from records.

pub(crate) mod board;
pub(crate) mod page;
pub(crate) mod search;
pub(crate) mod svg;
