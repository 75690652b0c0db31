#!/usr/bin/env bash
# Builds the archives that users download, of `nqueens` and of `abgate`. Each has the stripped program and its licences, and
# that of `nqueens` its manual and completions. SHA256SUMS is beside the archives. The release workflow calls this script for all systems.
#
#   scripts/release.sh                        builds both Linux archives, on any x86-64 or 64-bit Arm Linux
#   scripts/release.sh TARGET...              builds for these targets, such as aarch64-apple-darwin
#   scripts/release.sh --check [TARGET...]    checks archives: runs their programs in an empty chroot, or under QEMU for
#                                             another processor, and compares their answers with known ones
#
# The archives go to release-archives in cargo's target folder, or to the folder of --out FOLDER. The same commit and compiler give equal
# archives. Exit status 77 if something is missing that cannot be installed.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { printf 'error: %s\n' "$1" >&2; exit "${2:-1}"; }
. scripts/needs.sh

linux=(x86_64-unknown-linux-musl aarch64-unknown-linux-musl)
built=${CARGO_TARGET_DIR:-target}
out=$built/release-archives task=make
targets=()
while [ $# -gt 0 ]; do
    case $1 in
        --out)
            [ $# -ge 2 ] || fail '--out wants a folder' 2
            out=$2
            shift ;;
        --check) task=check ;;
        -h|--help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p;}' "$0"; exit 0 ;;
        -*) fail "there is no option '$1': scripts/release.sh --help shows those there are" 2 ;;
        *) targets+=("$1") ;;
    esac
    shift
done
[ ${#targets[@]} -gt 0 ] || targets=("${linux[@]}")

command -v cargo >/dev/null || lack 'there is no cargo: install Rust with rustup first'
host=$(rustc -vV | tr -d '\r' | sed -n 's/^host: //p')
# On Windows it is called so.
python=$(command -v python3 || command -v python) || lack 'there is no python3, which packs the archives: install it first'
pack() { "$python" scripts/pack.py "$@"; }

build() {
    local target=$1
    rustc --print target-list | tr -d '\r' | grep -xF -- "$target" >/dev/null ||
        fail "Rust knows no target '$target': 'rustc --print target-list' shows those there are" 2
    need_library "$target"
    case $target in
        # Rust brings what musl programs are linked with, and a linker for any processor: no other compiler is needed.
        "${host%%-*}"-*-musl) ;;
        aarch64-*-musl) export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER=rust-lld ;;
        x86_64-*-musl) export CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_LINKER=rust-lld ;;
        # Without it the program asks for a runtime library that not every Windows has.
        x86_64-*-msvc) export CARGO_TARGET_X86_64_PC_WINDOWS_MSVC_RUSTFLAGS=-Ctarget-feature=+crt-static ;;
    esac
    # Stripped here alone: who builds from a clone may want the names of functions.
    CARGO_PROFILE_RELEASE_STRIP=symbols cargo build --locked --release --bin nqueens --bin abgate --target "$target"
}

program() {
    local file=$built/$1/release/$2
    [ ! -e "$file.exe" ] || file=$file.exe
    printf '%s\n' "$file"
}

# What starts a program of this target here: nothing, or an emulator. Fails where there is none.
starter() {
    "$2" --version >/dev/null 2>&1 && return
    case $1 in
        aarch64-*-linux-*) command -v qemu-aarch64 ;;
        x86_64-*-linux-*) command -v qemu-x86_64 ;;
        *) return 1 ;;
    esac
}

# The pages and completions, which the program prints: all builds of a commit print the same. So the first of those packed
# prints them that runs here, and where none does, a build for this machine.
documents() {
    local folder=$1 target teller='' start='' shell
    for target in "${targets[@]}"; do
        teller=$(program "$target" nqueens)
        start=$(starter "$target" "$teller") && break
        teller=''
    done
    if [ -z "$teller" ]; then
        cargo build --locked --bin nqueens
        teller=$built/debug/nqueens
    fi
    rm -rf "$folder"
    mkdir -p "$folder/man/man1" "$folder/completions"
    $start "$teller" man --quiet --dir "$folder/man/man1"
    for shell in bash elvish fish powershell zsh; do
        $start "$teller" completions "$shell" >"$folder/completions/$shell"
    done
    # As the shells call them where they look for them.
    cd "$folder/completions"
    mv bash nqueens.bash
    mv elvish nqueens.elv
    mv fish nqueens.fish
    mv powershell _nqueens.ps1
    mv zsh _nqueens
    cd - >/dev/null
}

# Asks the static program questions whose answers are known: in an empty root folder, without library, /proc or /dev. For
# another processor it runs outside, under an emulator, which knows no library.
check() {
    local program=$1 emulator=$2 root alone where
    root=$(mktemp -d -p "$folder")
    cp "$program" "$root/nqueens"
    if [ -n "$emulator" ]; then
        alone=("$emulator" ./nqueens) where="under $(basename "$emulator")"
    else
        as_root chroot / true || lack "this user may not change the root folder: run this as root"
        alone=(as_root chroot . /nqueens) where="in an empty root folder"
    fi
    cd "$root"
    same() {
        local expected=$1 found
        shift
        found=$("${alone[@]}" "$@") || true
        [ "$found" = "$expected" ] || fail "'$*' answers '$found' $where, not '$expected'"
    }
    same 14200 count 12 --quiet --threads 2
    same 365596 count 14 --quiet --solver bitmask --isa portable
    same $'1 3 5 2 4\n1 4 2 5 3' solutions 5 --limit 2 --format columns
    same 2680 count 11 --quiet --dir ledger
    "${alone[@]}" verify --max 8 | grep -q 'color (.*agrees' || fail "verify fails $where"
    "${alone[@]}" info | grep -q linux-musl || fail "info fails $where"
    if "${alone[@]}" solutions 8 --out /nowhere/boards.txt 2>/dev/null; then fail "it wrote a file that cannot be"; fi
    echo "the static program answers rightly $where"
    cd - >/dev/null
}

case $task in
    make)
        for target in "${targets[@]}"; do build "$target"; done
        documents "$built/release-documents"
        for target in "${targets[@]}"; do
            for of in n-queens-cli:nqueens abgate:abgate; do
                pack archive --package "${of%:*}" --target "$target" --program "$(program "$target" "${of#*:}")" \
                    --documents "$built/release-documents" --out "$out"
            done
        done
        pack sums --out "$out"
        ;;
    check)
        folder=$(mktemp -d)
        trap 'rm -rf "$folder"' EXIT
        status=0
        for target in "${targets[@]}"; do
            unpack() { pack unpack --package "$1" --target "$target" --out "$out" --into "$folder"; }
            checked=$(unpack n-queens-cli) || fail "make the archives first: scripts/release.sh $target"
            gate=$(unpack abgate) || fail "make the archives first: scripts/release.sh $target"
            if ! start=$(starter "$target" "$checked"); then
                echo "skipped: nothing here runs a program for $target (Debian has emulators as qemu-user)" >&2
                status=77
                continue
            fi
            check "$checked" "$start"
            ${start:+"$start"} "$gate" --help >/dev/null || fail "abgate does not start"
        done
        exit "$status"
        ;;
esac
