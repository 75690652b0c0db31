#!/usr/bin/env bash
# Guess: `count` of dd returns the same whole number, whether the diagrams are dd's own or CUDD's.
# What happens: with CUDD it returns a float. Above 2^53 its last digits are wrong, and nothing says so.
# Version: dd 0.6.0 (PyPI)
set -euo pipefail
cd "$(dirname "$0")/.."
. findings/common.bash

seen=$(python_with dd==0.6.0 <<'PYTHON'
from dd import autoref, cudd

for module in (autoref, cudd):
    diagrams = module.BDD()
    diagrams.declare(*(f"x{i}" for i in range(58)))
    some = diagrams.false
    for i in range(58):
        some |= diagrams.var(f"x{i}")
    count = diagrams.count(some)
    print(module.__name__, type(count).__name__, int(count))
PYTHON
)
same "dd.autoref int 288230376151711743 dd.cudd float 288230376151711744" "$(xargs <<<"$seen")"
