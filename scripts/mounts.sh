#!/usr/bin/env bash
# Counts a run on several file systems: three processes, two of them on another mount of the same files, one killed in the
# middle. Meanwhile a reader on the other mount looks at the growing logs: it must see no damage, and no shard less than
# before. At the end both mounts have the count. Needs root. Exit status 77 if a program is missing.
#
#   NQUEENS=PROGRAM scripts/mounts.sh [ext2|xfs|btrfs|tmpfs|bindfs|mergerfs|gocryptfs|sshfs...]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/needs.sh
need_root "only root mounts file systems"
[ $# -gt 0 ] || set -- ext2 xfs btrfs tmpfs bindfs mergerfs gocryptfs sshfs
need_programs 'python3 sshfs bindfs mergerfs gocryptfs mkfs.ext2 mkfs.xfs mkfs.btrfs' \
    python3 sshfs openssh-sftp-server bindfs mergerfs gocryptfs e2fsprogs xfsprogs btrfs-progs
need_nqueens
n=19 expected=4968057848 folder=$(mktemp -d)
mkdir "$folder"/{files,one,other}
leave() {
    umount "$folder/other" "$folder/one" 2>/dev/null || true
    rm -f "$folder/disk"
    find "$folder/files" -mindepth 1 -delete
}
trap 'leave; rmdir "$folder"/* "$folder"' EXIT

# sshfs without a server that listens: its standard streams are those of sftp-server.
over_sftp() {
    python3 - "$1" "$2" <<'PYTHON'
import os, subprocess, sys, time
files, mount = sys.argv[1:]
server = subprocess.Popen(["/usr/lib/openssh/sftp-server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
subprocess.Popen(["sshfs", ":" + files, mount, "-f", "-o", "passive"], stdin=server.stdout, stdout=server.stdin)
while not os.path.ismount(mount):
    time.sleep(0.1)
PYTHON
}

both() { for mount in one other; do "$@" "$folder/files" "$folder/$mount"; done; }
on_disk() {
    truncate --size "$1" "$folder/disk" && "mkfs.$kind" -q "$folder/disk" >/dev/null
    mount -o loop "$folder/disk" "$folder/one" && mount --bind "$folder/one" "$folder/other"
}
mount_ext2() { on_disk 32M; }
mount_xfs() { on_disk 320M; }
mount_btrfs() { on_disk 128M; }
mount_tmpfs() { mount -t tmpfs -o size=400k none "$folder/one" && mount --bind "$folder/one" "$folder/other"; }
mount_bindfs() { both bindfs; }
# Each new file is put into one of two folders.
mount_mergerfs() {
    mkdir "$folder"/files/{a,b}
    for mount in one other; do mergerfs -o category.create=rand "$folder/files/a:$folder/files/b" "$folder/$mount"; done
}
mount_gocryptfs() {
    gocryptfs -q -init -extpass 'echo secret' "$folder/files"
    both gocryptfs -q -nosyslog -extpass 'echo secret'
}
mount_sshfs() { both over_sftp; }

count() { exec "$NQUEENS" count $n --dir "$folder/$1/r" --join --threads 1 --quiet >>"$folder/counts"; }
look() { "$NQUEENS" run status "$folder/other/r" --json | sed -E 's/.*"done":([0-9]+).*"damaged":([0-9]+).*/\1 \2/'; }

for kind; do
    "mount_$kind"
    "$NQUEENS" count $n --dir "$folder/one/r" --shards 400 --for 1ns --quiet 2>/dev/null || [ $? = 75 ]
    : >"$folder/counts"
    count one & killed=$!
    count other & second=$!
    count other & third=$!
    before=0 looks=0
    while [ "$before" -lt 400 ]; do
        read -r now damaged <<<"$(look)"
        if [ "$now" -lt "$before" ] || [ "$damaged" != 0 ]; then
            echo "$kind: $now shards after $before, $damaged damaged" >&2
            exit 3
        fi
        before=$now looks=$((looks + 1))
        if [ "$now" -gt 40 ] && [ -n "$killed" ]; then kill -KILL "$killed" 2>/dev/null || true; killed=; fi
    done
    wait "$second" "$third"
    counts=$(sort -u "$folder/counts")
    SECONDS=0
    for mount in one other; do
        # A cache of names and sizes may show the last lines late.
        until merged=$("$NQUEENS" run merge "$folder/$mount/r" --quiet 2>/dev/null) || [ $SECONDS -gt 60 ]; do sleep 1; done
        [ "$counts $merged" = "$expected $expected" ] || { echo "$kind: counted $counts, merged $merged" >&2; exit 3; }
    done
    lines=$(cat "$folder"/other/r/records/* | wc -l)
    echo "$kind: $merged on both mounts, $SECONDS s late, $looks looks at growing logs, $lines lines for 400 shards"
    rm "$folder/counts"
    leave
done
