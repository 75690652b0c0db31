//! Limits that are set for the program from outside.
#![cfg(target_os = "linux")]

use crate::program::{Ended, nqueens, run, shell};

/// Runs the program with this much address space, in KiB.
fn limited(limit: usize, line: &str) -> Ended {
    run(&mut shell(".".as_ref(), &format!("ulimit -c 0; ulimit -v {limit}; exec nqueens {line}")))
}

/// Whatever is left of the address space, a command does its work or says that this is too little: it never ends by a
/// signal, as a program does to which Rust's allocator refuses a few bytes. Below the first of these limits the system
/// cannot load the program.
#[test]
fn a_small_address_space_is_an_error_and_no_abort() {
    let loads = (1..=128).map(|step| step * 1000).find(|limit| {
        let ended = limited(*limit, "--version");
        matches!(ended.status, Some(0 | 1))
    });
    let loads = loads.expect("128 MB are enough");
    let mut refused = 0;
    for limit in (loads..loads + 24_000).step_by(3000) {
        for line in ["count 13 --solver color --threads 2", "verify --max 4", "solutions 6"] {
            let ended = limited(limit, line);
            // Threads take their share of the address space while a count runs, sometimes more and sometimes less.
            let says = ["may take (ulimit -v)", "more bytes of memory: use fewer threads"];
            let is_refused = ended.status == Some(1) && says.iter().any(|says| ended.stderr.contains(says));
            assert!(ended.status == Some(0) || is_refused, "{line}, {limit}: {ended:?}");
            refused += usize::from(is_refused);
        }
    }
    assert!(refused >= 3, "{refused}");
}

/// A scheduler's variable limits the default number of threads, and the first line names it. `--threads` overrides it.
#[test]
fn a_scheduler_decides_the_number_of_threads() {
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        return crate::program::skipped("there is one hardware thread, so no scheduler can grant fewer");
    }
    let count = |variable, value, options: &[&str]| {
        run(nqueens(&["count", "15", "--solver", "bitmask", "--json"]).args(options).env(variable, value))
    };
    for variable in ["SLURM_CPUS_PER_TASK", "NSLOTS"] {
        let granted = count(variable, "1", &[]);
        granted.expect(0, &format!("on 1 thread: {variable} grants no more of "));
        assert_eq!(granted.json()["threads"], 1, "{granted:?}");
        let typed = count(variable, "1", &["--threads", "2"]);
        assert!(typed.json()["threads"] == 2 && !typed.stderr.contains(variable), "{typed:?}");
        // All threads may be more than a grant that cannot be read.
        count(variable, "2 compact", &["--quiet"])
            .expect(2, &format!("error: {variable} is '2 compact', which is no "));
        count(variable, "2 compact", &["--threads", "2"]).expect(0, "2279184");
    }
}
