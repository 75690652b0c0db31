# shellcheck shell=bash
# Functions that all scripts share: they end a script that lacks something. They install what is missing only if CI or
# INSTALL is set, as in `INSTALL=1 scripts/slow.sh arm`. Source this file in the project's folder.

# Says what is wrong. Exits with status 1.
fail() { printf 'error: %s\n' "$1" >&2; exit 1; }

may_install() { [ -n "${CI:-}${INSTALL:-}" ]; }
has_library() { [ -d "$(rustc --print target-libdir --target "$1" 2>/dev/null | tr -d '\r')" ]; }

# Installs Rust's standard library for a target by rustup.
install_library() {
    may_install && rustup target add "$1" && has_library "$1"
}

# Rust's standard library for a target.
need_library() {
    has_library "$1" || install_library "$1" ||
        fail "Rust's standard library for $1 is missing: 'rustup target add $1', or set INSTALL=1"
}

# The same. Where rustup cannot install it, cargo compiles it with each program: Debian has a compiler with the sources of its
# library, which is unpacked into the target folder.
need_library_or_sources() {
    local root=${CARGO_TARGET_DIR:-$PWD/target}/debian-rust package
    has_library "$1" && return
    if [ ! -e "$root/usr/bin/rustc" ]; then
        if install_library "$1"; then return; fi
        mkdir -p "$root/packages/partial"
        install_packages --download-only -o Dir::Cache::archives="$root/packages" rustc-web libstd-rust-web-dev rust-web-src ||
            need_library "$1"
        for package in "$root"/packages/*.deb; do dpkg -x "$package" "$root"; done
    fi
    export RUSTC=$root/usr/bin/rustc RUSTC_BOOTSTRAP=1 LD_LIBRARY_PATH=$root/usr/lib/x86_64-linux-gnu
    export CARGO_UNSTABLE_BUILD_STD=std,panic_abort,panic_unwind,test
}

# A command as root: by sudo, where that asks for no password.
as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

# Installs Debian's packages, or downloads them.
install_packages() {
    may_install && as_root apt-get update -q && as_root apt-get install -y -q --no-install-recommends "$@"
}

# Programs, from Debian's packages: need_programs 'PROGRAM...' PACKAGE...
need_programs() {
    # shellcheck disable=SC2086 # They are several words.
    has_programs() { type -- $1 >/dev/null 2>&1; }
    has_programs "$1" || { install_packages "${@:2}" && has_programs "$1"; } ||
        fail "of $1 something is missing: install Debian's packages ${*:2}, or set INSTALL=1"
}

# Programs of Python packages, which it installs in the target folder: need_python PACKAGE==VERSION...
need_python() {
    local folder=${CARGO_TARGET_DIR:-$PWD/target}/python python
    # Windows has the other name.
    PATH=$folder/bin:$folder/Scripts:$PATH
    python=$(command -v python3 || command -v python) || fail 'there is no python3: install it first'
    # Without an index, pip succeeds only if all of them are there.
    has_packages() { [ -d "$folder" ] && python -m pip install -q --no-index "$@" 2>/dev/null; }
    install_them() { may_install && "$python" -m venv "$folder" && hash -r && python -m pip install -q "$@"; }
    has_packages "$@" || install_them "$@" || fail "set INSTALL=1 to install $*: it needs pip and Debian's package python3-venv"
}

# Chromium: what CHROMIUM names, or one of its names on the path.
need_browser() {
    [ -n "${CHROMIUM:-}" ] || command -v chromium-browser google-chrome >/dev/null || need_programs chromium chromium
}
