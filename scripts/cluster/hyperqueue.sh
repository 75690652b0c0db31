#!/usr/bin/env bash
# Counts the missing shards of a run under HyperQueue, one task for each shard. A new run is planned first.
#
#   scripts/cluster/hyperqueue.sh N RUN [WORKERS]              starts a cluster on this machine, and ends it afterwards
#   HQ_SERVER_DIR=DIR scripts/cluster/hyperqueue.sh N RUN      uses the workers of a running server
#
# A worker of the local cluster has one core. The server is started with `hq server start --server-dir DIR` and its workers with
# `hq worker start --server-dir DIR`, on as many machines as one likes, before or during the run; `hq` is a single file
# to be had from the HyperQueue project. Where a task fails it is submitted again.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
venv=${NQUEENS_VENV:-${XDG_CACHE_HOME:-$HOME/.cache}/nqueens/hyperqueue-0.27}
if [ ! -x "$venv/bin/python" ] || ! "$venv/bin/python" -c 'import hyperqueue' 2>/dev/null; then
    # Made beside its place: who is stopped amid this leaves no half of it there.
    mkdir -p "$(dirname "$venv")"
    new=$(mktemp -d "$venv.XXXXXX")
    python3 -m venv "$new"
    "$new/bin/python" -m pip install --quiet 'hyperqueue==0.27.0'
    rm -rf "$venv"
    mv "$new" "$venv"
fi
exec "$venv/bin/python" "$here/hyperqueue_run.py" "$@"
