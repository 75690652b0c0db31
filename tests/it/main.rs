//! The one integration binary: a module a subject.

mod agreement;
mod architecture;
#[cfg(unix)]
mod attack;
// Wine has no Rust compiler.
#[cfg(unix)]
mod build_script;
mod check;
mod cli;
mod color;
mod figures;
mod gpu;
mod pictures;
mod plans;
mod program;
#[cfg(unix)]
mod readme;
mod run;
mod symmetric;
mod workflows;
mod written;
