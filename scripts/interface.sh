#!/usr/bin/env bash
# Whether users of the library, without the command line, would notice a change against a revision: what is public and
# is gone or other than it was fails, unless Cargo.toml has a new version that allows it.
#
#   scripts/interface.sh REVISION [OPTIONS of cargo semver-checks...]
#
# It takes cargo-semver-checks: cargo install --locked cargo-semver-checks.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -ge 1 ] || {
    sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
base=$(git merge-base "$1" HEAD)
shift
cargo semver-checks --baseline-rev "$base" --only-explicit-features --features serde "$@"
