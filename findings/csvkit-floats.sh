#!/usr/bin/env bash
# Guess: csvkit keeps the digits of whole numbers: it reads columns as decimals.
# What happens: csvstat rounds the largest value and the sum. csvjson writes floats, also for n. csvsort keeps all digits.
# Version: csvkit 2.2.0, agate 1.14.2 (PyPI)
set -euo pipefail
cd "$(dirname "$0")/.."
. findings/common.bash

python_with csvkit==2.2.0 agate==1.14.2 </dev/null
printf 'n,count\n26,22317699616364044\n27,234907967154122529\n' >counts.csv
same 234907967154122528 "$(python/bin/csvstat -c count --max counts.csv)"
same 257225666770486560 "$(python/bin/csvstat -c count --sum counts.csv)" # the sum is 257225666770486573
same '[{"n": 26.0, "count": 2.2317699616364044e+16}, {"n": 27.0, "count": 2.3490796715412253e+17}]' "$(python/bin/csvjson counts.csv)"
same 27,234907967154122529 "$(python/bin/csvsort -r -c count counts.csv | sed -n 2p)"
