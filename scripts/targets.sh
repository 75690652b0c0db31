#!/usr/bin/env bash
# Checks that the sources compile for other machines and systems. Needs no linker, and runs nothing.
#
#   scripts/targets.sh              checks every supported target
#   scripts/targets.sh TARGET...    checks these targets; after --library only the library
#
# Checks the program, and the library without it. For WebAssembly it checks the library alone. rustup adds the targets.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/needs.sh

targets=(
    x86_64-unknown-linux-gnu x86_64-unknown-linux-musl aarch64-unknown-linux-gnu aarch64-unknown-linux-musl
    x86_64-apple-darwin aarch64-apple-darwin x86_64-pc-windows-gnu
    wasm32-wasip1 wasm32-unknown-unknown
)
features=(--no-default-features --all-features)
[ "${1-}" != --library ] || { features=(--no-default-features); shift; }
[ $# = 0 ] || targets=("$@")
for target in "${targets[@]}"; do
    need_library "$target"
    for feature in "${features[@]}"; do
        # The command line starts threads and reads files of the system: a page has neither.
        case $target$feature in wasm32*--all-features) continue ;; esac
        echo "$target $feature"
        RUSTFLAGS="-D warnings" cargo check --locked --quiet --target "$target" "$feature"
    done
done
