#!/usr/bin/env bash
# Builds examples/page, the library as WebAssembly, into the folder target/page. Counts with it by Node, and clicks through it
# in Chromium. `python3 -m http.server -d target/page` serves it.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/needs.sh
need_library wasm32-unknown-unknown
# Vector instructions, which all browsers have since 2023.
export RUSTFLAGS="${RUSTFLAGS:-} -C target-feature=+simd128"
cargo build --locked --release --package n-queens --target wasm32-unknown-unknown --example page
mkdir -p target/page
cp "${CARGO_TARGET_DIR:-target}"/wasm32-unknown-unknown/release/examples/page.wasm examples/page/*.{html,js} target/page/
command -v node >/dev/null || fail "there is no Node to count with target/page/page.wasm"
# shellcheck disable=SC2016 # The script is JavaScript's.
counted=$(node --input-type=module --eval '
    import { readFile } from "node:fs/promises";
    const page = { show_progress() {} };
    const { instance } = await WebAssembly.instantiate(await readFile("target/page/page.wasm"), { page });
    const sizes = [8, 12, 14, 33, -1, 8.5, NaN, 2 ** 32 + 8];
    console.log(sizes.map((n) => `${n} ${instance.exports.count(n)}`).join(" "));')
echo "target/page/page.wasm counts: $counted"
[ "$counted" = "8 92 12 14200 14 365596 33 -1 -1 -1 8.5 -1 NaN -1 4294967304 -1" ] || { echo "that is wrong" >&2; exit 3; }
need_browser
node examples/page/test/browser.mjs target/page
