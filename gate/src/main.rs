//! The program `abgate`, whose code is in the library of the same name.

#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    abgate::main()
}
