#!/usr/bin/env bash
# Builds for 64-bit Arm Linux on an x86-64 machine, and runs the build under QEMU's user emulation. Exit status 77 if
# something is missing.
#
#   scripts/arm.sh                    the unit tests, a count, and every unit of the fast solvers against the reference
#   scripts/arm.sh cargo ARGS...      cargo with the linker and the emulator set, for any command, such as
#                                     cargo test --target aarch64-unknown-linux-gnu --package n-queens-cli
set -euo pipefail
cd "$(dirname "$0")/.."
target=aarch64-unknown-linux-gnu
. scripts/needs.sh
need_library "$target"
need_programs 'aarch64-linux-gnu-gcc qemu-aarch64' gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user

export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -cpu cortex-a57 -L /usr/aarch64-linux-gnu"
case ${1:-} in
    cargo) "$@" ;;
    *)
        cargo test --locked --package n-queens --target "$target" --lib
        cargo run --locked --target "$target" -- count 12 14 16 --time
        cargo run --locked --package n-queens --target "$target" --example verify
        ;;
esac
