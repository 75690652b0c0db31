//! Whether a run that many machines counted can be believed: which records are counted again, by whom, with what code.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{answer, complaint, output, record_file, sealed, text};

/// Counts shards under the name of a machine.
fn counted_by(at: &Path, machine: &str, shards: &str, isa: &str) {
    answer(at, &["run", "count", "--dir", "r", "--quiet", "--shards", shards, "--machine", machine, "--isa", isa]);
}

/// A run of n = 12 that the machines `good` and `bad` counted; of the latter's records, shard 9 has a count too many.
fn with_a_wrong_record(at: &Path) {
    answer(at, &["run", "plan", "12", "--dir", "r", "--shards", "12"]);
    counted_by(at, "good", "0..=7", "portable");
    counted_by(at, "bad", "8..=11", "portable");
    let file = record_file(&at.join("r"), 9);
    let mut record: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let more = |text: &Value| (text.as_str().unwrap().parse::<u64>().unwrap() + 1).to_string();
    let counts = record["counts"].as_str().unwrap().to_owned();
    let (first, rest) = counts.split_once(' ').unwrap();
    record["counts"] = format!("{} {rest}", more(&first.into())).into();
    for field in ["sum", "residue"] {
        record[field] = more(&record[field]).into();
    }
    fs::write(file, sealed(&record)).unwrap();
}

#[test]
fn units_are_sampled_all_the_same_where_the_total_is_wrong() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    with_a_wrong_record(at);
    let verify = |options: &[&str]| {
        let output = output(at, &[&["run", "audit", "--dir", "r"][..], options].concat());
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        (text(&output.stdout).to_owned(), text(&output.stderr).to_owned())
    };
    let (found, said) = verify(&["--sample", "9999"]);
    assert!(said.contains("the total of r is wrong: ") && said.contains("error: 1 of "), "{said}");
    assert!(said.contains(", as bad counted with portable") && found.is_empty(), "{found}{said}");
    // Where no wrong unit is drawn the total is as wrong.
    let (found, said) = verify(&["--machine", "good", "--sample", "3"]);
    assert!(found.starts_with("3 of ") && found.ends_with(" units agree\n"), "{found}");
    assert!(said.contains("but the total of r is wrong"), "{said}");
    let (_, said) = verify(&["--machine", "bad", "--sample", "9999"]);
    assert!(said.contains("error: 1 of "), "{said}");
}

#[test]
fn a_machine_that_is_not_there_is_a_sentence() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    with_a_wrong_record(at);
    let output = output(at, &["run", "audit", "--dir", "r", "--machine", "ugly"]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("'ugly' counted nothing of r: give one of the machines that did: bad, good"), "{said}");
    answer(at, &["run", "plan", "9", "--dir", "new"]);
    assert!(complaint(at, 1, &["run", "audit", "--dir", "new"]).contains("new has no counted unit yet"));
}

#[test]
fn a_run_in_two_folders_is_published_with_who_counted_what() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    answer(at, &["run", "plan", "12", "--dir", "r", "--shards", "6"]);
    answer(at, &["run", "plan", "12", "--dir", "elsewhere", "--shards", "6"]);
    counted_by(at, "attic", "1..=2", "portable");
    counted_by(at, "cellar", "3..=5", "portable");
    assert!(complaint(at, 1, &["run", "merge", "--dir", "r", "--json"]).contains("1 of 6 shards are missing"));
    answer(at, &["run", "count", "--dir", "elsewhere", "--quiet", "--shards", "0", "--machine", "far"]);
    let status = answer(at, &["run", "status", "--dir", "r", "elsewhere"]);
    assert!(status.contains("\n  ######\n") && status.contains("done 6 ") && status.contains("  far ("), "{status}");
    answer(at, &["run", "plan", "12", "--dir", "other", "--shards", "5"]);
    assert!(complaint(at, 1, &["run", "status", "--dir", "r", "other"]).contains("other and r are of different runs"));
    let result = answer(at, &["run", "merge", "--dir", "r", "elsewhere", "--json"]);
    fs::write(at.join("r.json"), &result).unwrap();
    let json: serde_json::Value = serde_json::from_str(&result).unwrap();
    let by = |shard: &serde_json::Value| {
        assert!(shard["finished"].as_str().unwrap().ends_with('Z'));
        json["machines"][shard["machine"].as_u64().unwrap() as usize]["machine"].as_str().unwrap().to_owned()
    };
    let shards = json["shards"].as_array().unwrap();
    assert_eq!(shards.iter().map(by).collect::<Vec<_>>(), ["far", "attic", "attic", "cellar", "cellar", "cellar"]);
    let agrees = answer(at, &["run", "audit", "--published", "r.json", "--sample", "1"]);
    assert!(agrees.starts_with("3 of "), "a unit of every machine: {agrees}");
    let agrees = answer(at, &["run", "audit", "--published", "r.json", "--machine", "cellar", "--sample", "1"]);
    assert!(agrees.starts_with("1 of "), "{agrees}");
    // Forged: other units, another machine, another count.
    for (from, to, says) in [
        ("\"shard\":1,\"first_unit\":", "\"shard\":1,\"first_unit\":9", "its shard 1 is not one of its units"),
        ("\"machine\":0,", "\"machine\":9,", "its shard 0 is not one of its units"),
        ("\"solutions\":\"14200\"", "\"solutions\":\"14208\"", "do not make 14208 solutions"),
    ] {
        assert!(result.contains(from), "{from}");
        fs::write(at.join("forged.json"), result.replacen(from, to, 1)).unwrap();
        let said = complaint(at, 3, &["run", "audit", "--published", "forged.json"]);
        assert!(said.contains(says), "{said}");
    }
}

/// If this machine has vector instructions, units are counted with others than the records name.
#[test]
fn other_code_counts_the_units() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    answer(at, &["run", "plan", "12", "--dir", "r", "--shards", "4", "--solver", "color"]);
    counted_by(at, "old", "0..=1", "portable");
    counted_by(at, "new", "2..=3", "portable");
    let best = nqueens::solver::registry::best_isa(
        nqueens::solver::registry::find("color").unwrap(),
        nqueens::solver::registry::machine_isa(),
    );
    fs::write(at.join("r.json"), answer(at, &["run", "merge", "--dir", "r", "--json"])).unwrap();
    for what in [["--dir", "r"], ["--published", "r.json"]] {
        let run = output(at, &[&["run", "audit"], &what[..], &["--sample", "9999"]].concat());
        let said = text(&run.stderr);
        assert!(run.status.success(), "{said}");
        if best.name() == "portable" {
            assert!(said.contains(" of them were counted with "), "{said}");
        } else {
            assert!(said.contains(&format!("again with color ({best})")) && !said.contains("with it before"), "{said}");
        }
        let run = output(at, &[&["run", "audit"], &what[..], &["--sample", "3", "--plain"]].concat());
        let said = text(&run.stderr);
        assert!(run.status.success() && said.contains("again with color-plain's sum"), "{said}");
        assert!(text(&run.stdout).starts_with("3 of "), "{run:?}");
    }
    answer(at, &["run", "plan", "9", "--dir", "b", "--solver", "bitmask"]);
    answer(at, &["run", "count", "--dir", "b", "--quiet"]);
    let said = complaint(at, 2, &["run", "audit", "--dir", "b", "--plain"]);
    assert!(said.contains("--plain counts units of color, but these are units of bitmask"), "{said}");
}

#[test]
fn options_of_a_sample_need_something_to_sample() {
    let here = tempfile::tempdir().unwrap();
    for (wrong, says) in [
        (&["run", "audit", "--sample", "3"][..], "--dir"),
        (&["run", "audit", "--machine", "x"], "--dir"),
        (&["run", "audit", "--plain"], "--dir"),
        (&["run", "audit", "--dir", "r", "--published", "r.json"], "cannot be used with"),
        (&["run", "audit", "--dir", "r", "--plain", "--isa", "portable"], "cannot be used with"),
        (&["run", "audit", "--dir", "r", "--sample", "0"], "0 units verify nothing: give a number from 1"),
        (&["run", "audit", "--dir", "r", "--sample", "some"], "'some' is not a number of units"),
    ] {
        let said = complaint(here.path(), 2, wrong);
        assert!(said.contains(says), "{wrong:?}: {said}");
    }
}
