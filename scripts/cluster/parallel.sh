#!/usr/bin/env bash
# Counts the missing shards of a run with GNU parallel, one process of one thread for each shard. A new run is planned first.
#
#   scripts/cluster/parallel.sh N RUN                              on every core of this machine
#   scripts/cluster/parallel.sh N RUN --sshloginfile machines.txt  on others too, that see RUN under the same path
#
# More options are parallel's own. Shards whose process was lost are started again, up to five times.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
n=$1
nqueens=$(command -v "${NQUEENS:-nqueens}")
"$nqueens" count "$n" --quiet --dir "$2" --only 0
run=$(cd "$2" && pwd)
shift 2
missing=$("$nqueens" run status "$run" --json | sed -n 's/.*"shards_missing":\[\([0-9,]*\)\].*/\1/p')
if [ -z "$missing" ]; then
    echo "no shard is missing" >&2
    exit 0
fi
# Quoted by parallel: its shells see each word as it is here, spaces and all.
tr ',' '\n' <<<"$missing" |
    parallel --will-cite --quote --retries 5 "$@" "$nqueens" count "$n" --quiet --dir "$run" --only {} --threads 1
