//! Limits that are set for the program from outside.
#![cfg(target_os = "linux")]

use crate::program::{nqueens, run};

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
    }
}
