//! Damaged folders: whatever happened to the files, it is noticed, and nothing wrong is merged.

use std::fs;
use std::path::{Path, PathBuf};

use super::{answer, complaint, output, planned, record_file, text};

/// A finished run of twelve shards.
fn finished(path: &Path) {
    planned(path, 10, "bitmask", 12);
    answer(path, &["run", "count", "--dir", ".", "--quiet"]);
}

#[test]
fn what_is_damaged_is_set_aside_and_counted_again() {
    let here = tempfile::tempdir().unwrap();
    finished(here.path());
    let (flipped, emptied) = (record_file(here.path(), 2), record_file(here.path(), 7));
    let mut bytes = fs::read(&flipped).unwrap();
    bytes[40] ^= 4;
    fs::write(&flipped, bytes).unwrap();
    fs::write(&emptied, "").unwrap();
    let said = complaint(here.path(), 3, &["run", "merge", "--dir", "."]);
    assert!(
        said.contains("000002.json: its checksum does not fit") && said.contains("000007.json: it is empty"),
        "{said}"
    );
    let status = answer(here.path(), &["run", "status", "--dir", "."]);
    assert!(status.contains("##!####!####") && status.contains("damaged 2"), "{status}");
    let run = output(here.path(), &["run", "count", "--dir", "."]);
    assert!(text(&run.stderr).contains("2 shards counted and saved, 10 there before"), "{}", text(&run.stderr));
    assert_eq!(answer(here.path(), &["run", "merge", "--dir", "."]), "724\n");
    let aside: PathBuf = here.path().join("records/000007.damaged-1");
    assert!(aside.exists());
    // One shard by name, as a scheduler has it counted again.
    fs::write(&emptied, "").unwrap();
    answer(here.path(), &["run", "count", "--dir", ".", "--shards", "7"]);
    assert_eq!(answer(here.path(), &["run", "merge", "--dir", "."]), "724\n");
}

#[test]
fn folders_of_other_runs_are_refused() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    planned(&at.join("a"), 10, "bitmask", 12);
    planned(&at.join("b"), 10, "bitmask", 11);
    let said = complaint(at, 1, &["run", "merge", "--dir", "a", "b"]);
    assert!(said.contains("b and a are of different runs"), "{said}");
}
