//! Runs the program. It is a library, so that it is compiled while the solvers are.

#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    nqueens_cli::main()
}
