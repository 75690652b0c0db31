# Functions that check what a script needs, and install it if possible. Source this file.

# Says what is missing and exits with 77: it cannot be installed here, and .ci/run goes on.
lack() {
    printf '%s\n' "$1" >&2
    exit 77
}

# Rust's standard library for a target.
need_library() {
    local target=$1
    has_library() { [ -d "$(rustc --print target-libdir --target "$target" 2>/dev/null | tr -d '\r')" ]; }
    # Where there is no network rustup tries for long, and macOS has no `timeout`.
    patiently() { if command -v timeout >/dev/null; then timeout 300 "$@"; else "$@"; fi; }
    has_library || { command -v rustup >/dev/null && patiently rustup target add "$target" && has_library; } ||
        lack "Rust's standard library for $target is not installed, and rustup cannot add it"
}

# A command as root: by sudo, where that asks for no password.
as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

# Programs, from Debian's packages: need_programs 'PROGRAM...' PACKAGE...
need_programs() {
    local programs=$1
    shift
    # Not quoted: these are several names.
    has_programs() { [ "$(command -v $programs | wc -l)" -eq "$(wc -w <<<"$programs")" ]; }
    has_programs ||
        { command -v apt-get >/dev/null && as_root apt-get update -q &&
            as_root apt-get install -y -q --no-install-recommends "$@" && has_programs; } ||
        lack "of $programs something is missing: install Debian's packages $*"
}
