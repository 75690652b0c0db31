#!/usr/bin/env bash
# Guess: a flattened map takes the columns that a struct does not name, as numbers or as text.
# What happens: both maps refuse a row with the count 92, one because it is a u128, one because it looks like a number.
# Version: csv 1.4.0, serde 1.0.229 (Rust crates)
set -euo pipefail
cd "$(dirname "$0")/.."
. findings/common.bash

seen=$(rust_with 'csv = "=1.4.0"' 'serde = { version = "=1.0.229", features = ["derive"] }' <<'RUST'
use std::collections::BTreeMap;
#[derive(Debug, serde::Deserialize)]
#[allow(dead_code)]
struct Row<T: Ord + Default + serde::de::DeserializeOwned> {
    n: u32,
    #[serde(flatten, bound = "T: serde::de::DeserializeOwned")]
    rest: BTreeMap<String, T>,
}
fn read<T: Ord + Default + std::fmt::Debug + serde::de::DeserializeOwned>() {
    let mut reader = csv::Reader::from_reader(&b"n,count\n8,92\n"[..]);
    match reader.deserialize::<Row<T>>().next().unwrap() {
        Ok(row) => println!("{row:?}"),
        Err(error) => println!("{error}"),
    }
}
fn main() {
    read::<u64>();
    read::<u128>();
    read::<String>();
}
RUST
)
same "Row { n: 8, rest: {\"count\": 92} }
CSV deserialize error: record 1 (line: 2, byte: 8): u128 is not supported
CSV deserialize error: record 1 (line: 2, byte: 8): invalid type: integer \`92\`, expected a string" "$seen"
