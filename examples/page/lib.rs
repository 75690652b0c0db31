//! The library in a web page: `index.html` starts `worker.js`, which calls these functions. `scripts/page.sh` builds
//! the page.
#![expect(
    unsafe_code,
    reason = "an exported name must not be the name of another function; these are the only exported names"
)]

use nqueens::{Counter, Progress};

#[cfg(target_family = "wasm")]
#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Shows which share of the count is complete, from 0 to 1.
    safe fn show_progress(fraction: f64);
}

/// Does nothing on other machines, for which Cargo builds the examples too.
#[cfg(not(target_family = "wasm"))]
fn show_progress(_: f64) {}

/// Returns whether this build uses vector instructions, as 1 or 0, which JavaScript treats as a boolean.
#[unsafe(no_mangle)]
pub extern "C" fn has_simd() -> u32 {
    u32::from(cfg!(target_feature = "simd128"))
}

/// Counts the solutions for n on the calling thread, and returns their number, or -1 if n is not a size that can be
/// counted. n is an `f64`, because JavaScript would turn -1 or 8.5 into a valid `u32`. There, the result is a BigInt.
#[unsafe(no_mangle)]
pub extern "C" fn count(n: f64) -> i64 {
    let size = n as usize;
    let solutions = if size as f64 == n { solutions(size).ok() } else { None };
    solutions.and_then(|solutions| i64::try_from(solutions).ok()).unwrap_or(-1)
}

fn solutions(n: usize) -> nqueens::Result<u128> {
    let progress = Progress::calling(|snapshot| show_progress(snapshot.fraction));
    Counter::new(n)?.threads(1).progress(&progress).run().map(|outcome| outcome.solutions)
}
