#!/usr/bin/env bash
# Checks that the sources compile for other machines and systems. Needs no linker, and runs nothing.
#
#   scripts/targets.sh              checks every supported target
#   scripts/targets.sh TARGET...    checks these targets
#
# Checks the library, the gate, and the program with graphics cards. For WebAssembly it checks the library alone. rustup
# adds the targets.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/needs.sh

targets=(
    x86_64-unknown-linux-gnu x86_64-unknown-linux-musl aarch64-unknown-linux-gnu aarch64-unknown-linux-musl
    x86_64-apple-darwin aarch64-apple-darwin x86_64-pc-windows-gnu
    wasm32-wasip1 wasm32-unknown-unknown
)
[ $# = 0 ] || targets=("$@")
for target in "${targets[@]}"; do
    need_library "$target"
    packages=(--package n-queens)
    # The command line starts threads and reads files of the system: a page has neither.
    case $target in wasm32*) ;; *) packages=(--workspace --features n-queens-cli/gpu) ;; esac
    echo "$target"
    RUSTFLAGS="-D warnings" cargo check --locked --quiet --target "$target" "${packages[@]}"
done
