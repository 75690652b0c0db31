#!/usr/bin/env bash
# Prints the table of docs/measuring.md: seconds of each solver on one thread, as Markdown. A cell is the median of three
# runs, or one run if it takes over two seconds. A cell is empty if the solver would take over LIMIT seconds. The script
# estimates that from the size before, as each size is about eight times the work of the one before.
#
#   scripts/ladder.sh [SIZE...]
set -euo pipefail
cd "$(dirname "$0")/.."
limit=${LIMIT:-12}
sizes=("$@")
[ ${#sizes[@]} -gt 0 ] || sizes=(8 10 12 13 14 15 16 17 18)

cargo build --release --quiet
nqueens=${CARGO_TARGET_DIR:-target}/release/nqueens
# What goes on in the next line begins with spaces there.
info=$($nqueens info | sed -e ':more' -e 'N' -e '$!b more' -e 's/\n  */ /g')
IFS=', ' read -r -a solvers <<<"$(sed -n 's/^all solvers *//p' <<<"$info")"

holds() { awk "BEGIN { exit !($1) }"; }
once() { $nqueens count "$2" --solver "$1" --threads 1 --time --quiet | sed -n 's/^Seconds: //p'; }

# The seconds a solver takes for a size.
seconds() {
    local first
    first=$(once "$@")
    if holds "$first > 2"; then
        echo "$first"
    else
        printf '%s\n' "$first" "$(once "$@")" "$(once "$@")" | sort -n | sed -n 2p
    fi
}

sed -n -E 's/^(version|compiled|processor|instructions) +(.*)/<!-- \1: \2 -->/p' <<<"$info"
printf '| n |'; printf ' %s |' "${solvers[@]}"; echo
printf '| ---: |'; printf ' ---: |%.0s' "${solvers[@]}"; echo
declare -A took
for n in "${sizes[@]}"; do
    printf '| %s |' "$n"
    for solver in "${solvers[@]}"; do
        if holds "8 * ${took[$solver]:-0} > $limit"; then
            printf '  |'
            continue
        fi
        took[$solver]=$(seconds "$solver" "$n")
        printf ' %s |' "$(awk "BEGIN { printf(${took[$solver]} < 0.01 ? \"%.6f\" : \"%.3f\", ${took[$solver]}) }")"
    done
    echo
done
