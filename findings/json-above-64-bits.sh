#!/usr/bin/env bash
# Guess: a fast JSON reader for Python returns a whole number above 64 bits exactly, or raises an error.
# What happens: orjson returns a float. It writes no such number itself. ujson, msgspec and rapidjson are exact.
# Version: orjson 3.13.0, ujson 6.1.0, msgspec 0.22.0, python-rapidjson 1.25, pysimdjson 7.0.2 (PyPI)
set -euo pipefail
cd "$(dirname "$0")/.."
. findings/common.bash

seen=$(python_with orjson==3.13.0 ujson==6.1.0 msgspec==0.22.0 python-rapidjson==1.25 pysimdjson==7.0.2 <<'PYTHON'
import msgspec
import orjson
import rapidjson
import simdjson
import ujson

def outcome(call, *arguments):
    try:
        return repr(call(*arguments))
    except Exception as error:
        return type(error).__name__

count = 2**64 + 1
for module, read in [(orjson, orjson.loads), (ujson, ujson.loads), (msgspec, msgspec.json.decode),
                     (rapidjson, rapidjson.loads), (simdjson, simdjson.loads)]:
    print(f"{module.__name__}: {outcome(read, str(count))}")
print("orjson writes:", outcome(orjson.dumps, count))
PYTHON
)
same "orjson: 1.8446744073709552e+19
ujson: 18446744073709551617
msgspec: 18446744073709551617
rapidjson: 18446744073709551617
simdjson: ValueError
orjson writes: TypeError" "$seen"
