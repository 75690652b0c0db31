//! Limits that are set for the program from outside.
#![cfg(target_os = "linux")]

use std::process::Command;

use crate::program::{Ended, run};

/// Runs the program in a bash that has set a limit.
fn limited(limit: &str, line: &str) -> Ended {
    let script = format!("ulimit {limit}; exec \"$0\" {line}");
    let mut bash = Command::new("bash");
    run(bash.args(["-c", &script, env!("CARGO_BIN_EXE_nqueens")]))
}

/// What does not fit the memory is refused in whatever form it is asked for, and an estimate says so.
#[test]
fn a_count_that_does_not_fit_is_refused_in_every_form() {
    for form in ["", " --classes", " --fundamental"] {
        let refused = limited("-v 1000000", &format!("count 24 --solver color --threads 64{form}"));
        refused.expect(1, "more than the");
        refused.expect(1, "give '--threads");
    }
    let told = limited("-v 400000", "estimate 26 --solver color");
    for part in ["nqueens: n = 26 takes about ", "may take (ulimit -v)", "\nmemory "] {
        told.expect(0, part);
    }
}

/// Whatever is left of the address space, a command does its work or says that this is too little: it never ends by a
/// signal, as a program does to which Rust's allocator refuses a few bytes. Below the first of these limits the system
/// cannot load the program.
#[test]
fn a_small_address_space_is_an_error_and_no_abort() {
    let loads = (1..=128).map(|step| step * 1000).find(|limit| {
        let ended = limited(&format!("-v {limit}"), "--version");
        matches!(ended.status, Some(0 | 1))
    });
    let loads = loads.expect("128 MB are enough");
    let mut refused = 0;
    for limit in (loads..loads + 24_000).step_by(3000) {
        for line in ["count 13 --solver color --threads 2", "verify --max 4", "solutions 6"] {
            let ended = limited(&format!("-c 0 -v {limit}"), line);
            // Threads take their share of the address space while a count runs, sometimes more and sometimes less.
            let says = ["may take (ulimit -v)", "more bytes of memory: use fewer threads"];
            let is_refused = ended.status == Some(1) && says.iter().any(|says| ended.stderr.contains(says));
            assert!(ended.status == Some(0) || is_refused, "{line}, {limit}: {ended:?}");
            refused += usize::from(is_refused);
        }
    }
    assert!(refused >= 3, "{refused}");
}
