#!/usr/bin/env bash
# Guess: pytest-benchmark warns if nothing of the saved run is there to compare, although it was told to fail when slower.
# What happens: a benchmark that is renamed and ten times slower passes without a warning, status 0. With its old name it fails.
# Version: pytest-benchmark 5.3.1, pytest 9.2.0 (PyPI)
set -euo pipefail
cd "$(dirname "$0")/.."
. findings/common.bash

python_with pytest-benchmark==5.3.1 pytest==9.2.0 </dev/null
benchmark() { # NAME MILLISECONDS OPTION...
    printf 'import time\ndef test_%s(benchmark):\n    benchmark(time.sleep, %s / 1000)\n' "$1" "$2" >test_count.py
    python/bin/pytest --quiet --benchmark-max-time=0.1 "${@:3}" >output 2>&1
}
compare=(--benchmark-compare=0001 --benchmark-compare-fail=mean:50%)
benchmark count 2 --benchmark-save=base
status=0
benchmark counts 20 "${compare[@]}" || status=$?
seen="renamed: status $status, $(grep -ciE 'warn|regress|missing' output || true) warnings"
status=0
benchmark count 20 "${compare[@]}" || status=$?
same "renamed: status 0, 0 warnings; same name: status 1, Performance has regressed." \
    "$seen; same name: status $status, $(grep -o 'Performance has regressed.' output | tail -n 1)"
