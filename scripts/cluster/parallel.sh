#!/usr/bin/env bash
# Counts what is missing in a run with GNU parallel, a process of one thread for each shard.
#
#   scripts/cluster/parallel.sh RUN                              on every core of this machine
#   scripts/cluster/parallel.sh RUN --sshloginfile machines.txt  on others too, that see RUN under the same path
#
# More options are parallel's own. Shards whose process was lost are started again, up to five times.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
run=$(cd "$1" && pwd)
shift
nqueens=$(command -v "${NQUEENS:-nqueens}")
"$nqueens" status --dir "$run" --json | sed 's/.*"shards_missing":\[\([^]]*\)\].*/\1/' | tr ',' '\n' | grep -v '^$' |
    parallel --will-cite --retries 5 "$@" "$nqueens" run --quiet --dir "$run" --shard {} --threads 1
