//! The tests of the library, and of workflows, in one binary: a module a subject.

mod agreement;
mod color;
mod plans;
mod pools;
mod symmetric;
mod workflows;
