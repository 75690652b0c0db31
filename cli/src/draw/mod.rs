//! Pictures of boards and searches.

pub(crate) mod board;
pub(crate) mod search;
pub(crate) mod svg;
