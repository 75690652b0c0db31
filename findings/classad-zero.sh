#!/usr/bin/env bash
# Guess: HTCondor's ClassAds refuse an integer that does not fit in 64 bits.
# What happens: it reads as 0. The largest integer plus one is the smallest.
# Version: htcondor 25.14.1 (PyPI)
set -euo pipefail
cd "$(dirname "$0")/.."
. findings/common.bash

seen=$(python_with htcondor==25.14.1 <<'PYTHON'
import classad2

for text in ("9223372036854775807", "9223372036854775808", "30000000000000000000"):
    print(text, classad2.ClassAd(f"[count = {text}]")["count"])
print("plus one", classad2.ClassAd("[sum = 9223372036854775807 + 1]").eval("sum"))
PYTHON
)
same "9223372036854775807 9223372036854775807
9223372036854775808 0
30000000000000000000 0
plus one -9223372036854775808" "$seen"
