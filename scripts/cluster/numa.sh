#!/usr/bin/env bash
# Counts the missing shards of a run with one process for each NUMA node, on that node's cores and memory. So shared data is
# near the threads that use it. On a machine with one node it is `nqueens count N --dir RUN`.
#
#   scripts/cluster/numa.sh N RUN [OPTION...]      options of `nqueens count N --dir RUN`, such as --for 1h
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
n=$1
run=$2
shift 2
nqueens=$(command -v "${NQUEENS:-nqueens}")
nodes=()
for node in /sys/devices/system/node/node[0-9]*; do
    # Nodes of memory alone have no cores.
    [ -s "$node/cpulist" ] && [ -n "$(cat "$node/cpulist")" ] && nodes+=("${node##*node}")
done
if [ ${#nodes[@]} -le 1 ]; then
    exec "$nqueens" count "$n" --dir "$run" "$@"
fi
processes=()
# A signal to the script is one to all.
trap 'kill -TERM "${processes[@]}" 2>/dev/null || true' TERM INT
for node in "${nodes[@]}"; do
    if command -v numactl >/dev/null; then
        numactl --cpunodebind="$node" --membind="$node" "$nqueens" count "$n" --dir "$run" "$@" &
    else
        taskset --cpu-list "$(cat "/sys/devices/system/node/node$node/cpulist")" "$nqueens" count "$n" --dir "$run" "$@" &
    fi
    processes+=($!)
done
status=0
for process in "${processes[@]}"; do
    # A signal interrupts the wait and not the process.
    while :; do
        code=0
        wait "$process" || code=$?
        kill -0 "$process" 2>/dev/null || break
    done
    # Trouble beats "time is up", 75: that one is started again unasked.
    [ "$code" = 0 ] || { [ "$code" = 75 ] && [ "$status" != 0 ]; } || status=$code
done
exit "$status"
