//! The library in a web page. `worker.js` calls it, and `index.html` shows it. README.md says how to build the page.
#![expect(
    unsafe_code,
    reason = "a name that JavaScript finds could be another function's, too; these are the only ones"
)]

use nqueens::{Counter, Progress};

#[cfg(target_family = "wasm")]
#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Shows how much of the count is done, from 0 to 1.
    safe fn show_progress(fraction: f64);
}

/// Cargo builds the examples for other machines, too.
#[cfg(not(target_family = "wasm"))]
fn show_progress(_: f64) {}

/// Whether this build uses vector instructions, as a number that JavaScript takes as a boolean.
#[unsafe(no_mangle)]
pub extern "C" fn has_simd() -> u32 {
    u32::from(cfg!(target_feature = "simd128"))
}

/// Returns the number of solutions for n, or -1 if n is not a size that can be counted. It runs on the thread that
/// calls it. JavaScript's numbers are `f64`: it would change them to make a `u32`. JavaScript gets a BigInt.
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
