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

# Rust's standard library for a target.
need_library() {
    local target=$1
    has_library() { [ -d "$(rustc --print target-libdir --target "$target" 2>/dev/null | tr -d '\r')" ]; }
    # Where there is no network rustup tries for long, and macOS has no `timeout`.
    patiently() { if command -v timeout >/dev/null; then timeout 300 "$@"; else "$@"; fi; }
    has_library || { may_install && patiently rustup target add "$target" && has_library; } ||
        lack "Rust's standard library for $target is missing: 'rustup target add $target', or set INSTALL=1"
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
