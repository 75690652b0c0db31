#!/usr/bin/env bash
# A long run as it happens: planned, interrupted (once by SIGTERM, once by SIGKILL), gone on with, merged, a sample of it
# verified with another instruction set, and its result written. Prints the wall time counted, and what each interruption
# cost.
#
#   scripts/long-run-demo.sh 23 RUN           about 12 minutes on two cores that have nothing else to do
#   scripts/long-run-demo.sh 24 RUN           about 50 minutes
#
# INTERRUPT=SECONDS says when to interrupt (60 by default, twice); THREADS how many; ISA with what.
set -euo pipefail
[ $# = 2 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
n=$1
run=$2
nqueens=${NQUEENS:-target/release/nqueens}
[ -n "${NQUEENS:-}" ] || cargo build --release --quiet
options=(--threads "${THREADS:-$(nproc)}" --isa "${ISA:-auto}")
now() { date +%s.%N; }
since() { awk "BEGIN { printf \"%.1f\", $(now) - $1 }"; }
core_seconds() { "$nqueens" status --dir "$run" --json | sed 's/.*"core_seconds":\([0-9.]*\),.*/\1/'; }

"$nqueens" plan "$n" --dir "$run"
counting=0
for signal in TERM KILL; do
    start=$(now)
    before=$(core_seconds)
    "$nqueens" run --dir "$run" "${options[@]}" &
    process=$!
    sleep "${INTERRUPT:-60}"
    kill -"$signal" "$process" 2>/dev/null || true
    wait "$process" || echo "interrupted by SIG$signal: status $?"
    seconds=$(since "$start")
    counting=$(awk "BEGIN { print $counting + $seconds }")
    echo "$seconds s of wall time; $(awk "BEGIN { printf \"%.1f\", $(core_seconds) - $before }") core seconds of it are kept"
done
start=$(now)
"$nqueens" run --dir "$run" "${options[@]}"
counting=$(awk "BEGIN { print $counting + $(since "$start") }")
"$nqueens" status --dir "$run"
echo "wall time counted: $counting s; core seconds in the records: $(core_seconds)"
"$nqueens" merge --dir "$run"
"$nqueens" merge --dir "$run" --json | gzip -9 >"$run/n$n.json.gz"
ls -l "$run/n$n.json.gz"
"$nqueens" verify --dir "$run" --published "$run/n$n.json.gz" --sample "${SAMPLE:-50}"
