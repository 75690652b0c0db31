//! What can be wrong with a run. Every message names the file at fault and says what to do.

use std::io;
use std::path::{Path, PathBuf};

/// What can go wrong with the folder of a run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A file or folder cannot be read.
    #[error("cannot read {}: {reason}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What the system said: part of the message, and so no source of this error.
        reason: io::Error,
    },
    /// A file or folder cannot be written.
    #[error("cannot write {}: {reason}; what was finished before is kept", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// What the system said: part of the message, and so no source of this error.
        reason: io::Error,
    },
    /// There is no plan in the folder.
    #[error("there is no run in {}: it has no plan.json; make one with 'nqueens run plan N --dir {}'", folder.display(), folder.display())]
    NoPlan {
        /// The folder.
        folder: PathBuf,
    },
    /// The plan's file is damaged.
    #[error(
        "{} is no whole plan: {problem}; copy it from another folder of this run, or make it again with the same 'nqueens run plan' elsewhere", file.display()
    )]
    PlanDamaged {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The folder has a plan already, another one.
    #[error("{} already has a plan, for {found}, and would get one for {wanted}: choose another folder", folder.display())]
    OtherPlan {
        /// The folder.
        folder: PathBuf,
        /// What is there, in words.
        found: String,
        /// What was asked for.
        wanted: String,
    },
    /// A folder that is to be merged is of another run.
    #[error(
        "{} is of another run than {}: it has {found}, and not {wanted}", folder.display(), first.display()
    )]
    Foreign {
        /// The folder.
        folder: PathBuf,
        /// What it has, in words.
        found: String,
        /// The folder that came first.
        first: PathBuf,
        /// What that has.
        wanted: String,
    },
    /// The plan or result was made by a program that cuts the count in another way.
    #[error(
        "{} is of a nqueens that cuts n = {size} with {solver} in another way (plan version {version}, fingerprint {planned}; here {}, {here}): use the nqueens that made it, or begin another run", of.display(), super::PLAN_VERSION
    )]
    Cut {
        /// The folder of a run, or the file of a result.
        of: PathBuf,
        /// The size.
        size: usize,
        /// The solver.
        solver: String,
        /// The version of the plan.
        version: u32,
        /// The fingerprint of the plan.
        planned: String,
        /// The fingerprint here.
        here: String,
    },
    /// The plan or result has the fingerprint of this program's units, and other units.
    #[error(
        "{} was changed or damaged: it has units {units}, divisor {divisor}, and n = {size} with {solver} has units {}, divisor {}; get it anew from whoever made it", of.display(), here.0, here.1
    )]
    Forged {
        /// The folder of a run, or the file of a result.
        of: PathBuf,
        /// The size.
        size: usize,
        /// The solver.
        solver: String,
        /// Units of work that it claims.
        units: usize,
        /// The divisor that it claims.
        divisor: u64,
        /// Units and divisor of this program's own plan.
        here: (usize, u64),
    },
    /// A number of shards that the plan cannot have.
    #[error("cannot cut {units} units of work into {given} shards: give a number from 1 to {units}")]
    Shards {
        /// What was asked for.
        given: usize,
        /// Units of work.
        units: usize,
    },
    /// A shard that the plan does not have.
    #[error("there is no shard {shard}: this run has {shards}, numbered from 0 to {}", shards - 1)]
    Shard {
        /// What was asked for.
        shard: usize,
        /// How many there are.
        shards: usize,
    },
    /// Two counts of the same shard differ.
    #[error(
        "shard {shard} was counted twice with different results ({}, and now): {problem}; one of the machines counts wrong: run 'nqueens verify' on both", file.display()
    )]
    Disagree {
        /// The shard.
        shard: usize,
        /// The record that was there.
        file: PathBuf,
        /// How they differ.
        problem: String,
    },
    /// A published result that cannot be used.
    #[error("{} is not a result that can be checked: {problem}", file.display())]
    NotAResult {
        /// The file.
        file: PathBuf,
        /// Why not.
        problem: String,
    },
    /// What the library says.
    #[error(transparent)]
    Count(#[from] nqueens::Error),
}

/// The result type of this module.
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// An error in reading this file.
pub(crate) fn cannot_read(file: &Path) -> impl FnOnce(io::Error) -> Error {
    move |reason| Error::Read { file: file.to_owned(), reason }
}

/// An error in writing this file.
pub(crate) fn cannot_write(file: &Path) -> impl FnOnce(io::Error) -> Error {
    move |reason| Error::Write { file: file.to_owned(), reason }
}
