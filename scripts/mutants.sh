#!/usr/bin/env bash
# Checks that the tests notice a wrong program. Changes the source in small ways ("mutants") and tests each: first with the
# unit tests, then, if it survives, with all tests. Prints the mutants that survive both. Takes a minute or more for each
# mutant. Installs cargo-mutants if it is missing.
#
#   scripts/mutants.sh [--sample N] [--seed S] [--lib-only] [FILE...] [-- NAME]
#
#   --sample N    number of random mutants, or 'all'. Default: 60
#   --seed S      the same seed gives the same mutants of the same source. Default: 1
#   --lib-only    stops after the unit tests
#   FILE...       patterns of files to change. Default: all that can change a count:
#                 src/solver/** src/engine.rs src/engine/** src/count.rs src/board/**
#
#   NAME          runs only unit tests with NAME in their name: faster, but more mutants may survive
#
# Exit status 1 if a mutant survived. Results are in target/mutants/.
set -euo pipefail
cd "$(dirname "$0")/.."

sample=60 seed=1 lib_only=false files=() unit_tests=()
while [ $# -gt 0 ]; do
    case $1 in
        --sample | --seed)
            [ $# -gt 1 ] || { echo "$1 lacks its number" >&2; exit 2; }
            [[ $2 =~ ^[0-9]+$ || $1 = --sample && $2 = all ]] || { echo "'$2' is no number for $1" >&2; exit 2; }
            if [ "$1" = --sample ]; then sample=$2; else seed=$2; fi
            shift
            ;;
        --lib-only) lib_only=true ;;
        --)
            shift
            unit_tests+=("$@")
            break
            ;;
        -*)
            echo "there is no option '$1': see the head of $0" >&2
            exit 2
            ;;
        *) files+=("$1") ;;
    esac
    shift
done
[ ${#files[@]} -gt 0 ] || files=('src/solver/**' src/engine.rs 'src/engine/**' src/count.rs 'src/board/**')

cargo mutants --version >/dev/null 2>&1 || cargo install cargo-mutants --locked
out=target/mutants
mkdir -p "$out"
# What does not depend on the mutant is built once, and kept.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target/mutants/build} CARGO_PROFILE_DEV_DEBUG=0
patterns=()
for file in "${files[@]}"; do patterns+=(--file "$file"); done

# Draws the sample: lines sorted by a hash of the seed and themselves, so that a change elsewhere changes little of it.
cargo mutants --list --no-config "${patterns[@]}" >"$out/all.txt"
while IFS= read -r mutant; do
    printf '%s\t%s\n' "$(printf '%s %s' "$seed" "$mutant" | cksum | cut -d ' ' -f 1)" "$mutant"
done <"$out/all.txt" | sort -n -k 1,1 | cut -f 2- >"$out/shuffled.txt"
if [ "$sample" = all ]; then sample=$(wc -l <"$out/all.txt"); fi
head -n "$sample" "$out/shuffled.txt" >"$out/drawn.txt"
echo "$(wc -l <"$out/drawn.txt") of $(wc -l <"$out/all.txt") mutants, seed $seed" >&2

# Tests the mutants whose names are in a file; the names that survive go to another.
try() {
    local names=$1 survivors=$2 folder=$3 status=0
    shift 3
    {
        echo 'examine_re = ['
        sed "s/[][\\.|(){}?*+^\$]/\\\\&/g; s/'/./g; s/.*/  '^&\$',/" "$names"
        echo ']'
    } >"$out/$folder.toml"
    # 2: some survived. 3: some ran into the time limit, which is another way to be noticed.
    cargo mutants --config "$out/$folder.toml" "${patterns[@]}" --output "$out/$folder" --colors never "$@" || status=$?
    case $status in 0 | 2 | 3) ;; *) exit "$status" ;; esac
    cp "$out/$folder/mutants.out/missed.txt" "$survivors"
}

# Without the command line there is less to build, and none of it counts.
try "$out/drawn.txt" "$out/survived-lib.txt" lib --no-default-features --cargo-arg=--lib -- "${unit_tests[@]}"
survived=$out/survived-lib.txt
if ! $lib_only && [ -s "$survived" ]; then
    try "$survived" "$out/survived.txt" whole
    survived=$out/survived.txt
fi
if [ -s "$survived" ]; then
    echo "survived:" >&2
    cat "$survived"
    exit 1
fi
echo "none survived" >&2
