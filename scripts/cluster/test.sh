#!/usr/bin/env bash
# Runs a plan under HyperQueue and under GNU parallel on this machine, kills processes meanwhile, and compares the count
# with the published one. The runs are in a folder whose name has a space. Installs HyperQueue. Skips what is missing, and
# says so.
#
#   scripts/cluster/test.sh [N] [SHARDS]
set -euo pipefail
cd "$(dirname "$0")/../.."
n=${1:-20}
shards=${2:-100}
[ -n "${NQUEENS:-}" ] || cargo build --release --quiet
NQUEENS=$(realpath "${NQUEENS:-${CARGO_TARGET_DIR:-target}/release/nqueens}")
export NQUEENS
folder=$(mktemp -d "${TMPDIR:-/tmp}/a folder.XXXXXX")
trap 'rm -rf "$folder"' EXIT
expected=$("$NQUEENS" count "$n" --quiet)

# Kills the youngest of the processes that count for a folder, until it is told to stop: at most twice a second, and once
# for each new record, so that the run goes on even where a shard takes longer than that.
killer() {
    local records=-1 now
    while [ -d "$1" ] && [ ! -e "$1/stop" ]; do
        now=$(records "$1")
        if [ "$now" -gt "$records" ] && kill_youngest "$1"; then
            echo killed >>"$1/kills"
            records=$now
        fi
        sleep 0.5
    done
}

kill_youngest() { pkill -KILL --newest -f -- "^$NQUEENS count $n --quiet --dir $1 --only"; }

records() { find "$1/records" -name '*.json' | wc -l; }

check() {
    local run=$1 counted
    touch "$run/stop"
    wait
    counted=$("$NQUEENS" run merge "$run")
    echo "$2: $counted, $(records "$run") records, $(wc -l <"$run/kills") processes killed, $SECONDS s"
    [ "$counted" = "$expected" ]
    [ "$(records "$run")" = "$shards" ]
}

SECONDS=0
"$NQUEENS" count "$n" --dir "$folder/hq" --shards "$shards" --only 0 --quiet
killer "$folder/hq" &
# Server and workers are lost once too: the next launcher goes on.
scripts/cluster/hyperqueue.sh "$n" "$folder/hq" 2 &
launcher=$!
sleep "${LOSE_AFTER:-4}"
kill -KILL "$launcher" 2>/dev/null && echo "launcher killed" || true
wait "$launcher" || true
scripts/cluster/hyperqueue.sh "$n" "$folder/hq" 2
check "$folder/hq" HyperQueue

# What others are counting is waited for, and not submitted: this program says once that the only shard is being counted, and
# then that it is done.
cat >"$folder/others" <<'STUB'
#!/bin/sh
if [ -e "$0.asked" ]; then done=1; else done=0; fi
: >"$0.asked"
[ "$1" = run ] || exit 0
echo "{\"shards\":1,\"done\":$done,\"shards_missing\":[]}"
STUB
chmod +x "$folder/others"
waited=$(NQUEENS=$folder/others scripts/cluster/hyperqueue.sh "$n" "$folder/hq" 1 2>&1)
case $waited in *submitting*) echo "$waited" >&2; exit 1 ;; esac

if command -v parallel >/dev/null; then
    SECONDS=0
    "$NQUEENS" count "$n" --dir "$folder/parallel" --shards "$shards" --only 0 --quiet
    killer "$folder/parallel" &
    scripts/cluster/parallel.sh "$n" "$folder/parallel" -j 2
    check "$folder/parallel" "GNU parallel"
    # What is finished stays so.
    scripts/cluster/parallel.sh "$n" "$folder/parallel"
else
    echo "there is no GNU parallel: skipped (Debian has it as parallel)"
fi
