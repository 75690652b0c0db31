#!/usr/bin/env bash
# Runs tests that take minutes or need other programs: the parts that you name, or all.
#
#   scripts/slow.sh [PART...]
#
#   tests     the tests that are marked `ignore`, and figures of src/color/proof.md
#   attack    runs the program with thousands of hostile inputs and prints a table; ATTACK=numbers runs one kind
#   browser   the page of `bench compare --format html` in Chromium
#   targets   compiles for every supported target
#   static    builds the archives of a release, and runs their static programs in an empty root folder
#   machines  counts and verifies on eight kinds of machines, under QEMU, Wine and Valgrind, and one run that they share
#   arm       unit tests for 64-bit Arm, under QEMU
#   page      counts as WebAssembly, as a web page makes them
#   windows   the tests for Windows, under Wine
#   gpu       counts on a software adapter, which imitates a graphics card
#   slurm     long runs under Slurm with two nodes, one of which is lost
#
# Skips a part that lacks something here, and says so. Installs it first if CI or INSTALL is set. If it is still missing, that
# is an error in CI. The workflow slow.yml runs every part once a week.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/needs.sh

attack=attack::thousands_of_hostile_cases_do_no_harm
browser=tests::page::browser::a_person_reads_the_report_on_a_desk_a_phone_and_on_paper

# Each is one chain of commands, whose status is that of the part.
tests() {
    cargo test --locked --release -- --ignored --skip "$attack" --skip "$browser" &&
        rustc --edition 2024 -O docs/color-split/entries.rs -o target/entries && target/entries
}

attack() { cargo test --locked --release --package n-queens-cli --test it -- --ignored --nocapture --exact "$attack"; }

browser() {
    [ -n "${CHROMIUM:-}" ] || command -v chromium-browser google-chrome >/dev/null || need_programs chromium chromium
    cargo test --locked --package n-queens-cli --lib -- --ignored --nocapture --exact "$browser"
}

targets() { scripts/machines.sh check; }

static() { scripts/release.sh && scripts/release.sh --check; }

machines() { scripts/machines.sh; }

arm() { scripts/machines.sh aarch64 cargo test --locked --package n-queens --lib; }

page() { scripts/page.sh; }

windows() { scripts/machines.sh windows cargo test --locked; }

# Vulkan finds its drivers in this folder.
gpu() {
    has_adapter() { compgen -G "/usr/share/vulkan/icd.d/lvp*" >/dev/null && ldconfig -p | grep -q libvulkan; }
    has_adapter || { may_install && as_root apt-get update -q &&
        as_root apt-get install -y -q --no-install-recommends mesa-vulkan-drivers libvulkan1 && has_adapter; } ||
        lack "there is no software adapter: install Debian's packages mesa-vulkan-drivers and libvulkan1, or set INSTALL=1"
    cargo test --locked --package n-queens-gpu -- --include-ignored &&
        cargo test --locked --package n-queens-cli --features gpu --test it gpu:: -- --include-ignored
}

slurm() {
    cargo build --locked --release &&
        as_root env NQUEENS="$(realpath "${CARGO_TARGET_DIR:-target}/release/nqueens")" scripts/slurm-test.sh
}

parts=(tests attack browser targets static machines arm page windows gpu slurm)
[ $# -gt 0 ] || set -- "${parts[@]}"
for part; do
    if [[ " ${parts[*]} " != *" $part "* ]]; then
        echo "there is no part '$part': give some of ${parts[*]}, or nothing for all" >&2
        exit 2
    fi
done
for part; do
    printf '\n=== %s (after %d s)\n' "$part" "$SECONDS"
    status=0
    # In a shell of its own, because what is lacking ends it.
    ("$part") || status=$?
    case $status in
        0) ;;
        77) echo "skipped: $part cannot run here" >&2 ;;
        *) exit "$status" ;;
    esac
done
