#!/usr/bin/env bash
# Guess: a reader of a compressed stream reads the second of two frames too, as `zstd` and `lz4` do for joined files.
# What happens: ruzstd, lz4_flex, Python's `lz4.frame.decompress` and cramjam's brotli return the first frame and no error.
# Version: ruzstd 0.9.1, lz4_flex 0.14.2, zstd 0.14.4 (Rust crates), lz4 4.4.5, cramjam 2.14.0 (PyPI)
set -euo pipefail
cd "$(dirname "$0")/.."
. findings/common.bash

seen=$(python_with lz4==4.4.5 cramjam==2.14.0 <<'PYTHON'
import cramjam
import io
import lz4.frame

first, second = b"2413\n" * 50, b"3142\n" * 70
frames = lz4.frame.compress(first) + lz4.frame.compress(second)
print("lz4.frame.decompress", len(lz4.frame.decompress(frames)))
print("lz4.frame.open", len(lz4.frame.open(io.BytesIO(frames)).read()))
for name in ("gzip", "zstd", "brotli"):
    module = getattr(cramjam, name)
    print("cramjam", name, len(bytes(module.decompress(bytes(module.compress(first)) + bytes(module.compress(second))))))
PYTHON
)
same "lz4.frame.decompress 250 lz4.frame.open 600 cramjam gzip 600 cramjam zstd 600 cramjam brotli 250" "$(xargs <<<"$seen")"

seen=$(rust_with 'ruzstd = "=0.9.1"' 'zstd = "=0.14.4"' 'lz4_flex = "=0.14.2"' <<'RUST'
use std::io::{Read, Write};
fn main() {
    let (first, second) = (b"2413\n".repeat(50), b"3142\n".repeat(70));
    let frames = [zstd::encode_all(&first[..], 1).unwrap(), zstd::encode_all(&second[..], 1).unwrap()].concat();
    let mut read = Vec::new();
    ruzstd::decoding::StreamingDecoder::new(&frames[..]).unwrap().read_to_end(&mut read).unwrap();
    println!("zstd {} ruzstd {}", zstd::decode_all(&frames[..]).unwrap().len(), read.len());
    let frame = |text: &[u8]| {
        let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    };
    let frames = [frame(&first), frame(&second)].concat();
    println!("lz4_flex {}", lz4_flex::frame::FrameDecoder::new(&frames[..]).read_to_end(&mut read).unwrap());
}
RUST
)
same "zstd 600 ruzstd 250 lz4_flex 250" "$(xargs <<<"$seen")"
