#!/usr/bin/env bash
# Measures the anchor of all scores again. Takes ten minutes on a quiet machine.
#
#   scripts/anchor.sh NAME@VERSION     such as epyc-2core@5
set -euo pipefail
cd "$(dirname "$0")/.."
[[ ${1-} =~ ^[^@[:space:]]+@[0-9]+$ ]] || { echo "give a name and a version, such as epyc-2core@5" >&2; exit 2; }
git diff --quiet HEAD || { echo "commit first: nobody can build an anchor of changed sources again" >&2; exit 2; }
cargo build --release --locked
"${CARGO_TARGET_DIR:-target}/release/nqueens" bench machine --suite standard --repeat 3 --name "$1" --out src/bin/nqueens/bench/baseline.json
echo "Keep it only if no line above says what spoils a comparison, and 'cargo test --bin nqueens score' passes."
