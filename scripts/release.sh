#!/usr/bin/env bash
# Builds the downloads of `nqueens` and `abgate`: archives that contain the stripped program, its manual, its
# completions and the licenses of all code that is linked into it, and wheels for `pip` and `uvx`. The release workflow
# calls this script on every system.
#
#   scripts/release.sh build [PROGRAM] [TARGET...]  builds for Linux, or for targets such as aarch64-apple-darwin
#   scripts/release.sh check [PROGRAM] [TARGET...]  runs programs for Linux from the archives and compares their answers
#
# PROGRAM is nqueens or abgate, or both if it is left out. Archives, wheels and SHA256SUMS go to the folder
# release-archives in cargo's target folder, under the names that the binstall sections of cli/Cargo.toml and
# gate/Cargo.toml expect. On Linux, two builds of a commit by the same compiler are equal byte by byte.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/needs.sh
# The oldest glibc that Rust supports, which is from 2012.
glibc=2.17
version=$(package_version)
archives=$built/release-archives
mkdir -p "$archives"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Rust brings the C library of musl and a linker for any processor, so no other compiler is needed.
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER=rust-lld CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_LINKER=rust-lld
# Without this, the program needs a runtime library that not every Windows has.
export CARGO_TARGET_X86_64_PC_WINDOWS_MSVC_RUSTFLAGS=-Ctarget-feature=+crt-static

# Print the package and the folder of a program. (The bash of macOS has no associative arrays.)
package_of() { if [ "$1" = nqueens ]; then echo n-queens-cli; else echo abgate; fi; }
folder_of() { if [ "$1" = nqueens ]; then echo cli; else echo gate; fi; }

# Compiles the programs for target $1.
compile() {
    local command=build target=$1 program bins=()
    for program in "${programs[@]}"; do bins+=(--bin "$program"); done
    need_library "$1"
    if [[ $1 = *-linux-gnu ]]; then
        # Zig links with any version of glibc for any processor.
        need_python cargo-zigbuild==0.24.1 ziglang==0.17.1
        command=zigbuild target=$1.$glibc
    fi
    # Only releases are stripped, because those who build from a clone may want the names of functions.
    CARGO_PROFILE_RELEASE_STRIP=symbols cargo "$command" --locked --release "${bins[@]}" --target "$target"
}

# Writes the manual, the completions and the README of program $1 into the folder $2, under the names that shells
# expect. All builds of a commit write the same.
write_documents() {
    cargo run --locked --quiet --package "$(package_of "$1")" --example "$1-documents" -- "$2"
    cp "$(folder_of "$1")/README.md" "$2"
}

# Prints the crates that are linked into program $1 for target $2 and their licenses, then the text of each license
# once, below the names of the crates that ship it. (For the same result, cargo-about needs a template, a list of
# accepted licenses and a hundred crates.)
print_licenses() (
    shopt -s nocaseglob nullglob
    printf '%s\n' "The code of others that this program contains, and its licenses." "" \
        "Rust's standard library: MIT OR Apache-2.0, copyright The Rust Project contributors"
    [[ $2 != *-musl ]] || echo "musl libc: MIT, copyright 2005-2020 Rich Felker and others"
    [[ $2 != *-linux-gnu ]] || echo "compiler-rt of Zig: MIT, copyright Zig contributors"
    [[ $2 != *-linux-gnu ]] || echo "libunwind of LLVM: Apache-2.0 WITH LLVM-exception, copyright LLVM contributors"
    crates=$(cargo tree --locked --package "$(package_of "$1")" --target "$2" --edges normal,no-proc-macro --no-dedupe \
        --prefix none --format '{p}: {l}' | tr -d '\r' | grep -v ' (' | sed 's| v| |' | LC_ALL=C sort -u)
    echo "$crates"
    texts=$folder/texts-$1-$2 registry=${CARGO_HOME:-$HOME/.cargo}/registry/src/
    mkdir "$texts"
    while IFS=' :' read -r crate number _; do
        for file in "$registry"*"/$crate-$number/"{licen,copying,notice,copyright,unlicense}*; do
            if [ ! -f "$file" ] || [[ $file = *.rs ]]; then continue; fi
            text=$texts/$(git hash-object "$file")
            cp "$file" "$text"
            echo "$crate $number" >>"$text.crates"
        done
    done <<<"$crates"
    [ -n "$(ls "$texts")" ] || fail "cargo's registry contains no license: run 'cargo fetch --locked' first"
    for text in "$texts"/*.crates; do
        printf '\n%s\n' "$(printf '=%.0s' {1..80})"
        cat "$text"
        echo
        cat "${text%.crates}"
    done
)

# Packs the archive of program $1 for target $2.
pack() (
    program=$built/$2/release/$1 owner=''
    name=$(package_of "$1")-$version-$2
    [ ! -e "$program.exe" ] || program=$program.exe
    cp -R "$folder/documents-$1" "$folder/$name"
    cp "$program" LICENSE-* CHANGELOG.md "$folder/$name"
    print_licenses "$1" "$2" >"$folder/$name/THIRD-PARTY.txt"
    time=$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ)
    cd "$folder"
    chmod -R u=rwX,go=rX "$name"
    # Time, owner and order are fixed, so that two builds are equal.
    find "$name" -exec touch -d "$time" {} +
    if [[ $2 = *-windows-* ]]; then
        python=$(command -v python3 || command -v python) || fail 'python3 is missing, which packs zip files'
        TZ=UTC "$python" -m zipfile -c "$archives/$name.zip" "$name"
    else
        case $(tar --version) in *GNU*) owner='--owner=0 --group=0 --numeric-owner' ;; esac
        # shellcheck disable=SC2086 # The options are several words.
        find "$name" -type f | LC_ALL=C sort | tar --format=ustar --no-recursion $owner -cf - -T - |
            gzip -9n >"$archives/$name.tar.gz"
    fi
)

# Builds the wheel of program $1 for target $2, after its archive. The wheel for musl is static, so it is for every
# Linux.
build_wheel() (
    [[ $2 != *-linux-gnu ]] || exit 0
    place=$(folder_of "$1") tags=
    [[ $2 != *-musl ]] || tags='--compatibility manylinux2014 musllinux_1_1'
    need_python maturin==1.16.0
    trap 'rm -f "$place/THIRD-PARTY.txt"' EXIT
    cp "$folder/$(package_of "$1")-$version-$2/THIRD-PARTY.txt" "$place"
    # shellcheck disable=SC2086 # The tags are several words.
    maturin build --quiet --release --target "$2" --manifest-path "$place/Cargo.toml" --out "$archives" $tags
)

# Builds the programs for these targets, and packs them: build TARGET...
build() {
    local target program
    for target; do compile "$target"; done
    for program in "${programs[@]}"; do
        write_documents "$program" "$folder/documents-$program"
        for target; do
            pack "$program" "$target"
            build_wheel "$program" "$target"
        done
    done
    (
        cd "$archives"
        # macOS has no sha256sum.
        if command -v sha256sum >/dev/null; then sha256sum -- *-*-*.*; else shasum -a 256 -- *-*-*.*; fi >SHA256SUMS
        du -h -- *
    )
}

# The command that runs a program, such as an emulator, and in words where the program runs. `check` sets both.
runner=() where="on this machine"

# Runs a program of the current folder: run_program PROGRAM ARGUMENT...
run_program() { "${runner[@]}" "./$1" "${@:2}"; }

# Fails unless `nqueens` prints this answer: nqueens_prints ANSWER ARGUMENT...
nqueens_prints() {
    local found
    found=$(run_program nqueens "${@:2}") || true
    [ "$found" = "$1" ] || fail "'nqueens ${*:2}' prints '$found' $where, not '$1'"
}

# Fail unless the program in the current folder works. $1 is the C library for which it is built: gnu or musl.
check_nqueens() {
    nqueens_prints 14200 count 12 --quiet --threads 2
    nqueens_prints 365596 count 14 --quiet --solver bitmask --isa portable
    nqueens_prints $'1 3 5 2 4\n1 4 2 5 3' solutions 5 --limit 2 --format columns
    nqueens_prints 2680 count 11 --quiet --dir run
    run_program nqueens verify --max 8 | grep -q 'color (.*agrees' || fail "verify fails $where"
    run_program nqueens info | grep -q "linux-$1" || fail "info fails $where"
    if run_program nqueens bench --out missing/a.json 2>/dev/null; then fail "bench writes into a missing folder $where"; fi
}

check_abgate() {
    run_program abgate --help >/dev/null || fail "abgate does not start $where"
}

# Runs program $1 from the archive and from the wheel for target $2. A musl program runs in an empty root folder,
# without libraries, /proc or /dev. A program for another processor runs in QEMU.
check() (
    program=$1 target=$2 processor=${2%%-*}
    package=$(package_of "$1")
    name=$package-$version-$2
    [ -e "$archives/$name.tar.gz" ] || fail "$name.tar.gz is missing: type 'scripts/release.sh build $1 $2' first"
    mkdir -p "$folder/$name/root"
    tar -xzf "$archives/$name.tar.gz" -C "$folder/$name" --strip-components=1
    cd "$folder/$name/root"
    cp "../$program" .
    if ! "./$program" --version >/dev/null 2>&1; then
        debian=${processor/aarch64/arm64}
        need_programs "qemu-$processor /usr/$processor-linux-gnu/lib/libc.so.6" \
            qemu-user "libc6-${debian/x86_64/amd64}-cross"
        runner=("qemu-$processor" -L "/usr/$processor-linux-gnu") where="in QEMU"
    elif [[ $target = *-musl ]]; then
        runner=(as_root chroot "--userspec=$(id -u):$(id -g)" .) where="in an empty root folder"
    fi
    if [[ $target = *-linux-gnu ]]; then
        newest=$(readelf --version-info "$program" | grep -o 'GLIBC_[[:alnum:]_.]*' | sort -V | tail -n 1) || true
        printf '%s\n' GLIBC_2 "$newest" "GLIBC_$glibc" | sort -VC ||
            fail "$program for $target needs '$newest' instead of GLIBC_$glibc"
    fi
    "check_$program" "${target##*-}"
    if [[ $target = *-musl ]]; then
        need_python maturin==1.16.0
        python -m pip install -q --no-index --no-deps --only-binary :all: --platform "manylinux2014_$processor" \
            --target ../wheel "$archives/${package//-/_}-$version-"*"manylinux2014_$processor"*.whl
        cp "../wheel/bin/$program" .
        "check_$program" "${target##*-}"
    fi
    echo "$name: right answers $where"
)

job=${1:-}
[ $# = 0 ] || shift
programs=(nqueens abgate)
case ${1:-} in nqueens | abgate) programs=("$1") && shift ;; esac
[ $# -gt 0 ] || set -- {x86_64,aarch64}-unknown-linux-{gnu,musl}
case $job in
    build) build "$@" ;;
    check)
        for target; do
            [[ $target = *-linux-* ]] || fail "$target is neither a program nor a target of Linux, as check needs"
        done
        (cd "$archives" && sha256sum --check --quiet SHA256SUMS) ||
            fail "SHA256SUMS does not match the archives: build them again"
        for target; do
            for program in "${programs[@]}"; do check "$program" "$target"; done
        done
        ;;
    # The usage is in the comment at the top of this file.
    *) sed -n '/^#   /s/^#   //p' scripts/release.sh >&2 && exit 2 ;;
esac
