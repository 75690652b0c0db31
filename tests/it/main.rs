//! The tests of the library in one binary: a module a subject.

mod agreement;
#[path = "../support/altered.rs"]
mod altered;
mod color;
mod plans;
mod pools;
mod symmetric;
