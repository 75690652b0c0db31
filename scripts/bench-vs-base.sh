#!/usr/bin/env bash
# Finds out whether a revision is slower than the one it is based on. Builds both in worktrees in a temporary folder, and
# runs 'nqueens bench gate' on them.
#
# usage: scripts/bench-vs-base.sh [--base REVISION] [--head REVISION] [options of 'nqueens bench gate' ...]
#
#   --base REVISION   revision to compare with. Default: where HEAD branched off main
#   --head REVISION   revision to judge. Default: HEAD. Changes that are not committed are not measured.
#
# Exit status as for 'nqueens bench gate': 0 not slower, 4 slower, 5 too noisy to tell, 6 other work, 3 wrong count,
# 1 could not be done, 2 wrong command line. Builds with 'cargo build --release --locked'; set CARGO_BUILD_FLAGS to build otherwise.
set -euo pipefail

fail() { printf 'error: %s\n' "$1" >&2; exit "${2:-1}"; }

base='' head=HEAD
options=()
while [ $# -gt 0 ]; do
    case $1 in
        --base|--head)
            [ $# -ge 2 ] || fail "$1 wants a revision, such as main or HEAD~1" 2
            if [ "$1" = --base ]; then base=$2; else head=$2; fi
            shift 2 ;;
        -h|--help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
        *) options+=("$1"); shift ;;
    esac
done

root=$(git -C "$(dirname "$0")" rev-parse --show-toplevel) || fail 'this is not a git checkout: run it in a clone'
cd "$root"
commit() { git rev-parse --quiet --verify "$1^{commit}" || fail "there is no revision '$1': give a branch, a tag or a commit" 2; }
head=$(commit "$head")
if [ -z "$base" ]; then
    for main in origin/main main; do
        git rev-parse --quiet --verify "$main^{commit}" >/dev/null && base=$(git merge-base "$main" "$head") && break
    done
    [ -n "$base" ] || fail "there is no branch main to compare against: give --base REVISION" 2
fi
base=$(commit "$base")
[ "$base" != "$head" ] || fail "base and head are both ${head:0:12}: commit the change first, or give --base REVISION" 2

folder=$(mktemp -d)
clean() {
    for side in base head; do
        git worktree remove --force "$folder/$side" 2>/dev/null || true
    done
    rm -rf "$folder"
    git worktree prune
}
trap clean EXIT

# The same length of path for both: it is compiled in.
for side in base head; do
    git worktree add --quiet --detach "$folder/$side" "${!side}"
    printf 'building %s, %s\n' "$side" "$(git log -1 --format='%h %s' "${!side}")" >&2
    # shellcheck disable=SC2086  # several flags in one variable
    (cd "$folder/$side" && CARGO_TARGET_DIR=$folder/$side/target cargo build --release --locked --quiet ${CARGO_BUILD_FLAGS:-}) \
        || fail "$side does not build"
done

status=0
"$folder/head/target/release/nqueens" bench gate \
    --base "$folder/base/target/release/nqueens" --head "$folder/head/target/release/nqueens" \
    ${options[@]+"${options[@]}"} || status=$?
exit "$status"
