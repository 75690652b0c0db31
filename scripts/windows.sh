#!/usr/bin/env bash
# Builds for 64-bit Windows on Linux, with MinGW, and runs the build under Wine. Exit status 77 if something is missing.
#
#   scripts/windows.sh [ARGS...]      cargo test with ARGS
#   scripts/windows.sh cargo ARGS...  cargo with the linker and Wine set, for any command, such as
#                                     cargo run --target x86_64-pc-windows-gnu -- bench machine
#
# Wine's settings are in target/wine.
set -euo pipefail
cd "$(dirname "$0")/.."
target=x86_64-pc-windows-gnu
. scripts/needs.sh
need_library "$target"
need_programs 'x86_64-w64-mingw32-gcc wine' gcc-mingw-w64-x86-64 wine wine64

export WINEPREFIX=$PWD/target/wine WINEDEBUG=-all
mkdir -p target
wine cmd /c ver || lack "Wine does not start"
# Every program of Rust needs this library, which has one function. Debian's Wine 8 lacks it.
library=$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll
[ -e "$library" ] || x86_64-w64-mingw32-gcc -shared -O1 -x c -o "$library" - -ladvapi32 <<'C'
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length); /* RtlGenRandom, of advapi32 */
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T length)
{
    return SystemFunction036(buffer, (ULONG)length);
}
C

export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine
case ${1:-} in
    cargo) "$@" ;;
    *) cargo test --locked --target "$target" "$@" ;;
esac
