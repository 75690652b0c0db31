//! The library in a web page. `index.html` calls it directly. README.md says how to build it.
#![expect(
    unsafe_code,
    reason = "a name that JavaScript finds could be another function's, too; this one is the only one"
)]

/// Returns the number of solutions for n, or -1 if n is not a size that can be counted. It runs on the page's thread.
/// JavaScript gets a BigInt.
#[unsafe(no_mangle)]
pub extern "C" fn count(n: u32) -> i64 {
    let solutions = nqueens::count(n as usize).ok();
    solutions.and_then(|solutions| i64::try_from(solutions).ok()).unwrap_or(-1)
}
