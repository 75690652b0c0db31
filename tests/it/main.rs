//! The integration tests of the library in one binary, with a module for each subject.

mod agreement;
#[path = "../support/altered.rs"]
mod altered;
mod color;
mod plans;
mod pools;
mod symmetric;
