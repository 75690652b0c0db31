#!/usr/bin/env bash
# Builds for 64-bit Windows on Linux, with MinGW, and runs the build under Wine.
#
#   scripts/windows/run.sh [ARGS...]      cargo test with the program's tests and all; ARGS are cargo test's
#   scripts/windows/run.sh cargo ARGS...  cargo with the linker and Wine set, for any command, such as
#                                         cargo run --target x86_64-pc-windows-gnu -- bench machine
#
# Installs what it needs, if possible. Exit status 77 if it cannot. Wine's settings are in target/wine.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=x86_64-pc-windows-gnu
. scripts/needs.sh
need_library "$target"
need_programs 'x86_64-w64-mingw32-gcc wine' gcc-mingw-w64-x86-64 wine wine64

export WINEPREFIX=$PWD/target/wine WINEDEBUG=-all
mkdir -p target
wine cmd /c ver || lack "Wine does not start"
library=$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll
[ -e "$library" ] || x86_64-w64-mingw32-gcc -shared -O1 -o "$library" scripts/windows/bcryptprimitives.c -ladvapi32

export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine
case ${1:-} in
    cargo) "$@" ;;
    *) cargo test --locked --target "$target" "$@" ;;
esac
