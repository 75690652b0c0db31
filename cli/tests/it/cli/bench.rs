//! `bench`, and `compare` with many records.

use std::fs;
use std::io::{BufRead, BufReader, Read};

use serde_json::Value;

use crate::program::{LARGE, answer, run, typed};

#[test]
fn a_benchmark_leaves_a_record_in_a_new_file() {
    let folder = tempfile::tempdir().unwrap();
    let bench = run(&mut typed(folder.path(), "bench --machine My-machine"));
    let file = bench.stderr.lines().next().unwrap().strip_prefix("nqueens: the record goes to ").unwrap();
    assert!(file.starts_with("my-machine-20") && file.ends_with(".json"), "{file}");
    bench.expect(0, "no score: it is not of a release build");
    assert!(bench.stdout.contains("\nbitmask n=12  ") && !bench.stdout.contains("points  "), "{bench:?}");
    let second = "second.json";
    run(&mut typed(folder.path(), "bench --out second.json --scaling --isa portable")).expect(0, "no score: ");
    let read = |file: &str| -> Value { serde_json::from_slice(&fs::read(folder.path().join(file)).unwrap()).unwrap() };
    let (first, second) = (read(file), read(second));
    let cpus = first["machine"]["usable_cpus"].as_u64().unwrap();
    let doubled = std::iter::successors(Some(2), |threads| Some(2 * threads)).take_while(|&threads| threads < cpus);
    let ends = 1 + usize::from(cpus > 1);
    for (record, threads) in [(&first, ends), (&second, ends + doubled.count())] {
        assert_eq!(record["workloads"].as_array().unwrap().len(), 3 * threads);
    }
    assert_eq!((&first["name"], &second["isa"]), (&"My-machine".into(), &"portable".into()));
}

#[cfg(unix)]
#[test]
fn an_interrupted_benchmark_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = typed(folder.path(), "bench --scaling --out a.json").spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert_eq!(line, "nqueens: the record goes to a.json\n");
    crate::program::send("-INT", &child);
    said.read_to_string(&mut line).unwrap();
    assert!(line.ends_with("stopped before everything was measured: there is no record\n"), "{line}");
    assert_eq!(crate::program::end(child).status, Some(130));
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

#[test]
fn thirty_machines_are_readable_in_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let files: Vec<String> = (0..30).map(|index| format!("{index}.json")).collect();
    for (index, file) in files.iter().enumerate() {
        let mut record: Value = serde_json::from_str(&fs::read_to_string(LARGE).unwrap()).unwrap();
        record["name"] = format!("Machine {index} of the second rack at the left").into();
        // Half of them have fewer threads.
        record["machine"]["usable_cpus"] = (if index % 2 == 0 { 16 } else { 8 }).into();
        let busy = serde_json::json!({"spoils_score": true, "text": "busy"});
        record["warnings"] = Vec::from_iter((index == 7).then_some(busy)).into();
        fs::write(folder.path().join(file), record.to_string()).unwrap();
    }
    let said = answer(folder.path(), &format!("compare {}", files.join(" ")));
    assert!(said.lines().all(|line| line.chars().count() <= 80) && said.contains("Machine 8 o…t the left"), "{said}");
    // Nobody is warned of fewer threads.
    let expected = "- Machine 7 of the second rack at the left: no score: busy\n";
    assert_eq!(said.split_once("Warnings:\n\n").unwrap().1, expected);
}
