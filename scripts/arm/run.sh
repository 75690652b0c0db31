#!/usr/bin/env bash
# Builds for 64-bit Arm Linux on an x86-64 machine, and runs the build under QEMU's user emulation.
#
#   scripts/arm/run.sh                    the unit tests
#   scripts/arm/run.sh all [ARGS...]      cargo test with the program's tests and all, half an hour; ARGS are cargo's, such as
#                                         --test it. What tests start is emulated by a rule of the kernel that holds in a
#                                         namespace of this command's own (Linux 6.7)
#   scripts/arm/run.sh verify             examples/verify.rs: every unit of the fast solvers against the reference
#   scripts/arm/run.sh cargo ARGS...      cargo with the linker and the emulator set, for any command, such as
#                                         cargo test --target aarch64-unknown-linux-gnu
#   scripts/arm/run.sh instructions [N]   instructions executed for a count of N (16), here and there: NEON, AVX2 and the
#                                         portable code, for what no Arm processor at hand can time
#
# Installs what it needs, if possible. Exit status 77 if it cannot.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=aarch64-unknown-linux-gnu
root=/usr/aarch64-linux-gnu
. scripts/needs.sh
need_library "$target"
need_programs 'aarch64-linux-gnu-gcc qemu-aarch64' gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user

export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -cpu cortex-a57 -L $root"
library=(--locked --no-default-features --target "$target")

# What tells the emulator's ways and not the program's: a file's limit (ulimit -f) ends QEMU itself, the memory measured
# is QEMU's, what must be done within seconds takes several times as long (and the published results, minutes), and a
# program that is not there is said to have ended with 127.
not_emulated=(
    a_file_keeps_its_permissions_its_links_and_its_readers
    a_full_disk_is_an_error_and_leaves_no_record
    boards_go_to_a_file_in_constant_memory_and_whole_or_not_at_all
    memory_stays_below_16_mib
    a_signal_stops_a_count_and_keeps_what_is_finished
    a_signal_stops_it_and_what_is_finished_is_kept
    cancelling_from_another_thread_stops_every_solver
    the_results_that_are_shipped_can_be_checked
    a_base_that_fails_is_no_verdict
)

# Cargo starts the tests under the emulator; the tests start the program by itself, and for that the kernel has to know
# the emulator: it is told what programs for 64-bit Arm begin with. Nothing outside of the namespace notices.
all() {
    local begins='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
    local counts='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
    local rule=":emulated-aarch64:M::$begins:$counts:$(command -v qemu-aarch64):PF"
    # shellcheck disable=SC2016
    local within='mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc &&
        printf %s "$1" >/proc/sys/fs/binfmt_misc/register || exit 77
        shift
        exec "$@"'
    export QEMU_LD_PREFIX=$root QEMU_CPU=cortex-a57
    local inside=(unshare --user --map-root-user --mount bash -c "$within" _ "$rule")
    "${inside[@]}" true ||
        lack "this system gives no namespace with rules of its own for foreign programs: Linux 6.7 or later can, if it may"
    "${inside[@]}" cargo test --locked --target "$target" "$@" -- "${not_emulated[@]/#/--skip=}"
}

instructions() {
    local n=$1 built=${CARGO_TARGET_DIR:-target}
    local folder=$built/arm
    mkdir -p "$folder"
    cc -shared -fPIC -O2 -o "$folder/instructions.so" scripts/arm/instructions.c
    cargo build --locked --release --quiet
    cargo build --locked --release --quiet --target "$target"
    local arm="qemu-aarch64 -L $root" here="qemu-$(uname -m) -cpu max"
    printf '%-12s %-8s %-12s %15s\n' processor solver 'with' instructions
    count() {
        local emulator=$1 program=$2 processor=$3 solver=$4 isa=$5 said
        said=$($emulator -plugin "$folder/instructions.so" "$program" count "$n" --solver "$solver" --isa "$isa" \
            --threads 1 --quiet 2>&1 >/dev/null)
        printf '%-12s %-8s %-12s %15s\n' "$processor" "$solver" "$isa" "${said##* }"
    }
    for isa in neon portable; do
        count "$arm -cpu cortex-a57" "$built/$target/release/nqueens" cortex-a57 color "$isa"
    done
    for isa in avx2 portable; do
        count "$here" "$built/release/nqueens" "$(uname -m)" color "$isa"
    done
}

case ${1:-tests} in
    tests) cargo test "${library[@]}" --lib ;;
    all)
        shift
        all "$@"
        ;;
    verify) cargo run "${library[@]}" --example verify ;;
    cargo) "$@" ;;
    instructions) instructions "${2:-16}" ;;
    *)
        sed -n '2,16s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
esac
