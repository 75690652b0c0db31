//! Which build is measured, as its build script noted it.

use super::record::Program;
use crate::solver::Isa;
use crate::version;

/// This program; `isa` is the instruction set asked for, if any was.
#[must_use]
pub(super) fn facts(isa: Option<Isa>) -> Program {
    Program {
        version: version::VERSION.to_owned(),
        commit: version::COMMIT.to_owned(),
        dirty: version::IS_DIRTY,
        rustc: version::RUSTC.to_owned(),
        target: version::TARGET.to_owned(),
        flags: version::FLAGS.to_owned(),
        isa: isa.map_or("auto", Isa::name).to_owned(),
    }
}
