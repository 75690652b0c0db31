#!/usr/bin/env bash
# Starts Slurm with two nodes on this machine, counts runs with slurm.sbatch, stops one node meanwhile, and compares the
# counts with the program's own. Needs root and Debian's Slurm. Exit status 77 if something is missing.
#
#   scripts/slurm-test.sh [N] [SHARDS]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/needs.sh
n=${1:-20}
shards=${2:-100}
need_root "Slurm's daemons need root here"
need_programs 'slurmctld slurmd sbatch python3' slurmctld slurmd slurm-client python3
unshare --pid --fork true 2>/dev/null || lack "this machine lets nobody make namespaces of processes, which the test takes for nodes"
need_nqueens
template=$PWD/scripts/slurm.sbatch
folder=$(mktemp -d)
nodes=(first second)

# A node is a namespace of processes: its end is the end of them all, as in a power cut.
declare -A process_of
start_node() {
    # shellcheck disable=SC2016
    unshare --pid --fork --kill-child --mount-proc bash -c 'slurmd -D -N "$0"; exit' "$1" >/dev/null 2>&1 &
    process_of[$1]=$!
}

lose() {
    kill -KILL "${process_of[$1]}"
    wait "${process_of[$1]}" 2>/dev/null || true
}

end() {
    kill -KILL "$(cat "$folder/slurmctld.pid")" "${process_of[@]}" || true
    wait
    rm -rf "$folder"
} 2>/dev/null
trap end EXIT

# Waits until the command succeeds, ten minutes at most.
until_true() {
    local patience=6000
    until "$@" >/dev/null 2>&1; do
        patience=$((patience - 1))
        [ "$patience" -gt 0 ] || fail "waited in vain for: $*"
        sleep 0.1
    done
}

fail() {
    echo "$1" >&2
    squeue >&2 || true
    tail -n 20 "$folder/slurmctld.log" "$folder/job.out" >&2 || true
    exit 1
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])'; }

export SLURM_CONF=$folder/slurm.conf
cat >"$SLURM_CONF" <<CONF
ClusterName=nqueens
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmUser=root
AuthType=auth/none
AuthInfo=cred_expire=5
CredType=cred/none
StateSaveLocation=$folder
SlurmctldPidFile=$folder/slurmctld.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdPidFile=$folder/%n.pid
SlurmdLogFile=$folder/%n.log
SlurmdSpoolDir=$folder/%n
SlurmdParameters=config_overrides
SlurmdTimeout=5
KillWait=2
ReturnToService=2
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerParameters=sched_interval=1,batch_sched_delay=1
NodeName=${nodes[0]} NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=$(free_port) CPUs=1
NodeName=${nodes[1]} NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=$(free_port) CPUs=1
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
slurmctld -f "$SLURM_CONF"
for node in "${nodes[@]}"; do start_node "$node"; done
are_idle() { [ "$(sinfo --noheader --Node --format %T | grep -cx idle)" = 2 ]; }
until_true are_idle
echo "$(sinfo --version), 2 nodes"

# Plans a run, whose time is up before its first shard.
plan() { "$NQUEENS" count "$n" --dir "$folder/$1" --shards "$shards" --for 1ns --quiet 2>/dev/null || [ $? = 75 ]; }

# Submits the template from another folder than its own: submit RUN 'OPTION OF SBATCH...' [OPTION OF NQUEENS...]
submit() {
    local run=$1 options=$2
    shift 2
    # shellcheck disable=SC2086 # The options of sbatch are several words.
    (cd "$folder" && sbatch --quiet --output=job.out $options "$template" "$n" "$run" "$@")
}
is_over() { [ -z "$(squeue --noheader)" ]; }
shards() { cat "$folder/$1/records/"*.jsonl 2>/dev/null | wc -l; }
has_shards() { [ "$(shards "$1")" -gt 0 ]; }
times() { grep -cE "$1" "$folder/$2" || true; }
check() {
    local counted unnamed
    unnamed=$(grep -hvE '"machine":"(first|second)"' -r "$folder/$1/records") || true
    [ -z "$unnamed" ] || fail "no node is named by $unnamed"
    counted=$("$NQUEENS" run merge --quiet "$folder/$1")
    echo "$1, $2: $counted from $(shards "$1") shards after $SECONDS s"
    [ "$counted" = "$expected" ] || fail "the count is $counted and not $expected"
    SECONDS=0
}

expected=$("$NQUEENS" count "$n" --quiet)
SECONDS=0

plan "an array"
submit "an array" --array=0-1 --shards "$shards" --threads 1 --isa portable
until_true has_shards "an array"
lose "${nodes[1]}"
echo "a node is lost after $(shards "an array") shards"
is_requeued() { [ "$(times "requeue job .* due to failure of node ${nodes[1]}" slurmctld.log)" -gt 0 ]; }
until_true is_requeued
start_node "${nodes[1]}"
until_true is_over
check "an array" "a node lost and its task begun again"

plan "a job"
submit "a job" "" --shards "$shards" --threads 1 --isa portable --for 8s
until_true is_over
ups=$(times 'time is up' job.out)
[ "$ups" -gt 0 ] || fail "the time was never up"
check "a job" "time up $ups times and begun again each time"

# What is done is done at once. What fails for another reason than the time is not begun again.
"$NQUEENS" count "$n" --dir "$folder/unreadable" --only 0 --quiet
rm -r "$folder/unreadable/records"
touch "$folder/unreadable/records"
for run in "a job" unreadable unmounted; do
    submit "$run" ""
    until_true is_over
    echo "$run, submitted again: $(tail -n 1 "$folder/job.out")"
done
[ "$(times 'unreadable/records' job.out)" = 1 ] || fail "what cannot be read was tried again"
[ "$(times 'no run in unmounted to join' job.out)" = 1 ] || fail "a run was planned where none is mounted"
