#!/usr/bin/env bash
# Guess: a pool of processes starts as many as the processors that its own process may use, as loky, dask and numba do.
# What happens: `mpire.cpu_count()` and `WorkerPool()` take all processors of the machine under taskset.
# Version: mpire 2.10.2, loky 3.7.0, dask 2026.8.0 (PyPI)
set -euo pipefail
cd "$(dirname "$0")/.."
. findings/common.bash

[ "$(nproc --all)" -gt 1 ] || { echo "needs two processors" >&2; exit 2; }
first=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
taskset -cp "$first" $$ >/dev/null
seen=$(python_with mpire==2.10.2 loky==3.7.0 dask==2026.8.0 <<'PYTHON'
import dask.system
import loky
import mpire

print("loky", loky.cpu_count(), "dask", dask.system.CPU_COUNT, "mpire", mpire.cpu_count(), mpire.WorkerPool().pool_params.n_jobs)
PYTHON
)
same "loky 1 dask 1 mpire $(nproc --all) $(nproc --all)" "$seen"
