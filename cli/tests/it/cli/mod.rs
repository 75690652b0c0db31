//! The command line, as its users meet it: each `.md` file beside this one is a session whose output must come out as it
//! stands there, standard error included. `...` and `[..]` stand for any text. `\` and `/` count as equal, as in paths.
//! `TRYCMD=overwrite cargo test` writes what comes out instead.

mod bench;
mod forecasts;
#[cfg(unix)]
mod gate;
mod limits;
#[cfg(unix)]
mod pipes;
#[cfg(target_os = "linux")]
mod signals;
mod streams;

#[test]
fn sessions_come_out_as_written() {
    trycmd::TestCases::new().case("tests/it/cli/*.md");
}
