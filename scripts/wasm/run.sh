#!/usr/bin/env bash
# The library as WebAssembly, without the command line and on one thread, run with Node.
#
#   scripts/wasm/run.sh                the unit tests (wasm32-wasip1), then a count as a web page makes it
#   scripts/wasm/run.sh page           examples/page for wasm32-unknown-unknown, into target/page, and the counts it makes
#   scripts/wasm/run.sh cargo ARGS...  cargo with Node as the runner, for any command, such as
#                                      cargo run --target wasm32-wasip1 --no-default-features --example list
#
# What it needs is installed where that is possible; exit status 77 where it cannot be had.
set -euo pipefail
cd "$(dirname "$0")/../.."

lack() {
    echo "$1" >&2
    exit 77
}
has_library() { [ -d "$(rustc --print target-libdir --target "$1")" ]; }
need() {
    has_library "$1" || { command -v rustup >/dev/null && timeout 120 rustup target add "$1" && has_library "$1"; } ||
        lack "Rust's standard library for $1 is not installed, and rustup cannot add it"
}
# From 20 on Node has WASI without a flag.
command -v node >/dev/null && [ "$(node -p 'parseInt(process.versions.node)')" -ge 20 ] ||
    lack "there is no Node 20 or later"
export CARGO_TARGET_WASM32_WASIP1_RUNNER="node --no-warnings $PWD/scripts/wasm/wasi.mjs"

tests() {
    need wasm32-wasip1
    cargo test --locked --no-default-features --target wasm32-wasip1 --lib
}

page() {
    need wasm32-unknown-unknown
    cargo build --locked --release --no-default-features --target wasm32-unknown-unknown --example page
    mkdir -p target/page
    cp target/wasm32-unknown-unknown/release/examples/page.wasm examples/page/index.html target/page/
    local counted
    counted=$(node scripts/wasm/count.mjs target/page/page.wasm 8 12 14 33 | tr '\n' ' ')
    echo "target/page/page.wasm counts: $counted"
    [ "$counted" = "8 92 12 14200 14 365596 33 -1 " ] || {
        echo "that is wrong" >&2
        exit 3
    }
}

case ${1:-tests} in
    tests)
        tests
        page
        ;;
    page) page ;;
    cargo)
        need wasm32-wasip1
        "$@"
        ;;
    *)
        sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
esac
