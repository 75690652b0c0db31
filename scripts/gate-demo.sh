#!/usr/bin/env bash
# Runs 'nqueens bench gate' on four pairs of builds: identical, 3 % slower, 10 % slower, and one that counts wrong.
# Prints a table: verdict, exit status, extra instructions of the candidate, and time.
#
# usage: scripts/gate-demo.sh [--busy] [options of 'nqueens bench gate' ...]
#
#   --busy   keeps every core busy meanwhile, as on a shared runner
#
# All five builds are one program under five names (scripts/gate-demo/candidate.rs). The name sets what it does: the slower
# ones keep the processor busy for longer, in proportion to their counts. Examples:
#
#   scripts/gate-demo.sh
#   scripts/gate-demo.sh --busy --workload count/bitmask/n=12/t=1 --budget 30s
#
# Needs python3 to read the results. Set CARGO_BUILD_FLAGS to build otherwise than with --locked.
set -euo pipefail

fail() { printf 'error: %s\n' "$1" >&2; exit "${2:-1}"; }

is_busy=''
options=()
while [ $# -gt 0 ]; do
    case $1 in
        --busy) is_busy=1; shift ;;
        -h|--help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
        *) options+=("$1"); shift ;;
    esac
done
command -v python3 >/dev/null || fail 'there is no python3 here: install it, it reads the results'

cd "$(dirname "$0")/.."
# shellcheck disable=SC2086  # several flags in one variable
cargo build --release --quiet --bin nqueens --example gate_candidate ${CARGO_BUILD_FLAGS:---locked}
target=${CARGO_TARGET_DIR:-target}/release

folder=$(mktemp -d)
loops=()
clean() {
    for loop in ${loops[@]+"${loops[@]}"}; do
        kill "$loop" 2>/dev/null || true
    done
    rm -rf "$folder"
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

cp "$target/nqueens" "$folder/nqueens"
# Names of one length: a program's own path lies in its memory and shifts the rest of it.
for name in base-0000 same-0000 slow-0030 slow-0100 errs-0000; do
    cp "$target/examples/gate_candidate" "$folder/$name"
done
place='at rest'
if [ -n "$is_busy" ]; then
    cores=$(getconf _NPROCESSORS_ONLN)
    for _ in $(seq "$cores"); do
        sh -c 'while :; do :; done' &
        loops+=("$!")
    done
    place="beside $cores busy loops"
fi

# How many more instructions, from the JSON of a gate: the least and the most of its workloads.
instructions() {
    python3 - "$1" <<'PYTHON'
import json, sys
try:
    workloads = json.load(open(sys.argv[1]))["workloads"]
except (OSError, ValueError):
    sys.exit(print("-"))
found = [workload["instructions"] for workload in workloads if workload.get("instructions")]
if not found:
    sys.exit(print("-"))
ratios = [each["head"] / each["base"] for each in found]
words = [f"{100 * (ratio - 1):+.2f} %" for ratio in (min(ratios), max(ratios))]
print(f"{words[0] if words[0] == words[1] else ' to '.join(words)} ({len(found)} of {len(workloads)} workloads)")
PYTHON
}

printf '%s, %s\n\n' "$("$target/nqueens" --version)" "$place"
printf '| candidate | verdict | exit status | instructions | seconds |\n| --- | --- | ---: | --- | ---: |\n'
for pair in 'same-0000 identical' 'slow-0030 3 % slower' 'slow-0100 10 % slower' 'errs-0000 counts wrong'; do
    head=${pair%% *}
    began=$(date +%s.%N)
    status=0
    "$target/nqueens" bench gate --base "$folder/base-0000" --head "$folder/$head" --json \
        ${options[@]+"${options[@]}"} >"$folder/outcome.json" 2>"$folder/said" || status=$?
    ended=$(date +%s.%N)
    verdict=$(sed -n 's/^  "verdict": "\(.*\)",\{0,1\}$/\1/p' "$folder/outcome.json")
    # A wrong command line has no verdict, and would have none for the next pair either.
    [ -n "$verdict" ] || { cat "$folder/said" >&2; exit "$status"; }
    printf '| %s | %s | %s | %s | %.1f |\n' "${pair#* }" "$verdict" "$status" "$(instructions "$folder/outcome.json")" \
        "$(python3 -c "print($ended - $began)")"
    # Why, in its own words.
    sed -n 's/^\(error\|nqueens\): \(\(pass\|inconclusive\|regression\|wrong count\|failed\): .*\)/\2/p' "$folder/said" |
        sed "s/^/${pair#* }: /" >>"$folder/reasons"
done
printf '\n'
cat "$folder/reasons"
