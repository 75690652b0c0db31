//! The build of this program, as its build script recorded it.

/// The package's version.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The first twelve digits of the commit that the program was built from, or `unknown`.
pub(crate) const COMMIT: &str = env!("NQUEENS_COMMIT");

/// The commit, and `, modified` if the program was built from changes that were not in it.
pub(crate) const COMMIT_STATE: &str = concat!(env!("NQUEENS_COMMIT"), env!("NQUEENS_CHANGES"));

/// Whether the program was built from changes that were not in that commit.
pub(crate) const IS_DIRTY: bool = !env!("NQUEENS_CHANGES").is_empty();

/// The `schema` of the JSON that commands print, which rises when a field changes its name or its meaning. Records and
/// plans have schemas of their own.
pub(crate) const JSON_SCHEMA: u32 = 1;

/// The target that the program was compiled for, such as `x86_64-unknown-linux-gnu`.
pub(crate) const TARGET: &str = env!("NQUEENS_TARGET");

/// The compiler, as `rustc --version` names it.
pub(crate) const RUSTC: &str = env!("NQUEENS_RUSTC");

/// The profile, such as `release, profile of the repository`. A build from a registry lacks the repository's profile
/// and names its optimization level instead, such as `release -O3`.
pub(crate) const PROFILE: &str = env!("NQUEENS_PROFILE");

/// Whether this is a release build. Only such a build is worth measuring.
pub(crate) const IS_RELEASE: bool = matches!(env!("NQUEENS_IS_RELEASE").as_bytes(), b"true");

/// The flags that the user gave the compiler (RUSTFLAGS). No record repeats them, because they may name folders of the
/// machine that built the program.
pub(crate) const FLAGS: &str = env!("NQUEENS_FLAGS");

/// The version and the commit in one line.
pub(crate) const LONG: &str =
    concat!(env!("CARGO_PKG_VERSION"), " (", env!("NQUEENS_COMMIT"), env!("NQUEENS_CHANGES"), ")");
