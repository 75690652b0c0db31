#!/usr/bin/env bash
# Builds the program for other machines and runs it here: in QEMU, Bochs, Wine or Valgrind, or directly.
#
#   scripts/machines.sh [MACHINE...]           counts and verifies on these machines, or on all
#   scripts/machines.sh MACHINE cargo ARGS...  runs cargo with the compiler, linker and emulator of a machine, such as
#                                              scripts/machines.sh windows cargo test --package n-queens-cli
#   scripts/machines.sh check [TARGET...]      checks that all packages compile for these targets, or for all supported
#                                              ones; runs no program and needs no linker
#
#   aarch64    64-bit Arm, a Cortex-A57 in QEMU     nehalem    x86-64 without AVX, in QEMU
#   i686       a 32-bit program, in QEMU            haswell    x86-64 with AVX2 and no AVX-512, in QEMU
#   s390x      big-endian, in QEMU                  valgrind   this machine, in Valgrind
#   musl       a static program with musl           windows    64-bit Windows, in Wine
#
# Two more machines only run cargo, because each program waits until Bochs has started Linux:
#
#   skylake    x86-64 with AVX-512 and no BITALG    icelake    x86-64 with AVX-512 and BITALG; needs Bochs 2.8
#
# Set INSTALL=1 to install missing programs.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/needs.sh
machines=(aarch64 i686 s390x musl nehalem haswell valgrind windows)
host=$(rustc -vV | sed -n 's/^host: //p')
target=$host linker=cc emulator='' instructions=''

# Chooses Linux on another processor: cross PROCESSOR NAME-IN-DEBIAN EMULATOR
cross() {
    target=$1-unknown-linux-gnu linker=$1-linux-gnu-gcc emulator="$3 -L /usr/$1-linux-gnu" instructions=portable
    need_programs "$linker ${3%% *}" "gcc-$1-linux-gnu" "libc6-dev-$2-cross" qemu-user
}

# Chooses an older processor in QEMU for the programs of this machine: older PROCESSOR INSTRUCTION-SETS
older() {
    [[ $host == x86_64-*-linux-* ]] || fail "this machine needs x86-64 Linux"
    need_programs qemu-x86_64 qemu-user
    emulator="qemu-x86_64 -cpu $1" instructions=$2
}

# Chooses a newer processor in Bochs for the programs of this machine: newer PROCESSOR
newer() {
    [[ $host == x86_64-*-linux-* ]] || fail "this machine needs x86-64 Linux"
    emulator="$PWD/scripts/bochs.sh $1"
}

# Chooses Windows, for which MinGW links. The settings of Wine are in the target folder.
windows() {
    target=x86_64-pc-windows-gnu linker=x86_64-w64-mingw32-gcc emulator=wine
    need_programs "$linker wine" gcc-mingw-w64-x86-64 wine wine64
    export WINEPREFIX=$built/wine WINEDEBUG=-all
    wine cmd /c ver >/dev/null 2>&1 || fail "Wine does not start"
    # Rust's library takes random numbers from a library that Debian's Wine 8 lacks, so this one forwards to another.
    local library=$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll
    echo 'EXPORTS ProcessPrng=advapi32.SystemFunction036' >"$built/random.def"
    [ -e "$library" ] || "$linker" -shared -nostdlib -Wl,-e0 -o "$library" "$built/random.def"
}

# Sets the target, the linker and the emulator of a machine for this script and for cargo.
prepare() {
    case $1 in
        aarch64) cross aarch64 arm64 'qemu-aarch64 -cpu cortex-a57' && instructions='portable, neon' ;;
        i686) cross i686 i386 qemu-i386 ;;
        s390x) cross s390x s390x qemu-s390x ;;
        nehalem) older Nehalem portable ;;
        # QEMU prints a warning for each feature of a Haswell that it lacks, unless the feature is left out.
        haswell) older Haswell-noTSX,-pcid,-x2apic,-tsc-deadline,-invpcid 'portable, avx2' ;;
        skylake) newer corei7_skylake_x ;;
        icelake) newer corei7_icelake_u ;;
        valgrind) need_programs valgrind valgrind && emulator='valgrind -q --error-exitcode=1' ;;
        windows) windows ;;
        # Rust's library for musl brings the C library, which is missing from Debian's sources.
        musl) target=x86_64-unknown-linux-musl && need_library "$target" ;;
        *) fail "there is no machine '$1': give one or more of ${machines[*]}" ;;
    esac
    need_library_or_sources "$target"
    local name=${target^^}
    name=CARGO_TARGET_${name//-/_}
    [ "$linker" = cc ] || export "${name}_LINKER=$linker"
    [ -z "$emulator" ] || export "${name}_RUNNER=$emulator"
    export CARGO_BUILD_TARGET=$target
}

# Runs the program of a machine in its emulator, if it has one: run_program ARGUMENT...
# shellcheck disable=SC2086 # The emulator consists of several words.
run_program() { $emulator "$program" "$@" </dev/null; }

# Counts and verifies on a machine, and lets this machine audit a run that the other one has counted. It runs in a
# subshell, which keeps the variables of a machine from the next one: test_machine MACHINE
test_machine() (
    machine=$1
    prepare "$machine"
    [[ $emulator != *bochs* ]] || fail "$machine only runs cargo: type '$0 $machine cargo test'"
    program=$built/$target/release/nqueens
    cargo build --locked --release --quiet --bin nqueens
    [ -e "$program" ] || program=$program.exe
    sets=$(run_program info | sed -n 's/^instructions *//p')
    [ "$sets" = "${instructions:-$sets}" ] || fail "$machine: its instruction sets are $sets, not $instructions"
    for solver in arrays bitmask color; do
        found=$(run_program count 1..=13 --solver "$solver" --quiet | awk 'NR > 1 { printf "%s ", $2 }')
        [ "$found" = "1 0 0 2 10 4 40 92 352 724 2680 14200 73712 " ] || fail "$machine: $solver counts $found"
    done
    found=$(run_program verify --quiet) || fail "$found"
    found=$(run_program count 15 --dir "$folder/$machine" --shards 8 --machine "$machine" --quiet)
    [ "$found" = 2279184 ] || fail "$machine: its run counts $found"
    found=$("$nqueens" audit "$folder/$machine" --sample 100000 --quiet) || fail "$found"
    echo "$target, $sets: counts and verifies; $found"
)

# Checks that all packages compile for these targets, or for all supported ones: check_targets TARGET...
check_targets() {
    local targets=({x86_64,aarch64}-unknown-linux-{gnu,musl} {i686,s390x}-unknown-linux-gnu
        {x86_64,aarch64}-apple-darwin x86_64-pc-windows-gnu wasm32-{wasip1,unknown-unknown})
    local listed packages
    listed=$(sed -n '/^ *target:$/,/^ *steps:$/s/^ *- //p' .github/workflows/ci.yml | sort)
    [ "$listed" = "$(printf '%s\n' "${targets[@]}" | sort)" ] || fail "ci.yml does not list the same targets as $0"
    [ $# -gt 0 ] || set -- "${targets[@]}"
    for target; do
        need_library "$target"
        packages=(--package n-queens)
        # WebAssembly has only the library, because the command line needs threads and files.
        case $target in wasm32*) ;; *) packages=(--workspace --features n-queens-cli/gpu) ;; esac
        echo "$target"
        RUSTFLAGS="-D warnings" cargo check --locked --quiet --target "$target" "${packages[@]}"
    done
}

case "${1:-},${2:-}" in
    check,*) check_targets "${@:2}"; exit ;;
    *,cargo) prepare "$1"; exec "${@:2}" ;;
esac
[ $# -gt 0 ] || set -- "${machines[@]}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cargo build --locked --release --quiet --bin nqueens --target "$host"
nqueens=$built/$host/release/nqueens
for machine; do test_machine "$machine"; done
