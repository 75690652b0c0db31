//! The program `nqueens` as a library, which only `main.rs` and `examples/nqueens-documents.rs` use.

#![forbid(unsafe_code)]

#[cfg(test)]
mod altered;
mod bench;
mod commands;
mod draw;
mod exit;
mod forecast;
mod machine;
mod run;
mod terminal;
mod version;

/// Returns the command line, from which the manual and the completions are made.
#[must_use]
pub fn command() -> clap::Command {
    commands::command()
}

/// Runs the program with the arguments of this process, and returns its exit status.
pub fn main() -> std::process::ExitCode {
    // Under a limit on the address space, this call restarts the program.
    machine::restart_with_one_heap();
    let status = commands::main(std::env::args_os());
    terminal::signals::end_by_signal(status);
    status.into()
}
