//! The command line program.

#![forbid(unsafe_code)]

mod bench;
mod commands;
mod draw;
mod exit;
mod machine;
mod runs;
mod terminal;
#[cfg(test)]
mod tests;
mod version;

fn main() -> std::process::ExitCode {
    let status = commands::main(std::env::args_os());
    terminal::signals::end_by_signal(status);
    status.into()
}
