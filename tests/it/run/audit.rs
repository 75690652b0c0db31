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
    let (found, said) = verify(&["--share", "1"]);
    assert!(said.contains("the total of r is wrong: ") && said.contains("error: 1 of "), "{said}");
    assert!(said.contains(", as bad counted with portable") && found.is_empty(), "{found}{said}");
    // Where no wrong unit is drawn the total is as wrong.
    let (found, said) = verify(&["--machine", "good", "--sample", "3"]);
    assert!(found.starts_with("3 of ") && found.ends_with(" units agree\n"), "{found}");
    assert!(said.contains("and the total of r is wrong"), "{said}");
    let (_, said) = verify(&["--machine", "bad", "--share", "1"]);
    assert!(said.contains("error: 1 of "), "{said}");
}

#[test]
fn a_machine_that_is_not_there_is_a_sentence() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    with_a_wrong_record(at);
    for command in [
        &["run", "audit", "--dir", "r", "--machine", "ugly"][..],
        &["run", "count", "--dir", "r", "--recount-machine", "ugly"],
    ] {
        let output = output(at, command);
        assert_eq!(output.status.code(), Some(1));
        let said = text(&output.stderr);
        assert!(said.contains("'ugly' counted nothing of r: give one of the machines that did: bad, good"), "{said}");
    }
    answer(at, &["run", "plan", "9", "--dir", "new"]);
    assert!(complaint(at, 1, &["run", "audit", "--dir", "new"]).contains("new has no counted unit yet"));
    let said = complaint(at, 1, &["run", "count", "--dir", "new", "--recount-machine", "bad"]);
    assert!(said.contains("nobody counted anything yet"), "{said}");
}

#[test]
fn what_a_machine_counted_is_counted_again_beside_it_and_compared() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    with_a_wrong_record(at);
    let run = at.join("r");
    let records: Vec<Vec<u8>> = (0..12).map(|shard| fs::read(record_file(&run, shard)).unwrap()).collect();
    let recount =
        |machine: &str| output(at, &["run", "count", "--dir", "r", "--recount-machine", machine, "--machine", "third"]);
    let good = recount("good");
    assert!(
        good.status.success() && text(&good.stderr).contains("8 of 8 shards were counted again and agree"),
        "{good:?}"
    );
    let itself = output(at, &["run", "count", "--dir", "r", "--recount-machine", "good", "--machine", "good"]);
    assert!(text(&itself.stderr).contains("this machine is 'good' itself"), "{itself:?}");
    for _ in 0..2 {
        let bad = recount("bad");
        let said = text(&bad.stderr);
        assert_eq!(bad.status.code(), Some(3), "{said}");
        assert!(said.contains("error: 1 of 4 shards that were counted again differ"), "{said}");
        assert!(
            said.contains(" by bad in r/records/000009.json, and ") && said.contains(" by third in r/recount/"),
            "{said}"
        );
    }
    // Both are kept, and nothing is merged until one is gone.
    assert!((0..12).all(|shard| fs::read(record_file(&run, shard)).unwrap() == records[shard]));
    let said = complaint(at, 3, &["run", "merge", "--dir", "r"]);
    assert!(said.contains("r/recount/records/000009.json: it and r/records/000009.json disagree"), "{said}");
    // What is disputed is in the smallest sample, and the one that is wrong is named.
    let verified = output(at, &["run", "audit", "--dir", "r", "--sample", "2"]);
    let said = text(&verified.stderr);
    assert_eq!(verified.status.code(), Some(3), "{said}");
    assert!(said.contains("as bad counted") && !said.contains("as third counted"), "{said}");
    fs::rename(at.join("r/recount/records/000009.json"), record_file(&run, 9)).unwrap();
    assert_eq!(answer(at, &["run", "merge", "--dir", "r"]), "14200\n");
}

#[test]
fn a_part_of_a_run_is_published_and_verified() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    answer(at, &["run", "plan", "12", "--dir", "r", "--shards", "6"]);
    answer(at, &["run", "plan", "12", "--dir", "elsewhere", "--shards", "6"]);
    counted_by(at, "attic", "1..=2", "portable");
    counted_by(at, "cellar", "4..=4", "portable");
    answer(at, &["run", "count", "--dir", "elsewhere", "--quiet", "--shard", "0", "--machine", "far"]);
    assert!(complaint(at, 1, &["run", "merge", "--dir", "r", "--json"]).contains("3 of 6 shards are missing"));
    let part = answer(at, &["run", "merge", "--dir", "r", "elsewhere", "--partial"]);
    fs::write(at.join("part.json"), &part).unwrap();
    let json: serde_json::Value = serde_json::from_str(&part).unwrap();
    assert!(json["solutions"].is_null() && json["shards_missing"] == 2, "{part}");
    let shards = json["shards"].as_array().unwrap();
    let by = |shard: &serde_json::Value| {
        assert!(shard["finished"].as_str().unwrap().ends_with('Z'));
        json["machines"][shard["machine"].as_u64().unwrap() as usize]["machine"].as_str().unwrap().to_owned()
    };
    let status = answer(at, &["run", "status", "--dir", "r", "elsewhere"]);
    assert!(status.contains("\n  ###.#.\n") && status.contains("done 4 ") && status.contains("  far ("), "{status}");
    answer(at, &["run", "plan", "12", "--dir", "other", "--shards", "5"]);
    assert!(complaint(at, 1, &["run", "status", "--dir", "r", "other"]).contains("other is of another run than r"));
    assert_eq!(shards.iter().map(by).collect::<Vec<_>>(), ["far", "attic", "attic", "cellar"]);
    let agrees = answer(at, &["run", "audit", "--published", "part.json", "--sample", "1"]);
    assert!(agrees.starts_with("3 of "), "a unit of every machine: {agrees}");
    let agrees = answer(at, &["run", "audit", "--published", "part.json", "--machine", "cellar", "--share", "0.001"]);
    assert!(agrees.starts_with("1 of "), "{agrees}");
    let both = output(at, &["run", "audit", "--dir", "r", "elsewhere", "--published", "part.json"]);
    assert!(both.status.success() && text(&both.stderr).contains("r and part.json agree in "), "{both:?}");
    // Forged: other units, another machine, a count of what is not complete.
    for (from, to, says) in [
        ("\"shard\":1,\"first_unit\":", "\"shard\":1,\"first_unit\":9", "its shard 1 is not one of its units"),
        ("\"machine\":0,", "\"machine\":9,", "its shard 0 is not one of its units"),
        ("\"solutions\":null", "\"solutions\":\"14200\"", "do not make 14200 solutions"),
        ("\"shards_missing\":2", "\"shards_missing\":0", "do not make no number of solutions"),
    ] {
        assert!(part.contains(from), "{from}");
        fs::write(at.join("forged.json"), part.replacen(from, to, 1)).unwrap();
        let said = complaint(at, 3, &["run", "audit", "--published", "forged.json"]);
        assert!(said.contains(says), "{said}");
    }
}

/// Where this machine has vector instructions, each unit is counted with others than its record says.
#[test]
fn other_code_counts_the_units() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    answer(at, &["run", "plan", "12", "--dir", "r", "--shards", "4", "--solver", "color"]);
    counted_by(at, "old", "0..=1", "portable");
    counted_by(at, "new", "2..=3", "auto");
    let best = nqueens::solver::registry::best_isa(
        nqueens::solver::registry::find("color").unwrap(),
        nqueens::solver::registry::machine_isa(),
    );
    fs::write(at.join("r.json"), answer(at, &["run", "merge", "--dir", "r", "--json"])).unwrap();
    for what in [["--dir", "r"], ["--published", "r.json"]] {
        let run = output(at, &[&["run", "audit"], &what[..], &["--share", "1"]].concat());
        let said = text(&run.stderr);
        assert!(run.status.success(), "{said}");
        if best.name() == "portable" {
            assert!(said.contains("this machine has no other code"), "{said}");
        } else {
            assert!(said.contains(&format!("again with color ({best})")) && !said.contains("no other code"), "{said}");
        }
        let run = output(at, &[&["run", "audit"], &what[..], &["--sample", "3", "--plain"]].concat());
        let said = text(&run.stderr);
        assert!(run.status.success() && said.contains("again with color-plain's sum"), "{said}");
        assert!(text(&run.stdout).starts_with("3 of "), "{run:?}");
    }
    answer(at, &["run", "plan", "9", "--dir", "b", "--solver", "bitmask"]);
    answer(at, &["run", "count", "--dir", "b", "--quiet"]);
    let said = complaint(at, 2, &["run", "audit", "--dir", "b", "--plain"]);
    assert!(said.contains("--plain counts units of color, and these are of bitmask"), "{said}");
}

#[test]
fn options_of_a_sample_need_something_to_sample() {
    let here = tempfile::tempdir().unwrap();
    for (wrong, says) in [
        (&["run", "audit", "--share", "0.1"][..], "--dir"),
        (&["run", "audit", "--machine", "x"], "--dir"),
        (&["run", "audit", "--plain"], "--dir"),
        (&["run", "audit", "--dir", "r", "--share", "0.1", "--sample", "3"], "cannot be used with"),
        (&["run", "audit", "--dir", "r", "--plain", "--isa", "portable"], "cannot be used with"),
        (&["run", "audit", "--dir", "r", "--share", "0"], "'0' is not a share"),
        (&["run", "audit", "--dir", "r", "--sample", "some"], "'some' is not a number of units"),
    ] {
        let said = complaint(here.path(), 2, wrong);
        assert!(said.contains(says), "{wrong:?}: {said}");
    }
}
