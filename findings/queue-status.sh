#!/usr/bin/env bash
# Guess: who waits for a failed job learns it from the exit status: 3 or 1 here, 137 for a job killed by signal 9.
# What happens: `nq -w`, `fq` and xjobs return 0. task-spooler returns the status, but 255 for every signal.
# Version: nq 0.3.1-4, xjobs 20120412-1+b1, task-spooler 1.0.1+dfsg1-1 (Debian 12)
set -euo pipefail
cd "$(dirname "$0")/.."
. findings/common.bash

debian_with nq=0.3.1-4 xjobs=20120412-1+b1 task-spooler=1.0.1+dfsg1-1
status() { local status=0; "$@" >/dev/null 2>&1 || status=$?; echo $status; }

export NQDIR=$folder/nq TS_SOCKET=$folder/socket TMPDIR=$folder
job=$(nq sh -c 'exit 3')
seen="nq -w $(status nq -w "$job"), fq $(status fq "$job")"
echo 'sh -c "exit 3"' >jobs.txt
seen+=", xjobs $(status xjobs -j 1 -s jobs.txt)"
for job in 'exit 3' "kill -9 \$\$" "kill -15 \$\$"; do
    seen+=", tsp -w $(status tsp -w "$(tsp sh -c "$job")")"
done
tsp -K
same "nq -w 0, fq 0, xjobs 0, tsp -w 3, tsp -w 255, tsp -w 255" "$seen"
