//! How long a count will take, before it begins.

use std::io::{BufRead, BufReader};
use std::path::Path;

use crate::program::{LARGE, SMALL, answer, typed};

#[test]
fn what_people_read_is_80_columns_wide() {
    let compare = format!("bench compare {SMALL} {LARGE}");
    for line in ["info", "estimate 24..=32", &compare, "trace 8 --first", "trace 14 --step 9", "trace 20 --step 9"] {
        let told = answer(Path::new("."), line);
        assert!(told.lines().all(|line| line.chars().count() <= 80), "{line}: {told}");
    }
}

/// Where standard error is no terminal, a count of ten seconds and more says beforehand how long it takes.
#[test]
fn nobody_waits_without_being_told_how_long() {
    for (line, said) in [
        ("count 25", "; n = 25 takes about "),
        ("count 32 --solver naive", "; n = 32 takes about"),
        ("count 25 --dir run", "nqueens: the missing shards take about "),
        ("batch --max 24", "nqueens: the table up to n = 24 takes about "),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut child = typed(folder.path(), line).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap).take(3);
        let is_told = lines.any(|line| line.contains(said) && !line.contains("about 0."));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(is_told, "{line}");
    }
}
