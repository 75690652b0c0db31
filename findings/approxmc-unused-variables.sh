#!/usr/bin/env bash
# Guess: a variable that is in no clause doubles the count, in every model counter.
# What happens: for "1 or 5", pyganak, d4Solver and tididi-cnf count 24. pyapproxmc of the same authors as pyganak counts 3.
# Version: pyapproxmc 4.4.0, pyganak 2.8.0, d4Solver 1.0.0, tididi-cnf 0.1.2 (PyPI)
set -euo pipefail
cd "$(dirname "$0")/.."
. findings/common.bash

seen=$(python_with pyapproxmc==4.4.0 pyganak==2.8.0 d4Solver==1.0.0 tididi-cnf==0.1.2 2>/dev/null <<'PYTHON' | grep -v '^c'
import py_d4
import pyapproxmc
import pyganak
import tididi_cnf

clause = [1, 5]
approximate, ganak = pyapproxmc.Counter(), pyganak.Counter()
approximate.add_clause(clause)
ganak.add_clause(clause)
cells, hashes = approximate.count()
print("pyapproxmc", cells * 2**hashes)
print("pyganak", ganak.count())
print("d4Solver", py_d4.Solver([clause], 5).count().getIntResult())
print("tididi-cnf", tididi_cnf.count([clause], mode="mc"))
PYTHON
)
same "pyapproxmc 3 pyganak 24 d4Solver 24 tididi-cnf <tididi_cnf.Answer: mc, 24>" "$(xargs <<<"$seen")"
