#!/usr/bin/env bash
# Builds the archives that users download, of `nqueens` and of `abgate`. Each has the stripped program, its manual, its
# completions and the licences of what is in it. Builds a wheel of `abgate`, too, for `pip` and `uvx`. The release
# workflow calls this script for all systems.
#
#   scripts/release.sh [TARGET...]            builds archives for Linux, or for targets such as aarch64-apple-darwin
#   scripts/release.sh --check [TARGET...]    runs the programs of archives and compares their answers with known ones
#
# The archives, the wheels and SHA256SUMS go to release-archives in cargo's target folder. The archives have the names that the
# binstall sections of cli/Cargo.toml and gate/Cargo.toml name. On Linux, the same commit and compiler give equal files.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/needs.sh
is_check=
if [ "${1:-}" = --check ]; then is_check=yes && shift; fi
[ $# -gt 0 ] || set -- {x86_64,aarch64}-unknown-linux-{gnu,musl}
# The oldest version that Rust supports, of 2012.
glibc=2.17
version=$(cargo pkgid --package n-queens-cli | tr -d '\r')
version=${version##*@}
mkdir -p "${CARGO_TARGET_DIR:-target}/release-archives"
built=$(cd "${CARGO_TARGET_DIR:-target}" && pwd)
archives=$built/release-archives
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Rust brings what musl programs are linked with, and a linker for any processor: no other compiler is needed.
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER=rust-lld CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_LINKER=rust-lld
# Without it the program asks for a runtime library that not every Windows has.
export CARGO_TARGET_X86_64_PC_WINDOWS_MSVC_RUSTFLAGS=-Ctarget-feature=+crt-static

build() {
    local command=build target=$1
    need_library "$1"
    if [[ $1 = *-linux-gnu ]]; then
        # Zig links with any version of glibc, for any processor.
        need_python cargo-zigbuild==0.24.1 ziglang==0.17.1
        command=zigbuild target=$1.$glibc
    fi
    # Stripped here alone: who builds from a clone may want the names of functions.
    CARGO_PROFILE_RELEASE_STRIP=symbols cargo "$command" --locked --release --bin nqueens --bin abgate --target "$target"
}

# The crates that are linked into the program of package $1 for target $2, with their licences. Then each text of a licence
# once, below the names of the crates that it came with.
third_party() (
    shopt -s nocaseglob nullglob
    printf '%s\n' "What the program contains beside its own code, and under which licences." "" \
        "Rust's standard library: MIT OR Apache-2.0, copyright The Rust Project contributors"
    [[ $2 != *-musl ]] || echo "musl libc: MIT, copyright 2005-2020 Rich Felker and others"
    [[ $2 != *-linux-gnu ]] || echo "compiler-rt of Zig: MIT, copyright Zig contributors"
    [[ $2 != *-linux-gnu ]] || echo "libunwind of LLVM: Apache-2.0 WITH LLVM-exception, copyright LLVM contributors"
    crates=$(cargo tree --locked --package "$1" --target "$2" --edges normal,no-proc-macro --no-dedupe --prefix none \
        --format '{p}: {l}' | tr -d '\r' | grep -v ' (' | sed 's| v| |' | LC_ALL=C sort -u)
    echo "$crates"
    texts=$folder/texts-$1-$2
    mkdir "$texts"
    while IFS=' :' read -r crate number _; do
        for file in "${CARGO_HOME:-$HOME/.cargo}/registry/src/"*"/$crate-$number/"{licen,copying,notice,copyright,unlicense}*; do
            if [ ! -f "$file" ] || [[ $file = *.rs ]]; then continue; fi
            text=$texts/$(git hash-object "$file")
            cp "$file" "$text"
            echo "$crate $number" >>"$text.crates"
        done
    done <<<"$crates"
    [ -n "$(ls "$texts")" ] || fail "no licence is found in cargo's registry"
    for text in "$texts"/*.crates; do
        printf '\n%s\n' "$(printf '=%.0s' {1..80})"
        cat "$text"
        echo
        cat "${text%.crates}"
    done
)

# Packs program $2 of package $1, whose files are in folder $3, for target $4.
pack() {
    local name=$1-$version-$4 program=$built/$4/release/$2 owner='' python
    [ ! -e "$program.exe" ] || program=$program.exe
    mkdir "$folder/$name"
    cp "$program" LICENSE-* CHANGELOG.md "$3/README.md" "$folder/$name"
    cp -R "$folder/documents/$3/." "$folder/$name"
    third_party "$1" "$4" >"$folder/$name/THIRD-PARTY.txt"
    cd "$folder"
    chmod -R u=rwX,go=rX "$name"
    # No trace of the time or of the user, and a fixed order.
    find "$name" -exec touch -d "$time" {} +
    if [[ $4 = *-windows-* ]]; then
        python=$(command -v python3 || command -v python) || fail 'there is no python3, which packs zip files: install it first'
        TZ=UTC "$python" -m zipfile -c "$archives/$name.zip" "$name"
    else
        case $(tar --version) in *GNU*) owner='--owner=0 --group=0 --numeric-owner' ;; esac
        # shellcheck disable=SC2086 # The options are several words.
        find "$name" -type f | LC_ALL=C sort | tar --format=ustar --no-recursion $owner -cf - -T - | gzip -9n >"$archives/$name.tar.gz"
    fi
    cd - >/dev/null
}

# Builds the wheel of `abgate` for a target, after its archive. The one for musl is static, so it is for every Linux.
wheel() (
    [[ $1 != *-linux-gnu ]] || exit 0
    tags=
    [[ $1 != *-musl ]] || tags='--compatibility manylinux2014 musllinux_1_1'
    trap 'rm -f gate/THIRD-PARTY.txt' EXIT
    cp "$folder/abgate-$version-$1/THIRD-PARTY.txt" gate
    # shellcheck disable=SC2086 # The tags are several words.
    maturin build --quiet --release --target "$1" --manifest-path gate/Cargo.toml --out "$archives" $tags
)

make() {
    local target shell documents=$folder/documents/cli
    for target; do build "$target"; done
    # All builds of a commit print equal pages and completions. The files are called as the shells look for them.
    mkdir -p "$documents/completions" "$documents/man/man1"
    cargo build --locked --bin nqueens
    "$built/debug/nqueens" man --quiet --dir "$documents/man/man1"
    for shell in bash:nqueens.bash elvish:nqueens.elv fish:nqueens.fish powershell:_nqueens.ps1 zsh:_nqueens; do
        "$built/debug/nqueens" completions "${shell%:*}" >"$documents/completions/${shell#*:}"
    done
    cargo run --locked --package abgate --example documents -- "$folder/documents/gate"
    time=$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ)
    for target; do
        pack n-queens-cli nqueens cli "$target"
        pack abgate abgate gate "$target"
        wheel "$target"
    done
    cd "$archives"
    # macOS has the other name.
    if command -v sha256sum >/dev/null; then sha256sum -- *-*-*.*; else shasum -a 256 -- *-*-*.*; fi >SHA256SUMS
    du -h -- *
}

# Asks the programs of an archive questions whose answers are known. Programs of musl answer in an empty root folder, without
# library, /proc or /dev. Programs for another processor answer under QEMU, which has glibc for them and no musl.
check() {
    local target=$1 processor=${1%%-*} runner=() where="on this machine" name debian newest
    [ -e "$archives/n-queens-cli-$version-$target.tar.gz" ] || fail "make the archives first: scripts/release.sh $target"
    mkdir -p "$folder/$target/root"
    for name in n-queens-cli abgate; do
        tar -xzf "$archives/$name-$version-$target.tar.gz" -C "$folder/$target" --strip-components=1
    done
    cd "$folder/$target/root"
    cp ../nqueens ../abgate .
    if ! ./nqueens --version >/dev/null 2>&1; then
        debian=${processor/aarch64/arm64}
        need_programs "qemu-$processor /usr/$processor-linux-gnu/lib/libc.so.6" qemu-user "libc6-${debian/x86_64/amd64}-cross"
        runner=("qemu-$processor" -L "/usr/$processor-linux-gnu") where="under QEMU"
    elif [[ $target = *-musl ]]; then
        runner=(as_root chroot "--userspec=$(id -u):$(id -g)" .) where="in an empty root folder"
    fi
    if [[ $target = *-musl ]]; then
        python -m pip install -q --no-index --no-deps --only-binary :all: --platform "manylinux2014_$processor" --target ../wheel \
            "$archives/abgate-$version-"*"manylinux2014_$processor"*.whl
        cp ../wheel/bin/abgate abgate-of-wheel
        "${runner[@]}" ./abgate-of-wheel --help >/dev/null || fail "abgate of the wheel does not start $where"
    else
        newest=$(readelf --version-info nqueens abgate | grep -o 'GLIBC_[[:alnum:]_.]*' | sort -V | tail -n 1) || true
        printf '%s\n' GLIBC_2 "$newest" "GLIBC_$glibc" | sort -VC || fail "$target: they need '$newest', not GLIBC_$glibc"
    fi
    same() {
        local found
        found=$("${runner[@]}" ./nqueens "${@:2}") || true
        [ "$found" = "$1" ] || fail "'${*:2}' answers '$found' $where, not '$1'"
    }
    same 14200 count 12 --quiet --threads 2
    same 365596 count 14 --quiet --solver bitmask --isa portable
    same $'1 3 5 2 4\n1 4 2 5 3' solutions 5 --limit 2 --format columns
    same 2680 count 11 --quiet --dir ledger
    "${runner[@]}" ./nqueens verify --max 8 | grep -q 'color (.*agrees' || fail "verify fails $where"
    "${runner[@]}" ./nqueens info | grep -q "linux-${target##*-}" || fail "info fails $where"
    if "${runner[@]}" ./nqueens bench --out /nowhere/a.json 2>/dev/null; then fail "it wrote a file that cannot be"; fi
    "${runner[@]}" ./abgate --help >/dev/null || fail "abgate does not start $where"
    echo "$target: the programs answer rightly $where"
}

need_python maturin==1.16.0
if [ -z "$is_check" ]; then
    make "$@"
else
    (cd "$archives" && sha256sum --check --quiet SHA256SUMS) || fail "SHA256SUMS is not of these archives: make them again"
    for target; do (check "$target"); done
fi
