#!/usr/bin/env bash
# Guess: Polars refuses a CSV column with one count above 64 bits, and names it.
# What happens: it depends on the row. Among the first 100 rows the column gets 128 bits. Later, the file is refused.
# Version: polars 2.1.0 (PyPI)
set -euo pipefail
cd "$(dirname "$0")/.."
. findings/common.bash

seen=$(python_with polars==2.1.0 <<'PYTHON'
import io
import polars

for row in (1, 100, 101):
    counts = ["92"] * 200
    counts[row - 1] = str(2**64)
    try:
        frame = polars.read_csv(io.BytesIO("\n".join(["count", *counts]).encode()))
        print(row, frame.schema["count"], frame["count"].max() == 2**64)
    except polars.exceptions.ComputeError as error:
        print(row, str(error).splitlines()[0])
PYTHON
)
same "1 Int128 True
100 Int128 True
101 could not parse \`18446744073709551616\` as dtype \`i64\` at column 'count' (column number 1)" "$seen"
