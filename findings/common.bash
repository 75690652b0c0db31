# shellcheck shell=bash
# What the scripts of this folder share: a temporary folder, packages in it, and the comparison with what was seen.
# Prints the script's own head: guess, what happens, versions.
sed -n '2,/^set /s/^# //p' "findings/${0##*/}"
echo

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit
unset CARGO_TARGET_DIR RUSTFLAGS RUSTUP_TOOLCHAIN
export CARGO_RESOLVER_INCOMPATIBLE_RUST_VERSIONS=fallback

# Installs packages of PyPI (NAME==VERSION) and runs the Python program on standard input with them.
python_with() {
    python3 -m venv python
    python/bin/pip install --quiet --disable-pip-version-check "$@"
    python/bin/python -
}

# Runs the Rust program on standard input. Each argument is a line of [dependencies].
rust_with() {
    mkdir -p rust/src
    { printf '[package]\nname = "finding"\nedition = "2021"\n[dependencies]\n'; printf '%s\n' "$@"; } >rust/Cargo.toml
    cat >rust/src/main.rs
    cargo run --quiet --manifest-path rust/Cargo.toml
}

# Unpacks packages of Debian 12 (NAME=VERSION) below `debian` and finds their programs and libraries.
debian_with() {
    apt-get download --quiet --quiet "$@" 2>/dev/null || { echo "needs the packages of Debian 12: $*" >&2; exit 2; }
    for package in ./*.deb; do dpkg -x "$package" debian; done
    export PATH=$folder/debian/usr/bin:$PATH LD_LIBRARY_PATH=$folder/debian/usr/lib/x86_64-linux-gnu
}

# same EXPECTED SEEN: prints what was seen now, and fails if it is not what was seen first.
same() {
    printf '%s\n' "$2"
    [ "$1" = "$2" ] || { printf 'This changed. It was:\n%s\n' "$1" >&2; exit 1; }
}
