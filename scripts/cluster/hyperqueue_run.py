"""Submits the shards that a run lacks to HyperQueue, until it lacks none. Started by hyperqueue.sh."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

from hyperqueue import Job, LocalCluster
from hyperqueue.client import Client
from hyperqueue.cluster import WorkerConfig

NQUEENS = shutil.which(os.environ.get("NQUEENS", "nqueens"))
# A shard that fails so often in a row, without any other being finished, fails for a reason.
PATIENCE = 3
# How often it looks again where others count all that is left.
LOOK_AGAIN_SECONDS = 2


def status_of(run):
    """What `nqueens run status` says of a run."""
    status = subprocess.run([NQUEENS, "run", "status", run, "--json"], check=True, stdout=subprocess.PIPE)
    return json.loads(status.stdout)


def count_missing(client, n, run, logs):
    idle_rounds = 0
    before = None
    while True:
        status = status_of(run)
        left = status["shards"] - status["done"]
        if left == 0:
            return 0
        if not status["shards_missing"]:
            # They may give up, so that something is missing again.
            time.sleep(LOOK_AGAIN_SECONDS)
            continue
        idle_rounds = idle_rounds + 1 if left == before else 0
        before = left
        if idle_rounds >= PATIENCE:
            print(f"{left} shards cannot be counted: see {logs}", file=sys.stderr)
            return 1
        job = Job(max_fails=None)
        for shard in status["shards_missing"]:
            job.program(
                [NQUEENS, "count", n, "--quiet", "--dir", run, "--only", str(shard), "--threads", "1"],
                stderr=os.path.join(logs, f"{shard}.err"),
                stdout=os.path.join(logs, f"{shard}.out"),
            )
        print(f"submitting {len(job.tasks)} of {status['shards']} shards", file=sys.stderr)
        client.wait_for_jobs([client.submit(job)], raise_on_error=False)


def main():
    if NQUEENS is None:
        sys.exit("there is no nqueens where the shell looks: install it, or set NQUEENS to its path")
    n, run = sys.argv[1], os.path.abspath(sys.argv[2])
    # Plans a new run.
    subprocess.run([NQUEENS, "count", n, "--quiet", "--dir", run, "--only", "0"], check=True)
    server = os.environ.get("HQ_SERVER_DIR")
    with tempfile.TemporaryDirectory(prefix="nqueens-hq-") as logs:
        if server:
            return count_missing(Client(server), n, run, logs)
        workers = int(sys.argv[3]) if len(sys.argv) > 3 else len(os.sched_getaffinity(0))
        with LocalCluster() as cluster:
            for _ in range(workers):
                cluster.start_worker(WorkerConfig(cores=1))
            return count_missing(cluster.client(), n, run, logs)


if __name__ == "__main__":
    sys.exit(main())
