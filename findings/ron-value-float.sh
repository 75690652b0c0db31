#!/usr/bin/env bash
# Guess: RON reads a count above 64 bits exactly, or refuses it.
# What happens: ron's `Value` is a float, of 32 bits if these hold the number. As u128, ron refuses even 92, without a feature.
# Version: ron 0.12.3 (Rust crate)
set -euo pipefail
cd "$(dirname "$0")/.."
. findings/common.bash

seen=$(rust_with 'ron = "=0.12.3"' <<'RUST'
fn main() {
    for text in ["18446744073709551615", "18446744073709551616", "30000000000000000001"] {
        println!("{:?}", ron::from_str::<ron::Value>(text));
    }
    println!("{}", ron::from_str::<u128>("92").unwrap_err().code);
}
RUST
)
same "Ok(Number(U64(18446744073709551615)))
Ok(Number(F32(F32(1.8446744e19))))
Ok(Number(F64(F64(3e19))))
u128 is not supported" "$seen"
