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
    let starts: Vec<&str> = told.lines().filter(|line| !line.starts_with(' ')).map(|line| &line[..6]).collect();
    assert_eq!(starts, ["n = 8 ", "n = 24", "n = 28", "n = 29"], "{told}");
    let one_line = told.replace("\n             ", " ");
    for (line, unit) in one_line.lines().skip(1).zip(["MiB", "GiB", "GiB"]) {
        assert!(line.contains("color (") && line.contains(": about ") && line.contains(unit), "{told}");
        assert!(line.contains("thread"), "{told}");
    }
    assert!(one_line.lines().next().unwrap().contains("mask (portable): about 0.0 s and "), "{told}");
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
