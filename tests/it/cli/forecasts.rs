//! How long a count will take, before it begins.

use std::io::{BufRead, BufReader};

use crate::program::nqueens;

fn printed(arguments: &[&str]) -> String {
    let output = nqueens(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn sizes_are_told_their_solver_their_time_and_their_memory() {
    let told = printed(&["estimate", "8", "24", "28..=29", "--predict"]);
    let parts: Vec<&str> = told.split_inclusive("--dir RUN'\n").collect();
    assert_eq!(parts.len(), 4, "{told}");
    for (part, [size, solver, unit]) in parts.iter().zip([
        ["n = 8 ", "mask (portable) on ", "MiB"],
        ["n = 24 ", "color (", "MiB"],
        ["n = 28 ", "color (", "GiB"],
        ["n = 29 ", "color (", "GiB"],
    ]) {
        assert!(part.starts_with(size) && part.contains(solver) && part.contains(unit), "{told}");
        assert!(["time ", "core time ", "memory ", "shards "].iter().all(|line| part.contains(line)), "{told}");
    }
}

#[test]
fn what_people_read_is_80_columns_wide() {
    let record = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/records/epyc.json");
    for arguments in [
        &["info"][..],
        &["estimate", "24..=32", "--predict"],
        &["bench", "compare", record, record],
        &[
            "bench",
            "machine",
            "--budget",
            "1s",
            "--workload",
            "count/bitmask/n=14/t=all",
            "--workload",
            "count/color-plain/n=10/t=1",
        ],
    ] {
        let told = printed(arguments);
        for line in told.lines() {
            assert!(line.chars().count() <= 80, "{arguments:?}: {line}");
        }
    }
}

/// Where standard error is no terminal, a count of ten seconds and more says beforehand how long it takes.
#[test]
fn a_forecast_is_given_where_standard_error_is_a_file() {
    let mut child = nqueens(&["count", "25"]).spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let found = lines.take(2).find_map(|line| line.ok().filter(|line| line.contains("; n = 25 takes about ")));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(found.is_some_and(|line| !line.contains("about 0.")));
}
