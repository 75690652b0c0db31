//! How long a count will take, before it begins.

use std::io::{BufRead, BufReader};

use crate::program::typed;

/// Where standard error is no terminal, a count of ten seconds and more says beforehand how long it takes.
#[test]
fn nobody_waits_without_being_told_how_long() {
    for (line, said) in [
        ("count 25", "; n = 25 takes "),
        ("count 32 --solver naive", "; n = 32 takes "),
        ("count 25 --dir run", "nqueens: the missing shards take "),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut child = typed(folder.path(), line).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap).take(3);
        let is_told = lines.any(|line| line.contains(said) && !line.contains("takes 0."));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(is_told, "{line}");
    }
}
