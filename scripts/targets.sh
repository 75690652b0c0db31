#!/usr/bin/env bash
# Checks that the sources compile for machines and systems that are not at hand: no linker is needed, and nothing runs.
#
#   scripts/targets.sh              every target that README.md promises
#   scripts/targets.sh TARGET...    these alone; after --library only the library
#
# The program and the library without it, and for WebAssembly the library alone. Targets are added by rustup.
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
