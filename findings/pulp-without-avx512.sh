#!/usr/bin/env bash
# Guess: pulp chooses AVX-512 at run time where the processor has it, as fearless_simd does.
# What happens: its default features have no type for AVX-512, so every such processor counts with AVX2. The build says nothing.
# Version: pulp 0.22.3, fearless_simd 1.2.0 (Rust crates)
set -euo pipefail
cd "$(dirname "$0")/.."
. findings/common.bash

builds() { # DEPENDENCY TYPE
    if rust_with "$1" <<<"fn main() { let _: Option<$2> = None; }" 2>errors; then echo yes; else grep -m 1 -oE 'error\[E[0-9]+\]' errors; fi
}
same yes "$(builds 'pulp = "=0.22.3"' pulp::x86::V3)"
same "error[E0425]" "$(builds 'pulp = "=0.22.3"' pulp::x86::V4)"
same yes "$(builds 'pulp = { version = "=0.22.3", features = ["x86-v4"] }' pulp::x86::V4)"
same yes "$(builds 'fearless_simd = "=1.2.0"' fearless_simd::x86::Avx512)"
