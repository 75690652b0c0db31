#!/usr/bin/env bash
# Runs what the gate leaves out because it takes minutes: the tests that are marked `ignore`, the portable kernels under
# Miri, which finds undefined behaviour, and runs under a real Slurm. The workflow slow.yml runs all of it every week.
#
#   scripts/slow.sh          what of it is possible here
#   scripts/slow.sh tests    the ignored tests alone
#   scripts/slow.sh attack   thousands of hostile cases alone, with their table; ATTACK=numbers runs those of one kind
#   scripts/slow.sh miri     Miri alone
#   scripts/slow.sh slurm    runs under Slurm alone; as root it installs what it needs, elsewhere it takes sudo
set -euo pipefail
cd "$(dirname "$0")/.."

tests() {
    echo "=== the ignored tests"
    cargo test --locked --release -- --ignored --skip "$attack"
}

attack=attack::thousands_of_hostile_cases_do_no_harm
attack() {
    echo "=== the attack"
    cargo test --locked --release --test it -- --ignored --nocapture --exact "$attack"
}

miri() {
    echo "=== the portable kernels under Miri"
    cargo +nightly miri test --locked --no-default-features --lib solver::
}

slurm() {
    local as_root=
    [ "$(id -u)" = 0 ] || ! command -v sudo >/dev/null || as_root=sudo
    echo "=== runs under Slurm"
    # Chained, because a caller may look at the status.
    cargo build --locked --release &&
        $as_root env NQUEENS="$PWD/target/release/nqueens" scripts/cluster/slurm_test.sh
}

has_miri() { cargo +nightly miri --version >/dev/null 2>&1; }

how="rustup toolchain install nightly --component miri"
case "${1-all}" in
    all)
        tests
        attack
        status=0
        slurm || status=$?
        case $status in
            0) ;;
            77) echo "skipped: Slurm cannot be had here" >&2 ;;
            *) exit "$status" ;;
        esac
        if has_miri; then
            miri
        else
            echo "skipped: there is no Miri here; '$how' installs it" >&2
        fi
        ;;
    tests) tests ;;
    attack) attack ;;
    miri)
        if ! has_miri; then
            echo "there is no Miri here: install it with '$how'" >&2
            exit 1
        fi
        miri
        ;;
    slurm) slurm ;;
    *)
        echo "there is no part '$1': give 'tests', 'attack', 'miri' or 'slurm', or nothing for all" >&2
        exit 2
        ;;
esac
