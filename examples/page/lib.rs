//! The library in a web page: what `index.html` beside it calls, without any glue. README.md says how to build it.
#![expect(
    unsafe_code,
    reason = "a name that JavaScript finds could be another function's, too; this one is the only one"
)]

/// How many solutions there are for n, or -1 where that is no size that can be counted. It counts on the page's own
/// thread; JavaScript sees the number as a BigInt.
#[unsafe(no_mangle)]
pub extern "C" fn count(n: u32) -> i64 {
    let solutions = nqueens::count(n as usize).ok();
    solutions.and_then(|solutions| i64::try_from(solutions).ok()).unwrap_or(-1)
}
