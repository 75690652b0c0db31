#!/usr/bin/env bash
# Guess: WDL's Int has 64 bits, so miniwdl refuses a larger one and a sum that overflows.
# What happens: miniwdl takes and computes whole numbers of any size. Other engines have 64 bits.
# Version: miniwdl 1.13.1 (PyPI)
set -euo pipefail
cd "$(dirname "$0")/.."
. findings/common.bash

seen=$(python_with miniwdl==1.13.1 <<'PYTHON'
import WDL

def value(text):
    library = WDL.StdLib.Base("1.0")
    return WDL.parse_expr(text, version="1.0").infer_type(WDL.Env.Bindings(), library).eval(WDL.Env.Bindings(), library)

for text in ("9223372036854775807 + 1", "30000000000000000000", "-7 / 2"):
    print(f"{text}: {value(text)}")
PYTHON
)
same "9223372036854775807 + 1: 9223372036854775808
30000000000000000000: 30000000000000000000
-7 / 2: -4" "$seen"
