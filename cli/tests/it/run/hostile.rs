//! Files that are made to take all memory: large, deep, or full of what nobody reads.
#![cfg(target_os = "linux")]

use std::fs;

use crate::program::{Ended, run, shell};

use super::{Place, sealed};

/// What is before the hostile part of a plan, a record or a line.
const CUT: &str = "\"schema\":1,\"kind\":\"nqueens-plan\",\"size\":12,\"solver\":\"bitmask\",\"plan_version\":2,\
    \"fingerprint\":\"0\",\"units\":9,\"divisor\":1,\"isa\":\"\",\"version\":\"\",\"commit\":\"\",\"dirty\":false,\
    \"cpu\":\"\",\"machine\":\"\",\"threads\":1";

/// A field, what it begins with, what is repeated in it, and its end.
const PARTS: [[&str; 4]; 7] = [
    ["unknown", "[", "{},", "0]"],
    ["unknown", "", "[", ""],
    ["machines", "[", "[\"\",\"\",\"\",\"\",0,0],", "0]"],
    ["counts", "\"", "0 ", "\""],
    ["counts", "\"", "9", "\""],
    ["sum", "\"", "\\u001b", "\""],
    ["shard_ends", "[", "1,", "1]"],
];

/// A file of about `bytes` bytes.
fn hostile([field, begin, again, end]: [&str; 4], bytes: usize) -> String {
    let again = again.repeat((bytes - CUT.len() - 100) / again.len());
    // Where the other fields are missing, nothing after them would be read.
    let others = [("machines", "[]"), ("counts", "\"\""), ("shard_ends", "[]"), ("shard_milliseconds", "[]")];
    let others: String = others.iter().filter(|other| other.0 != field).map(|(n, v)| format!(",\"{n}\":{v}")).collect();
    format!("{{{CUT}{others},\"{field}\":{begin}{again}{end}}}")
}

/// Runs the program with this much address space.
fn limited(place: &Place, mebibytes: usize, line: &str) -> Ended {
    run(&mut shell(place.at(), &format!("ulimit -c 0; ulimit -v {}; exec nqueens {line}", mebibytes << 10)))
}

/// Gives the file to everything that reads such a file. The limit of memory grows with the file.
#[track_caller]
fn is_refused(place: &Place, text: &str, mebibytes: usize) {
    let sealed = sealed(text);
    for (name, content, line, status) in [
        ("file", text, "bench compare file --format html", 1),
        ("r/logs/000000.jsonl", &sealed, "run merge r", 3),
        ("p/plan.json", &sealed, "run status p", 1),
    ] {
        fs::write(place.path(name), content).unwrap();
        let ended = limited(place, mebibytes, line);
        assert_eq!(ended.status, Some(status), "{line}: {:.300} {ended:.0?}", ended.stderr);
        assert!(ended.stderr.len() < 100_000);
    }
}

/// A small file takes a few megabytes, and a large one a small multiple of its size. The program alone takes 40 MiB of
/// address space.
#[test]
fn no_file_takes_all_memory() {
    let place = Place::with_run(12, "arrays", 3);
    fs::create_dir(place.path("p")).unwrap();
    for part in PARTS {
        is_refused(&place, &hostile(part, 61_000), 80);
        is_refused(&place, &hostile(part, 2 << 20), 70);
    }
    // Too large, whatever it is.
    is_refused(&place, &" ".repeat((64 << 20) + 1), 300);
}
