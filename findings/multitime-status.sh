#!/usr/bin/env bash
# Guess: multitime returns a status that is not 0 if the second of three runs fails.
# What happens: it stops at that run, prints one message, no table and no number of the run, and returns 0.
# Version: multitime 1.4-2 (Debian 12)
set -euo pipefail
cd "$(dirname "$0")/.."
. findings/common.bash

debian_with multitime=1.4-2
cat >run.sh <<'RUN'
echo >>runs
[ "$(wc -l <runs)" != 2 ] || exit 3
RUN
status=0
multitime -q -n 3 sh run.sh 2>table || status=$?
same "status 0, 2 runs, multitime: Error when attempting to run sh" \
    "status $status, $(wc -l <runs) runs, $(cat table)"
