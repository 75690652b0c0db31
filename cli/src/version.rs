//! Which build this is, as its build script noted it.

/// The package's version.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The first twelve digits of the commit it was built from, or `unknown`.
pub(crate) const COMMIT: &str = env!("NQUEENS_COMMIT");

/// Whether anything that changes the program differed from that commit.
pub(crate) const IS_DIRTY: bool = matches!(env!("NQUEENS_DIRTY").as_bytes(), b"true");

/// The `schema` of the JSON that commands print. It rises when a field changes its name or its meaning. Records and
/// plans, which are files, have schemas of their own.
pub(crate) const JSON_SCHEMA: u32 = 2;

/// The target it was compiled for, such as `x86_64-unknown-linux-gnu`.
pub(crate) const TARGET: &str = env!("NQUEENS_TARGET");

/// The compiler it was built with, as `rustc --version` names it.
pub(crate) const RUSTC: &str = env!("NQUEENS_RUSTC");

/// The profile it was built in, such as `release, profile of the repository`. Built from a registry, it lacks that
/// profile: then this is the level of optimisation, such as `release -O3`.
pub(crate) const PROFILE: &str = env!("NQUEENS_PROFILE");

/// Whether it is a build to measure with.
pub(crate) const fn is_release() -> bool {
    matches!(PROFILE.as_bytes(), [b'r', b'e', b'l', b'e', b'a', b's', b'e', ..])
}

/// The flags given to the compiler beside the profile's (RUSTFLAGS). They may name folders of the machine that built
/// it, so that no record repeats them.
pub(crate) const FLAGS: &str = env!("NQUEENS_FLAGS");

/// Version and commit in one line.
pub(crate) const LONG: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("NQUEENS_COMMIT_STATE"), ")");
