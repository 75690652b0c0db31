#!/usr/bin/env bash
# Checks that a program inlines every operation of `solver/simd`: scripts/inlined.sh PROGRAM
#
# The operations become single instructions, if all code that uses them is `#[inline(always)]`. Where the attribute is
# missing, an operation stays a function, and the program has a symbol for it. The bodies of `transpose`, `line_planes`
# and `filter` may be functions, because they work on many words.
set -euo pipefail

symbols=$(nm -C "$1")
if ! grep -q 'nqueens::solver::simd::.*::enter' <<<"$symbols"; then
    echo "$1 has no symbols of the vector code: build it without strip" >&2
    exit 1
fi
operations='^[0-9a-f]+ [tT] <nqueens::solver::simd::[^ ]+ as nqueens::solver::simd::'
large='::(transpose|line_planes|filter)::__arcane_operation$'
if functions=$(grep -E "$operations" <<<"$symbols" | grep -vE "$large"); then
    printf 'operations that are functions: look for a missing #[inline(always)] in src/solver\n%s\n' "$functions" >&2
    exit 1
fi
