#!/usr/bin/env bash
# Measures this machine for docs/figures.toml: prints a section for each solver on one thread, and one for `color` on all
# threads. A value is the median of three runs, or one run if it takes over two seconds. A solver ends where the next size
# would take over LIMIT seconds, estimated as eight times the size before. The machine should be quiet.
#
#   scripts/figures.sh PREFIX [SIZE...]                      # sections [PREFIX-arrays], [PREFIX-color-2], ...
#   SOLVERS='bitmask color' LIMIT=300 PROCESSOR=Xeon scripts/figures.sh xeon $(seq 8 22)
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/needs.sh
prefix=${1:?give a prefix for the names of the sections, such as xeon}
shift
limit=${LIMIT:-60}
sizes=("$@")
[ ${#sizes[@]} -gt 0 ] || sizes=(8 9 10 11 12 14 15 16 17 18 19 20)

need_nqueens
info=$("$NQUEENS" info | sed -e ':more' -e 'N' -e '$!b more' -e 's/\n  */ /g')
processor=${PROCESSOR:-$(sed -n 's/^processor  *//p' <<<"$info")}
read -r -a solvers <<<"${SOLVERS:-$(sed -n 's/^all solvers *//p' <<<"$info" | tr -d ,)}"

exceeds() { awk "BEGIN { exit !($1 > $2) }"; }
once() { "$NQUEENS" count "$2" --solver "$1" --threads "$3" --time --quiet | awk 'END { print $NF }'; }

# The seconds that a solver takes for a size, with this many threads.
seconds() {
    local first
    first=$(once "$@")
    if exceeds "$first" 2; then
        echo "$first"
    else
        printf '%s\n' "$first" "$(once "$@")" "$(once "$@")" | sort -n | sed -n 2p
    fi
}

# A section: its name, the solver, the number of threads.
section() {
    local took=0 n
    # shellcheck disable=SC2016 # the backquotes are Markdown
    printf '[%s]\nprogram = "`%s`"\nprocessor = "%s"\nthreads = "%s"\ncommit = "%s"\n' "$1" "$2" "$processor" "$3" \
        "$(git rev-parse --short=12 HEAD)"
    printf 'source = "scripts/figures.sh, %s"\n' "$(date -u +%F)"
    for n in "${sizes[@]}"; do
        exceeds "8 * $took" "$limit" && break
        took=$(seconds "$2" "$n" "$3")
        # Three digits.
        printf '%s = "%s"\n' "$n" "$(awk "BEGIN { d = 2; for (t = $took; t < 1; t *= 10) d++; printf(\"%.*f\", $took < 100 ? d : 0, $took) }")"
    done
    echo
}

for solver in "${solvers[@]}"; do section "$prefix-$solver" "$solver" 1; done
threads=$(nproc)
[ "$threads" -lt 2 ] || section "$prefix-color-$threads" color "$threads"
