//! Which build is measured, as its build script noted it.

use super::record::ProgramFacts;
use crate::version;
use nqueens::solver::Isa;

/// This program; `isa` is the instruction set asked for, if any was.
pub(crate) fn facts(isa: Option<Isa>) -> ProgramFacts {
    ProgramFacts {
        version: version::VERSION.to_owned(),
        commit: version::COMMIT.to_owned(),
        dirty: version::IS_DIRTY,
        rustc: version::RUSTC.to_owned(),
        target: version::TARGET.to_owned(),
        flags: flags(version::PROFILE, version::FLAGS),
        isa: isa.map_or("auto", Isa::name).to_owned(),
    }
}

/// What a record says of the flags: the profile, and whether the compiler was given others beside it. What these are stays
/// on the machine, because they may name its folders.
fn flags(profile: &str, others: &str) -> String {
    if others.is_empty() { profile.to_owned() } else { format!("{profile}, with RUSTFLAGS") }
}

#[cfg(test)]
mod tests {
    #[test]
    fn flags_that_may_name_folders_stay_here() {
        assert_eq!(super::flags("release -O3", ""), "release -O3");
        let flags = super::flags("release -O3", "-L /home/somebody/lib");
        assert_eq!(flags, "release -O3, with RUSTFLAGS");
    }
}
