#!/usr/bin/env bash
# Guess: numsum prints every digit of a sum below 2^53.
# What happens: Q(25), with 16 digits, is rounded to 15. Q(26) and Q(27), with 17 and 18 digits, are exact.
# Version: num-utils 0.5-15 (Debian 12)
set -euo pipefail
cd "$(dirname "$0")/.."
. findings/common.bash

debian_with num-utils=0.5-15
seen=$(for count in 227514171973736 2207893435808352 22317699616364044 234907967154122528; do
    printf '%s\n1\n' $count | numsum
done)
same "227514171973737
2.20789343580835e+15
22317699616364045
234907967154122529" "$seen"
