//! `bench`, `compare` and `export`, as a person types them.

use std::process::{Command, Output};

use nqueens::measure::read;

fn nqueens(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nqueens")).args(arguments).env("NO_COLOR", "1").output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The record fixtures.
fn fixture(name: &str) -> String {
    format!("{}/tests/it/records/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_benchmark_leaves_a_record_that_can_be_read_compared_and_exported() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("a.json");
    let record = record.to_str().unwrap();
    let bench = nqueens(
        &[
            &["bench", "--budget", "1", "--name", "this one", "--out", record][..],
            &["--workload", "count/mask/n=8/t=1", "--workload", "count/bitmask/n=12/t=all@1"],
        ]
        .concat(),
    );
    assert!(bench.status.success(), "{}", text(&bench.stderr));
    let table = text(&bench.stdout);
    for part in ["workload", "count/mask/n=8/t=1@1", "count/bitmask/n=12/t=all@1", "14200"] {
        assert!(table.contains(part), "{table}");
    }
    let read = read::read(record.as_ref()).unwrap();
    assert_eq!((read.name.as_str(), read.suite.as_str()), ("this one", "custom@1"));
    assert!(read.workloads.iter().all(|workload| workload.seconds.len() >= 5));
    assert_eq!(read.scores, None);
    // A machine is as fast as itself.
    let compared = nqueens(&["compare", record, record, "--format", "json"]);
    assert!(compared.status.success(), "{}", text(&compared.stderr));
    let compared: serde_json::Value = serde_json::from_slice(&compared.stdout).unwrap();
    assert_eq!(compared["common"], read.workloads.len());
    assert_eq!(compared["rows"][0]["cells"][1]["speed"]["value"], 1.0);
    let plain = nqueens(&["export", record, "--format", "plain"]);
    assert!(text(&plain.stdout).contains("Solutions: 92\n"), "{}", text(&plain.stdout));
}

#[test]
fn machines_are_compared_in_every_format() {
    let records = [fixture("epyc.json"), fixture("epyc-portable.json")];
    for (format, part) in [
        ("table", "geometric mean of "),
        ("markdown", "|----"),
        ("csv", "workload,machine,threads,isa,seconds,speed,speed_low,speed_high,best\n"),
        ("json", "\"kind\": \"nqueens-compare\""),
    ] {
        let output = nqueens(&["compare", &records[0], &records[1], "--format", format]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains(part), "{format}: {}", text(&output.stdout));
    }
}

#[test]
fn what_cannot_be_compared_is_told_with_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("old.json");
    let epyc = std::fs::read_to_string(fixture("epyc.json")).unwrap();
    std::fs::write(&old, epyc.replace("/t=1@1\"", "/t=1@2\"")).unwrap();
    let (old, new) = (old.to_str().unwrap(), fixture("epyc.json"));
    let versions = nqueens(&["compare", old, &new]);
    assert_eq!(versions.status.code(), Some(1));
    let error = text(&versions.stderr);
    assert!(error.contains(&format!("count/mask/n=8/t=1 is version 1 in {new} and version 2 in {old}")), "{error}");
    let missing = nqueens(&["compare", "nowhere.json", &new]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(text(&missing.stderr).starts_with("error: cannot read nowhere.json: "), "{}", text(&missing.stderr));
    let wrong = folder.path().join("wrong.json");
    std::fs::write(&wrong, epyc.replace("\"92\"", "\"93\"")).unwrap();
    let wrong = nqueens(&["compare", wrong.to_str().unwrap(), &new]);
    assert_eq!(wrong.status.code(), Some(3), "{}", text(&wrong.stderr));
    let alone = nqueens(&["compare", &new]);
    assert_eq!(alone.status.code(), Some(2));
    let nowhere = nqueens(&["bench", "--out", "no/such/folder/a.json"]);
    assert_eq!(nowhere.status.code(), Some(1), "{}", text(&nowhere.stderr));
    assert!(text(&nowhere.stderr).contains("cannot write the record to no/such/folder/a.json: there is no folder"));
    let unknown = nqueens(&["bench", "--workload", "count/nobody/n=8/t=1"]);
    assert_eq!(unknown.status.code(), Some(2), "{}", text(&unknown.stderr));
    assert!(text(&unknown.stderr).contains("there is no solver 'nobody'"));
}
