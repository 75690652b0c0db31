#!/usr/bin/env bash
# Builds examples/page, a web page with the library as WebAssembly, in the folder page of cargo's target folder, and
# tests it: Node counts with the library, and Chromium clicks through the page. `python3 -m http.server -d target/page`
# serves the page.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/needs.sh
need_library wasm32-unknown-unknown
# These vector instructions are in all browsers since 2023.
export RUSTFLAGS="${RUSTFLAGS:-} -C target-feature=+simd128"
cargo build --locked --release --package n-queens --target wasm32-unknown-unknown --example page
mkdir -p "$built/page"
cp "$built/wasm32-unknown-unknown/release/examples/page.wasm" examples/page/*.{html,js} "$built/page"
command -v node >/dev/null || fail "Node is missing, which counts with page.wasm: install it first"
# shellcheck disable=SC2016 # The text is JavaScript.
counted=$(node --input-type=module --eval '
    import { readFile } from "node:fs/promises";
    const page = { show_progress() {} };
    const { instance } = await WebAssembly.instantiate(await readFile(process.argv[1]), { page });
    const sizes = [8, 12, 14, 33, -1, 8.5, NaN, 2 ** 32 + 8];
    console.log(sizes.map((n) => `${n} ${instance.exports.count(n)}`).join(" "));' "$built/page/page.wasm")
echo "page.wasm counts: $counted"
expected="8 92 12 14200 14 365596 33 -1 -1 -1 8.5 -1 NaN -1 4294967304 -1"
[ "$counted" = "$expected" ] || fail "this should be: $expected"
need_browser
node examples/page/test/browser.mjs "$built/page"
