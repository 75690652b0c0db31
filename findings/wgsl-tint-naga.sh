#!/usr/bin/env bash
# Guess: Tint and naga take pointers to workgroup memory as parameters and `extractBits` of constants. Both refuse
# `subgroupAdd` without `enable subgroups;` and a constant sum above 32 bits.
# What happens: naga refuses the pointer and the constant `extractBits`. It takes `subgroupAdd`. Both take the sum, which wraps.
# Version: naga 30.0.0 (Rust crate), webgpu 0.6.2 (npm, Dawn with Tint, without a card)
set -euo pipefail
cd "$(dirname "$0")/.."
. findings/common.bash

kernel() { # NAME DECLARATIONS EXPRESSION
    printf '@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n%s\n@compute @workgroup_size(4) fn main() { out[0] = %s; }\n' \
        "$2" "$3" >"$1.wgsl"
}
kernel pointer 'var<workgroup> w: array<u32, 4>; fn first(p: ptr<workgroup, array<u32, 4>>) -> u32 { return (*p)[0]; }' 'first(&w)'
kernel extract 'const bits = extractBits(255u, 4u, 4u);' bits
kernel subgroup '' 'subgroupAdd(out[1])'
kernel sum 'const sum = 4294967295u + 2u; const_assert sum == 1u;' sum

npm install --silent --no-fund --no-audit webgpu@0.6.2
cat >tint.mjs <<'NODE'
import { create, globals } from 'webgpu';
import { readFileSync } from 'node:fs';
Object.assign(globalThis, globals);
const device = await (await create(['backend=null']).requestAdapter()).requestDevice();
device.addEventListener('uncapturederror', () => {});
for (const name of process.argv.slice(2)) {
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ code: readFileSync(`${name}.wgsl`, 'utf8') });
    const { messages } = await module.getCompilationInfo();
    await device.popErrorScope();
    console.log('Tint', name, messages.some(message => message.type === 'error') ? 'refuses' : 'takes');
}
NODE
seen=$(node tint.mjs pointer extract subgroup sum)
same "Tint pointer takes
Tint extract takes
Tint subgroup refuses
Tint sum takes" "$seen"

seen=$(rust_with 'naga = { version = "=30.0.0", features = ["wgsl-in"] }' <<'RUST'
use naga::valid::{Capabilities, ValidationFlags, Validator};
fn main() {
    for name in ["pointer", "extract", "subgroup", "sum"] {
        let module = naga::front::wgsl::parse_str(&std::fs::read_to_string(format!("{name}.wgsl")).unwrap());
        let valid = |module| Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module).is_ok();
        println!("naga {name} {}", if module.is_ok_and(valid) { "takes" } else { "refuses" });
    }
}
RUST
)
same "naga pointer refuses
naga extract refuses
naga subgroup takes
naga sum takes" "$seen"
