#!/usr/bin/env bash
# Counts runs with four processes on a file system with delays, and checks that no shard is counted twice where locks
# work, that no line is lost, and that the count is right. Then it times `status` of a run of n = 28.
#
#   scripts/shared.sh [MILLISECONDS]
#
# The folder is mounted twice by sshfs, which reads it through an SFTP server without a network. Each message takes
# MILLISECONDS (default 5). Processes on one mount share locks; those on different mounts share none, and a mount shows
# what the other wrote up to two seconds late. One process of each run is killed and started again.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/needs.sh
delay=${1:-5}
[[ $delay =~ ^[0-9]+$ ]] || fail "give the delay in whole milliseconds, not '$delay'"
shards=500 count=39029188884
server=/usr/lib/openssh/sftp-server
need_programs "sshfs fusermount3 $server python3" sshfs openssh-sftp-server python3
cargo build --locked --release --quiet --bin nqueens
nqueens=$built/release/nqueens
place=$(mktemp -d)
leave() {
    for mount in "$place"/mount?; do fusermount3 -qzu "$mount" || true; done
    rm -rf --one-file-system "$place"
}
trap leave EXIT

# The program that sshfs starts instead of ssh. Its path must not contain spaces.
ln -s "$PWD/scripts/delayed.py" "$place/delayed"
mkdir "$place/disk" "$place/mount1" "$place/mount2"
for mount in "$place/mount1" "$place/mount2"; do
    sshfs -o ssh_command="$place/delayed $delay $server",cache_timeout=2,ac_attr_timeout=2 "here:$place/disk" "$mount"
done

# Starts a process on a mount: join MOUNT NUMBER
join() {
    "$nqueens" count 20 --dir "$place/mount$1/$run" --join --threads 1 >"$place/$2.out" 2>"$place/$2.err" &
}

# Counts a run with processes on these mounts: count_run MOUNT MOUNT MOUNT MOUNT
count_run() {
    local run=run$* start seconds killed number=0 lines saved
    run=${run// /}
    "$nqueens" count 20 --dir "$place/mount1/$run" --shards $shards --for 0s --quiet
    # After two seconds, the other mount shows the plan as well.
    sleep 2
    start=$(date +%s%N)
    for mount; do join "$mount" $((number += 1)); killed=$!; done
    sleep 2
    kill -KILL $killed
    { wait $killed || true; } 2>/dev/null
    saved=$(cat "$place/disk/$run/logs/"*"-$killed-"*.jsonl | wc -l)
    join "$mount" $number
    wait
    seconds=$((($(date +%s%N) - start) / 1000000000))
    for mount; do
        [ "$(cat "$place/$number.out")" = $count ] ||
            fail "process $number: $(cat "$place/$number.out" "$place/$number.err")"
        saved=$((saved + $(grep -o '[0-9]* shards\? counted and saved' "$place/$number.err" | cut -d ' ' -f 1)))
        number=$((number - 1))
    done
    lines=$(cat "$place/disk/$run/logs/"*.jsonl | wc -l)
    [ "$saved" = "$lines" ] || fail "the processes saved $saved shards, but the logs contain $lines lines"
    [ "$("$nqueens" merge "$place/disk/$run" --quiet)" = $count ] || fail "the merged count is wrong"
    echo "mounts $*: $((shards * 60 / seconds)) shards a minute, $((lines - shards)) of $shards counted twice"
}

count_run 1 1 1 1
[ "$(cat "$place"/disk/run1111/logs/*.jsonl | wc -l)" = $shards ] || fail "shards were counted twice"
count_run 1 1 2 2
"$nqueens" count 28 --dir "$place/disk/n28" --for 0s --quiet
TIMEFORMAT='%U'
seconds=$({ time "$nqueens" status "$place/disk/n28" >"$place/status"; } 2>&1)
echo "status, which prints '$(grep -o '[0-9]* of [0-9]* shards' "$place/status" | head -n 1)': $seconds s of processor time"
[[ $seconds == 0.* ]] || fail "status takes a second or more"
