//! Errors of runs. Each message names the file at fault and says what to do.

use std::io;
use std::path::{Path, PathBuf};

/// An error of a run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A file or folder cannot be read. `reason` is part of the message, and so not a source.
    #[error("cannot read {}: {reason}", file.display())]
    Read { file: PathBuf, reason: io::Error },
    /// A file or folder cannot be written. `reason` is part of the message, and so not a source.
    #[error("cannot write {}: {reason}; what was finished before is kept", file.display())]
    Write { file: PathBuf, reason: io::Error },
    /// The folder has no plan.
    #[error(
        "there is no run in {0}: it has no plan.json; make one with 'nqueens run plan N --dir {0}'", folder.display()
    )]
    NoPlan { folder: PathBuf },
    /// The file of the plan is damaged.
    #[error(
        "the plan {} is damaged: {problem}; copy it from another folder of this run, or make it again in a new folder \
         with the same 'nqueens run plan' command",
        file.display()
    )]
    PlanDamaged { file: PathBuf, problem: String },
    /// The folder has another plan.
    #[error(
        "{} already has a plan for {found}: choose another folder for {wanted}", folder.display()
    )]
    OtherPlan { folder: PathBuf, found: String, wanted: String },
    /// A folder is of another run than the first one.
    #[error("{} and {} are of different runs: {found}, and {wanted}", folder.display(), first.display())]
    Foreign { folder: PathBuf, found: String, first: PathBuf, wanted: String },
    /// The folder or file `of` is from a program that cuts the count into other units: version or fingerprint differ.
    #[error(
        "{} is of another version of nqueens, which cuts n = {size} with {solver} into other units (plan version \
         {version}, fingerprint {planned}; here {version_here}, {here}): use that version, or start another \
         run",
        of.display()
    )]
    Cut { of: PathBuf, size: usize, solver: String, version: u32, planned: String, version_here: u32, here: String },
    /// The folder or file `of` has this program's fingerprint, but other units. `here` has this program's number of
    /// units and divisor.
    #[error(
        "{} was changed or damaged: it has units {units}, divisor {divisor}, and n = {size} with {solver} has units {}, \
         divisor {}; get a new copy from its author",
        of.display(), here.0, here.1
    )]
    Forged { of: PathBuf, size: usize, solver: String, units: usize, divisor: u64, here: (usize, u64) },
    /// A number of shards that the plan cannot have.
    #[error("cannot cut {units} units of work into {given} shards: give a number from 1 to {units}")]
    Shards { given: usize, units: usize },
    /// A shard that the plan does not have.
    #[error("there is no shard {shard}: this run has {shards}, numbered from 0 to {}", shards - 1)]
    Shard { shard: usize, shards: usize },
    /// Two counts of a shard differ.
    #[error(
        "shard {shard} was counted twice with different results ({}, and now): {problem}; one of the machines counts \
         wrong: run 'nqueens verify' on both",
        file.display()
    )]
    Disagree { shard: usize, file: PathBuf, problem: String },
    /// A published result that cannot be used.
    #[error("{} is not a result that can be checked: {problem}", file.display())]
    NotAResult { file: PathBuf, problem: String },
    /// An error of the library.
    #[error(transparent)]
    Count(#[from] nqueens::Error),
}

/// The result type of this module.
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// Makes an error of reading this file.
pub(crate) fn cannot_read(file: &Path) -> impl FnOnce(io::Error) -> Error {
    move |reason| Error::Read { file: file.to_owned(), reason }
}

/// Makes an error of writing this file.
pub(crate) fn cannot_write(file: &Path) -> impl FnOnce(io::Error) -> Error {
    move |reason| Error::Write { file: file.to_owned(), reason }
}
