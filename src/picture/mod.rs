//! Pictures of boards and of the search: SVG, drawn with what the [report](crate::report) draws with, and PNG made of it.

mod animation;
mod boards;
mod coloring;
mod growth;
mod piece;
mod profile;
mod raster;
mod step;

pub use animation::animated_search;
pub use boards::{Page, boards};
pub use coloring::coloring;
pub use growth::{Timed, growth};
pub use profile::profile;
pub use raster::{Raster, png};
pub use step::step;
