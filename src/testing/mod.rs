//! What tests of this library and of the program need.

mod altered;

pub use altered::Altered;
