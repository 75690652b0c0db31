#!/usr/bin/env bash
# Guess: a progress bar that starts at 50 of 100, then takes a second a step, says after 3 steps that 47 seconds are left.
# What happens: indicatif and progressbar2 say 2 seconds: they time the steps that were there. enlighten says 97: it forgets them.
# Version: indicatif 0.18.6 (Rust crate), progressbar2 4.6.0, enlighten 1.14.1 (PyPI)
set -euo pipefail
cd "$(dirname "$0")/.."
. findings/common.bash

seen=$(python_with progressbar2==4.6.0 enlighten==1.14.1 <<'PYTHON'
import enlighten
import io
import progressbar
import re
import time

screen = io.StringIO()
bar = progressbar.ProgressBar(max_value=100, initial_value=50, fd=screen, is_terminal=True, widgets=[progressbar.ETA()]).start()
counter = enlighten.Counter(total=100, count=50, stream=io.StringIO(), bar_format="{eta}")
for step in range(51, 54):
    time.sleep(1)
    bar.update(step, force=True)
    counter.update()
print("progressbar2", int(re.findall(r"ETA: +0:00:(\d\d)", screen.getvalue())[-1]) < 5)
minutes, seconds = counter.format(width=60).strip().split(":")
print("enlighten", 90 < 60 * int(minutes) + int(seconds) < 105)
PYTHON
)
same "progressbar2 True enlighten True" "$(xargs <<<"$seen")"

seen=$(rust_with 'indicatif = "=0.18.6"' <<'RUST'
fn main() {
    let bar = indicatif::ProgressBar::hidden();
    bar.set_length(100);
    let bar = bar.with_position(50);
    for _ in 0..3 {
        std::thread::sleep(std::time::Duration::from_secs(1));
        bar.inc(1);
    }
    println!("indicatif {}", bar.eta().as_secs() < 5);
}
RUST
)
same "indicatif true" "$seen"
