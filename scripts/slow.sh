#!/usr/bin/env bash
# Runs what the gate leaves out because it takes minutes: the tests that are marked `ignore`, and the portable kernels
# under Miri, which finds undefined behaviour. The workflow slow.yml runs all of it every week.
#
#   scripts/slow.sh          what of it is possible here
#   scripts/slow.sh tests    the ignored tests alone
#   scripts/slow.sh attack   thousands of hostile cases alone, with their table; ATTACK=numbers runs those of one kind
#   scripts/slow.sh miri     Miri alone
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

has_miri() { cargo +nightly miri --version >/dev/null 2>&1; }

how="rustup toolchain install nightly --component miri"
case "${1-all}" in
    all)
        tests
        attack
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
    *)
        echo "there is no part '$1': give 'tests', 'attack' or 'miri', or nothing for all" >&2
        exit 2
        ;;
esac
