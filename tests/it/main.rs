//! The tests of the library, and of pages and workflows, in one binary: a module a subject.

mod agreement;
mod architecture;
mod color;
mod figures;
mod plans;
mod pools;
mod symmetric;
mod workflows;
