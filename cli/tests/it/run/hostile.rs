//! Files that are made to take all memory: large, deep, or full of what nobody reads.
#![cfg(target_os = "linux")]

use std::fs;

use crate::program::{run, shell};

use super::{Place, sealed};

/// A text of about `bytes` bytes: a field of JSON, what it begins with, what is repeated in it, and its end.
fn hostile([field, begin, again, end]: [&str; 4], bytes: usize) -> String {
    format!("{{\"shard\":1,\"{field}\":{begin}{}{end}}}", again.repeat(bytes / again.len()))
}

/// The program alone takes 40 MiB of address space. A line takes no more, however long it is, and a plan or a record a
/// small multiple of its size.
#[test]
fn no_file_takes_all_memory() {
    let place = Place::with_run(12, "arrays", 3);
    fs::create_dir(place.path("p")).unwrap();
    let parts = [
        ["unknown", "[", "{},", "0]"],
        ["unknown", "", "[", ""],
        ["counts", "\"", "0 ", "\""],
        ["shard_ends", "[", "1,", "1]"],
        ["unknown", "\"", "\n", "\""],
    ];
    for part in parts {
        let (small, large) = (sealed(&hostile(part, 2 << 20)), sealed(&hostile(part, 8 << 20)));
        for (name, text, line, status) in [
            ("r/logs/a.jsonl", &large, "merge r", 3),
            ("r/logs/a.jsonl", &large, "status r", 3),
            ("p/plan.json", &small, "status p", 1),
            ("record.json", &small, "compare record.json", 1),
        ] {
            fs::write(place.path(name), text).unwrap();
            let ended = run(&mut shell(place.at(), &format!("ulimit -c 0; ulimit -v 71680; exec nqueens {line}")));
            assert_eq!(ended.status, Some(status), "{part:?}, {line}: {:.300} {ended:.0?}", ended.stderr);
            assert!(ended.stderr.len() < 1_000_000, "{line}");
        }
    }
    // Too large, whatever it is.
    fs::File::create(place.path("p/plan.json")).unwrap().set_len(1 << 40).unwrap();
    place.refuses(1, "status p", "it has more than 64 MiB");
}
