//! `bench`, whose output differs from run to run.

use std::fs;

use serde_json::Value;

use crate::program::{run, typed};

#[test]
fn a_benchmark_leaves_a_record_in_a_new_file() {
    let folder = tempfile::tempdir().unwrap();
    let bench = run(&mut typed(folder.path(), "bench --machine My-machine"));
    let file = bench.stderr.lines().next().unwrap().strip_prefix("nqueens: the record goes to ").unwrap();
    assert!(file.starts_with("my-machine-20") && file.ends_with(".json"), "{file}");
    bench.expect(0, "no score: it is not of a release build");
    assert!(bench.stdout.contains("\nbitmask n=12  ") && !bench.stdout.contains("points  "), "{bench:?}");
    run(&mut typed(folder.path(), "bench --out second.json --scaling --isa portable")).expect(0, "no score: ");
    let read = |file: &str| -> Value { serde_json::from_slice(&fs::read(folder.path().join(file)).unwrap()).unwrap() };
    let (first, second) = (read(file), read("second.json"));
    let cpus = first["machine"]["usable_cpus"].as_u64().unwrap();
    let doubled = std::iter::successors(Some(2), |threads| Some(2 * threads)).take_while(|&threads| threads < cpus);
    let ends = 1 + usize::from(cpus > 1);
    for (record, threads) in [(&first, ends), (&second, ends + doubled.count())] {
        assert_eq!(record["workloads"].as_array().unwrap().len(), 3 * threads);
    }
    assert_eq!((&first["name"], &second["isa"]), (&"My-machine".into(), &"portable".into()));
}
