//! The tests of the program, in one binary with a module for each subject.

// The modules for Unix need `sh`, which Windows lacks.
#[cfg(unix)]
mod cli;
#[cfg(unix)]
mod console;
mod gpu;
#[cfg(unix)]
mod json;
mod program;
#[cfg(target_os = "linux")]
mod pseudo_terminal;
#[cfg(unix)]
mod readme;
mod run;
mod written;
