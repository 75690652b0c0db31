//! Which instruction sets the tests try.

use std::io::Write;
use std::sync::Once;

use nqueens::solver::Isa;

/// Those of `sets` that this machine has. The others are named once, where nothing captures it: what was skipped was not
/// tested.
pub(crate) fn available(sets: &[Isa]) -> Vec<Isa> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let missing: Vec<&str> = Isa::ALL.iter().filter(|isa| !isa.is_available()).map(|isa| isa.name()).collect();
        if !missing.is_empty() {
            let line = format!("skipped, because this machine lacks them: {}\n", missing.join(", "));
            // A test run without a standard error has nobody to tell.
            let _ = std::io::stderr().write_all(line.as_bytes());
        }
    });
    sets.iter().copied().filter(|isa| isa.is_available()).collect()
}
