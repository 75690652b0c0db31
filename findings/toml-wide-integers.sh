#!/usr/bin/env bash
# Guess: the toml crate refuses integers above 64 bits, or its own tables read what it wrote.
# What happens: it writes and reads them as u128. Its own `Table` refuses what it wrote.
# Version: toml 1.2.2, serde 1.0.229 (Rust crates)
set -euo pipefail
cd "$(dirname "$0")/.."
. findings/common.bash

seen=$(rust_with 'toml = "=1.2.2"' 'serde = { version = "=1.0.229", features = ["derive"] }' <<'RUST'
#[derive(serde::Serialize, serde::Deserialize)]
struct Record {
    count: u128,
}
fn main() {
    let text = toml::to_string(&Record { count: 1 << 64 }).unwrap();
    print!("{text}");
    println!("as u128: {}", toml::from_str::<Record>(&text).unwrap().count);
    println!("as Table: {}", toml::from_str::<toml::Table>(&text).unwrap_err().message());
}
RUST
)
same "count = 18446744073709551616
as u128: 18446744073709551616
as Table: invalid type: integer \`18446744073709551616\` as i128, expected any valid TOML value" "$seen"
