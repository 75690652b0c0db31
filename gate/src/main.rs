//! The program `abgate`: see the library of this name.

#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    abgate::main()
}
