#!/usr/bin/env bash
# Guess: jo writes every digit of a whole number.
# What happens: it writes 16 digits and an exponent. Q(26) and Q(27) change, though a double holds both exactly.
# Version: jo 1.9-1 (Debian 12)
set -euo pipefail
cd "$(dirname "$0")/.."
. findings/common.bash

debian_with jo=1.9-1
seen=$(jo q25=2207893435808352 q26=22317699616364044 q27=234907967154122528)
same '{"q25":2207893435808352,"q26":2.231769961636404e+16,"q27":2.349079671541225e+17}' "$seen"
