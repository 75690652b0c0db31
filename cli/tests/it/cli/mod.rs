//! The command line, as its users meet it: each `.md` file beside this one is a session whose output must come out as it
//! stands there, standard error first. `...` stands for any lines and `[..]` for any text.

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
    for page in [
        include_str!("bad_input.md"),
        include_str!("count.md"),
        include_str!("solutions.md"),
        include_str!("trace.md"),
        include_str!("verify.md"),
    ] {
        crate::console::expect_sessions(page);
    }
}
