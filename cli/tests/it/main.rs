//! The tests of the program, in one binary with a module for each subject.

// The modules for Unix need `sh`, which Windows lacks.
#[cfg(unix)]
mod cli;
mod figures;
mod gpu;
mod helpers;
mod json_of_the_library;
#[cfg(unix)]
mod json_page;
#[cfg(unix)]
mod pages;
#[cfg(target_os = "linux")]
mod pseudo_terminal;
mod run;
#[cfg(unix)]
mod sessions;
#[cfg(unix)]
mod sources;
