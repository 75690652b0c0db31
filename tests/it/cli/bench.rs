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
        ("table", "frozen solvers"),
        ("markdown", "|----"),
        ("csv", "workload,solver,n,threads,machine,isa,seconds,seconds_low,seconds_high,samples,speed,"),
        ("json", "\"kind\": \"nqueens-compare\""),
    ] {
        let output = nqueens(&["compare", &records[0], &records[1], "--format", format]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains(part), "{format}: {}", text(&output.stdout));
    }
}

#[test]
fn thirty_machines_are_readable_in_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let epyc = std::fs::read_to_string(fixture("epyc.json")).unwrap();
    let files: Vec<String> = (0..30)
        .map(|index| {
            let path = folder.path().join(format!("{index}.json"));
            let name = format!("\"name\": \"Machine {index} of the second rack at the left\"");
            std::fs::write(&path, epyc.replace("\"name\": \"Two-core EPYC\"", &name)).unwrap();
            path.to_str().unwrap().to_owned()
        })
        .collect();
    let arguments: Vec<&str> = std::iter::once("compare").chain(files.iter().map(String::as_str)).collect();
    let output = nqueens(&arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    let (tables, doubts) = said.split_once("What spoils the comparison:\n").unwrap();
    assert!(tables.lines().all(|line| line.chars().count() <= 80), "{tables}");
    assert_eq!(doubts.lines().count(), 30, "a line a machine: {doubts}");
    assert!(tables.contains("Machine 7 …at the left") || tables.contains("Machine 7 o…"), "{tables}");
}

#[test]
fn what_cannot_be_compared_is_told_with_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("old.json");
    let epyc = std::fs::read_to_string(fixture("epyc.json")).unwrap();
    std::fs::write(&old, epyc.replace("n=8/t=1@1\"", "n=8/t=1@2\"")).unwrap();
    let (old, new) = (old.to_str().unwrap(), fixture("epyc.json"));
    let versions = nqueens(&["compare", &new, old, &new]);
    assert_eq!(versions.status.code(), Some(0), "{}", text(&versions.stderr));
    let said = text(&versions.stdout);
    let left_out = format!("another version of it: arrays@2 (once, in {old}); mask@2 (once, in {old})\n");
    assert!(said.contains(&left_out), "{said}");
    let nobody = nqueens(&["compare", &new, &new, "--against", "nobody"]);
    assert_eq!(nobody.status.code(), Some(2));
    assert!(text(&nobody.stderr).contains("0 of the records are from 'nobody'"), "{}", text(&nobody.stderr));
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

#[test]
fn threads_and_lasting_load_are_measured() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("a.json");
    let record = record.to_str().unwrap();
    let bench = nqueens(
        &[
            &["bench", "--workload", "count/bitmask/n=11/t=1", "--budget", "1"][..],
            &["--sustain", "1s", "--out", record],
        ]
        .concat(),
    );
    assert!(bench.status.success(), "{}", text(&bench.stderr));
    let read = read::read(record.as_ref()).unwrap();
    let sustained = read.sustained.unwrap();
    assert_eq!(sustained.workload.to_string(), "count/bitmask/n=17/t=all@1");
    assert!(!sustained.points.is_empty() && sustained.points.iter().all(|point| point.seconds > 0.0));
    // The clock is measured in the run, and one that processors have.
    if let Some(mhz) = read.machine.clock.measured_mhz {
        let [low, high] = read.machine.clock.measured_range_mhz.unwrap();
        assert!((200.0..=10_000.0).contains(&mhz) && low <= mhz && mhz <= high, "{low} {mhz} {high}");
    }
    for (arguments, message) in [
        (&["bench", "--sustain", "10"][..], "'10' is not a time from 1s to 24h: give a number with its unit"),
        (&["bench", "--threads", "0"], "'0' is not a number of threads: give 1 to 4096"),
        (&["bench", "--anchor", "mine", "--out", "x.json"], "'mine' has no version: write it like epyc-2core@3"),
        (&["bench", "--anchor", "mine@1"], "--out <FILE>"),
    ] {
        let wrong = nqueens(arguments);
        assert_eq!(wrong.status.code(), Some(2), "{arguments:?}");
        assert!(text(&wrong.stderr).contains(message), "{arguments:?}: {}", text(&wrong.stderr));
    }
    if !nqueens::version::FLAGS.starts_with("release") {
        let anchor = nqueens(&["bench", "--anchor", "mine@1", "--out", record]);
        assert_eq!(anchor.status.code(), Some(2));
        assert!(text(&anchor.stderr).contains("an anchor takes a release build"), "{}", text(&anchor.stderr));
    }
}
