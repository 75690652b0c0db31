# shellcheck shell=bash
# Functions that check what a script needs. They install what is missing only if CI or INSTALL is set, as in
# `INSTALL=1 scripts/slow.sh arm`. Source this file.

# Says what is missing, and that it cannot be installed here. Exits with 77: this part is skipped. In CI that is an error.
lack() {
    printf '%s\n' "$1" >&2
    [ -z "${CI:-}" ] || exit 1
    exit 77
}

may_install() { [ -n "${CI:-}${INSTALL:-}" ]; }

has_library() { [ -d "$(rustc --print target-libdir --target "$1" 2>/dev/null | tr -d '\r')" ]; }

# Installs Rust's standard library for a target by rustup.
install_library() {
    # Where there is no network rustup tries for long, and macOS has no `timeout`.
    patiently() { if command -v timeout >/dev/null; then timeout 100 "$@"; else "$@"; fi; }
    may_install && patiently rustup target add "$1" && has_library "$1"
}

# Rust's standard library for a target.
need_library() {
    has_library "$1" || install_library "$1" ||
        lack "Rust's standard library for $1 is missing: 'rustup target add $1', or set INSTALL=1"
}

# The same. Where rustup cannot install it, cargo compiles it with each program: Debian has a compiler with the sources of its
# library, which is unpacked into the target folder.
need_library_or_sources() {
    local root=${CARGO_TARGET_DIR:-$PWD/target}/debian-rust package
    has_library "$1" && return
    if [ ! -e "$root/usr/bin/rustc" ]; then
        if install_library "$1"; then return; fi
        may_install || need_library "$1"
        mkdir -p "$root/packages/partial"
        as_root apt-get update -q
        as_root apt-get install -y -q --no-install-recommends --download-only -o Dir::Cache::archives="$root/packages" \
            rustc-web libstd-rust-web-dev rust-web-src || need_library "$1"
        for package in "$root"/packages/*.deb; do dpkg -x "$package" "$root"; done
    fi
    export RUSTC=$root/usr/bin/rustc RUSTC_BOOTSTRAP=1 LD_LIBRARY_PATH=$root/usr/lib/x86_64-linux-gnu
    export CARGO_UNSTABLE_BUILD_STD=std,panic_abort,panic_unwind,test
}

# A command as root: by sudo, where that asks for no password.
as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

# Programs, from Debian's packages: need_programs 'PROGRAM...' PACKAGE...
need_programs() {
    local programs
    read -r -a programs <<<"$1"
    shift
    has_programs() { [ "$(command -v "${programs[@]}" | wc -l)" -eq "${#programs[@]}" ]; }
    has_programs ||
        { may_install && as_root apt-get update -q && as_root apt-get install -y -q --no-install-recommends "$@" &&
            has_programs; } ||
        lack "of ${programs[*]} something is missing: install Debian's packages $*, or set INSTALL=1"
}

# Chromium: what CHROMIUM names, or one of its names on the path.
need_browser() {
    [ -n "${CHROMIUM:-}" ] || command -v chromium-browser google-chrome >/dev/null || need_programs chromium chromium
}
