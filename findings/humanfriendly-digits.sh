#!/usr/bin/env bash
# Guess: `format_number` of humanfriendly prints every digit of a whole number, in groups of three.
# What happens: from 10^16 on it prints the first three digits as a number below ten. Q(26) is 2.23.
# Version: humanfriendly 10.0 (PyPI)
set -euo pipefail
cd "$(dirname "$0")/.."
. findings/common.bash

seen=$(python_with humanfriendly==10.0 <<'PYTHON'
import humanfriendly

for count in (2207893435808352, 22317699616364044, 234907967154122528):
    print(humanfriendly.format_number(count))
PYTHON
)
same "2,207,893,435,808,352
2.23
2.34" "$seen"
