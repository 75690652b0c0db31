#!/usr/bin/env bash
# Builds and runs the library as WebAssembly, without the command line and on one thread.
#
#   scripts/wasm/run.sh                the unit tests (wasm32-wasip1, run by wasmtime), then what 'page' does
#   scripts/wasm/run.sh page           examples/page (wasm32-unknown-unknown) into target/page, and counts made with it by Node
#   scripts/wasm/run.sh cargo ARGS...  cargo with wasmtime as the runner, for any command, such as
#                                      cargo run --target wasm32-wasip1 --no-default-features --example list
#
# Installs what it needs, if possible: wasmtime into target/wasmtime. Exit status 77 if it cannot.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/needs.sh

# The program `wasmtime` where there is one, else Python's package of this name. (Node 20 has WASI too, and crashed on these
# tests.)
wasi() {
    need_library wasm32-wasip1
    local runner="wasmtime run" python=target/wasmtime/bin/python
    if ! command -v wasmtime >/dev/null; then
        $python -c 'import wasmtime' 2>/dev/null ||
            { python3 -m venv target/wasmtime && $python -m pip install --quiet wasmtime==50.0.1; } ||
            lack "there is no wasmtime, and Python cannot install it"
        runner="$PWD/$python $PWD/scripts/wasm/wasi.py"
    fi
    export CARGO_TARGET_WASM32_WASIP1_RUNNER=$runner
}

tests() {
    wasi
    # A panic ends the program there, before what a test said is shown: so it is shown at once.
    cargo test --locked --no-default-features --target wasm32-wasip1 --lib -- --nocapture
}

page() {
    need_library wasm32-unknown-unknown
    cargo build --locked --release --no-default-features --target wasm32-unknown-unknown --example page
    mkdir -p target/page
    cp "${CARGO_TARGET_DIR:-target}"/wasm32-unknown-unknown/release/examples/page.wasm examples/page/index.html target/page/
    command -v node >/dev/null || lack "there is no Node to count with target/page/page.wasm"
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
        wasi
        "$@"
        ;;
    *)
        sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
esac
