#!/usr/bin/env bash
# Guess: deus-nqueens counts 1 0 0 2 10 boards for n = 1 to 5.
# What happens: it lists no board for n = 1. `solve(1)` of the same crate returns that board.
# Version: deus-nqueens 0.4.0 (Rust crate)
set -euo pipefail
cd "$(dirname "$0")/.."
. findings/common.bash

seen=$(rust_with 'deus-nqueens = "=0.4.0"' <<'RUST'
use deus_nqueens::NQueens;
fn main() {
    let counts: Vec<usize> = (1..=5).map(|n| NQueens::solve_all(n).count()).collect();
    println!("solve_all: {counts:?}, solve(1): {:?}", NQueens::solve(1));
}
RUST
)
same "solve_all: [0, 0, 0, 2, 10], solve(1): Some([1])" "$seen"
