//! The tests of the program, in one binary: a module a subject.

#[cfg(unix)]
// Wine has no Rust compiler.
#[cfg(unix)]
mod cli;
mod console;
mod gpu;
mod program;
#[cfg(unix)]
mod readme;
mod run;
mod written;
