//! Pictures of boards and of the search: SVG, drawn with what the [report](crate::report) draws with.

mod animation;
mod boards;
mod coloring;
mod growth;
mod piece;
mod profile;
mod step;

pub use animation::animated_search;
pub use boards::{Page, boards};
pub use coloring::coloring;
pub use growth::{Timed, growth};
pub use profile::profile;
pub use step::step;
