#!/usr/bin/env bash
# Guess: `pyperf compare_to` fails if the second file is three times as slow. No option is needed in CI.
# What happens: it says "3.00x slower" and returns 0. It returns 1 only if no benchmark has the same name.
# Version: pyperf 2.11.0 (PyPI)
set -euo pipefail
cd "$(dirname "$0")/.."
. findings/common.bash

python_with pyperf==2.11.0 <<'PYTHON'
import pyperf

for file, name, seconds in [("base", "count", 1.0), ("slow", "count", 3.0), ("other", "list", 1.0)]:
    runs = [pyperf.Run([seconds, seconds], metadata={"name": name}, collect_metadata=False) for _ in range(5)]
    pyperf.Benchmark(runs).dump(f"{file}.json")
PYTHON
for candidate in slow other; do
    status=0
    python/bin/pyperf compare_to base.json $candidate.json >output 2>&1 || status=$?
    case $candidate in
    slow) same "0: 3.00x slower" "$status: $(grep -o '[0-9.]*x slower' output)" ;;
    other) same "1: ERROR: Benchmark suites have no benchmark in common" "$status: $(cat output)" ;;
    esac
done
