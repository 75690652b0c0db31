//! Runs the program, which is a library so that it is compiled at the same time as the solvers.

#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    nqueens_cli::main()
}
