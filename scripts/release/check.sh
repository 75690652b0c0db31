#!/usr/bin/env bash
# Runs a static program in an empty root folder, and compares its answers with those of the usual build outside. The folder
# has no file but the program: no library, no /proc, no /dev.
#
# usage: scripts/release/check.sh USUAL STATIC [EMULATOR]
#
# With an emulator (which is not in that folder) the program runs outside of it; static it has to be all the same, as
# the emulator is not told where any library is. Exit status 77 where nobody may change the root folder.
set -euo pipefail

usual=$(realpath "$1") static=$(realpath "$2") emulator=${3:-}
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir "$root/usual" "$root/static"
cp "$static" "$root/static/nqueens"
# Both under one name: messages tell it.
cp "$usual" "$root/usual/nqueens"

enter=()
if [ -n "$emulator" ]; then
    alone() { (cd "$root/static" && "$emulator" ./nqueens "$@"); }
    where="emulated by $(basename "$emulator")"
else
    # The first of these that this user may do, tried with the folders as they are: a program that does not start in the
    # empty one is what is looked for, and no reason to skip.
    if chroot / true 2>/dev/null; then
        enter=(chroot "$root/static")
    elif unshare --user --map-root-user chroot / true 2>/dev/null; then
        enter=(unshare --user --map-root-user chroot "$root/static")
    elif bwrap --unshare-user --bind / / true 2>/dev/null; then
        enter=(bwrap --unshare-user --bind "$root/static" /)
    elif sudo -n chroot / true 2>/dev/null; then
        enter=(sudo -n chroot "$root/static")
    else
        echo "skipped: this user may not change the root folder, neither by chroot nor by unshare, bwrap or sudo" >&2
        exit 77
    fi
    alone() { "${enter[@]}" /nqueens "$@"; }
    where="in an empty root folder, by ${enter[0]}"
fi

# Both are asked the same; standard output and exit status must be the same, and errors word for word.
same() {
    local expected=0 found=0
    (cd "$root/usual" && ./nqueens "$@") >"$root/expected" 2>"$root/expected.err" || expected=$?
    alone "$@" >"$root/found" 2>"$root/found.err" || found=$?
    if [ "$expected" != "$found" ] || ! diff "$root/expected" "$root/found" ||
        { [ "$expected" != 0 ] && ! diff "$root/expected.err" "$root/found.err"; }; then
        echo "error: '$*' ends with $found $where, with $expected in the usual build" >&2
        cat "$root/found.err" >&2
        exit 1
    fi
    checks=$((checks + 1))
}
checks=0

same count 12 --quiet --threads 2
same count 4 8..=14 --quiet
same count 14 --quiet --solver bitmask --isa portable
same count 12 --classes --quiet
same solutions 8 --format svg
same solutions 6 --format json
same check --help
same count 11 --quiet --dir ledger
# Wrong input and impossible files.
same count 33
same count eight
same solutions 8 --out /nowhere/boards.txt
same bench compare nothing.json

# Times and this machine are in these, so only the status and what they begin with can be told.
alone verify --max 8 >"$root/verify" 2>&1 || { cat "$root/verify" >&2; echo "error: verify fails $where" >&2; exit 1; }
alone info >"$root/info" 2>&1 || { cat "$root/info" >&2; echo "error: info fails $where" >&2; exit 1; }
grep -q '^color (.*agrees' "$root/verify"
grep -q 'linux-musl' "$root/info"
echo "the static program answers $where as the usual build does ($checks commands, verify and info)"
