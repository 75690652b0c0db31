#!/usr/bin/env bash
# Guess: Miller reads a count from 2^63 on as a float, as it does with results of its own sums.
# What happens: it is text. A sum leaves it out without a word: 9223372036854775808 and 5 are 5.
# Version: miller 6.6.0-2+b3 (Debian 12)
set -euo pipefail
cd "$(dirname "$0")/.."
. findings/common.bash

debian_with miller=6.6.0-2+b3
mlr --version
seen=$(printf 'count\n9223372036854775808\n5\n' | mlr --icsv --ojsonl stats1 -a sum,max,count -f count 'then' \
    put "\$own = 9223372036854775807 + 1")
same '{"count_sum": 5, "count_max": "9223372036854775808", "count_count": 2, "own": 9223372036854776000}' "$seen"
