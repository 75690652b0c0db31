//! Compares every operation of [`Words`](super::Words) with its definition, for every instruction set of this machine.

mod words;

use super::Isa;

/// The instruction sets of this machine. The others are not tested, so their names go to standard error once.
pub(crate) fn available() -> impl Iterator<Item = Isa> {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let missing: Vec<&str> = Isa::ALL.iter().filter(|isa| !isa.is_available()).map(|isa| isa.name()).collect();
        if !missing.is_empty() {
            let line = format!("skipped, because this machine lacks them: {}\n", missing.join(", "));
            // A test run without a standard error has nobody to tell.
            let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
        }
    });
    Isa::available().into_iter()
}
