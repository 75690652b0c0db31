# shellcheck shell=bash
# What all scripts share, above all functions that make sure that a script has the programs it needs. If CI or INSTALL
# is set, as in `INSTALL=1 scripts/slow.sh arm`, they install a missing program; otherwise they end the script. Source
# this file in the root of the project.

# Cargo's target folder, as an absolute path.
mkdir -p "${CARGO_TARGET_DIR:-target}"
built=$(cd "${CARGO_TARGET_DIR:-target}" && pwd)

# Prints an error and ends the script with status 1.
fail() { printf 'error: %s\n' "$1" >&2; exit 1; }

# Prints the version of the packages, which all have the same.
package_version() { sed -n '/^version = "\(.*\)".*/{s//\1/p;q;}' Cargo.toml; }

may_install() { [ -n "${CI:-}${INSTALL:-}" ]; }
has_library() { [ -d "$(rustc --print target-libdir --target "$1" 2>/dev/null | tr -d '\r')" ]; }

# Installs Rust's standard library for a target by rustup.
install_library() {
    may_install && rustup target add "$1" && has_library "$1"
}

# Requires Rust's standard library for a target.
need_library() {
    has_library "$1" || install_library "$1" ||
        fail "Rust's standard library for $1 is missing: type 'rustup target add $1' or set INSTALL=1"
}

# Requires Rust's standard library for a target, or its sources. Where rustup cannot install the library, cargo compiles
# it together with each program: Debian's compiler and sources are unpacked into the target folder.
need_library_or_sources() {
    local root=$built/debian-rust package
    has_library "$1" && return
    if [ ! -e "$root/usr/bin/rustc" ]; then
        if install_library "$1"; then return; fi
        mkdir -p "$root/packages/partial"
        install_packages --download-only -o Dir::Cache::archives="$root/packages" \
            rustc-web libstd-rust-web-dev rust-web-src || need_library "$1"
        for package in "$root"/packages/*.deb; do dpkg -x "$package" "$root"; done
    fi
    export RUSTC=$root/usr/bin/rustc RUSTC_BOOTSTRAP=1 LD_LIBRARY_PATH=$root/usr/lib/x86_64-linux-gnu
    export CARGO_UNSTABLE_BUILD_STD=std,panic_abort,panic_unwind,test
}

# Runs a command as root, if need be by a sudo that asks for no password.
as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

# Installs packages of Debian, or downloads them with --download-only.
install_packages() {
    may_install || return
    # One script updates the lists once.
    [ -n "${are_lists_new:-}" ] || as_root apt-get update -q || return
    are_lists_new=1
    as_root apt-get install -y -q --no-install-recommends "$@"
}

# shellcheck disable=SC2086 # The programs are several words.
has_programs() { type -- $1 >/dev/null 2>&1; }

# Requires programs, which packages of Debian contain: need_programs 'PROGRAM...' PACKAGE...
need_programs() {
    has_programs "$1" || { install_packages "${@:2}" && has_programs "$1"; } ||
        fail "not all of these are installed: $1. Install Debian's packages ${*:2}, or set INSTALL=1"
}

# Requires programs of Python packages, which are installed in the target folder: need_python PACKAGE==VERSION...
need_python() {
    local folder=$built/python python
    # On Windows, the folder of the programs is called Scripts.
    PATH=$folder/bin:$folder/Scripts:$PATH
    python=$(command -v python3 || command -v python) || fail 'there is no python3: install it first'
    # Without an index, pip succeeds only if all packages are installed.
    { [ -d "$folder" ] && python -m pip install -q --no-index "$@" 2>/dev/null; } ||
        { may_install && "$python" -m venv "$folder" && hash -r && python -m pip install -q "$@"; } ||
        fail "$* is missing: set INSTALL=1 to install it, which needs pip and Debian's package python3-venv"
}

# Requires Chromium: the program that the variable CHROMIUM names, or one of the usual names in PATH.
need_browser() {
    [ -n "${CHROMIUM:-}" ] || command -v chromium-browser google-chrome >/dev/null || need_programs chromium chromium
}
