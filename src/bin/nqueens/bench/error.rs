//! What can be wrong with a measurement or its record.

/// What can be wrong with a measurement or its record. Every message names the file and the field at fault.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The file cannot be read.
    #[error("cannot read {file}: {reason}")]
    Unreadable {
        /// The file.
        file: String,
        /// What the system said.
        reason: std::io::Error,
    },
    /// The file is not JSON, or stops in the middle of it.
    #[error(
        "{file} is not a whole JSON file: {problem}; give a file that 'nqueens bench machine --out FILE' wrote, or \
         make it again if it was cut short"
    )]
    NotJson {
        /// The file.
        file: String,
        /// What is wrong and where.
        problem: String,
    },
    /// The file is JSON of another kind.
    #[error("{file} is not a record of nqueens: {problem}; give a file that 'nqueens bench machine --out FILE' wrote")]
    NotARecord {
        /// The file.
        file: String,
        /// Why not.
        problem: String,
    },
    /// The record was written in a format that this program does not know.
    #[error(
        "{file} has schema {found}, and this program reads schema {known}: use the nqueens that wrote it, or a newer one"
    )]
    Schema {
        /// The file.
        file: String,
        /// The schema it says it has.
        found: String,
        /// The schema that this program reads.
        known: u64,
    },
    /// A field of the record is missing or has a value it cannot have.
    #[error("{file}: {field}: {problem}")]
    Field {
        /// The file.
        file: String,
        /// Where in the file, as a path such as `workloads[2].seconds[0]`.
        field: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A count that is not the published one.
    #[error("{place}: the count for n = {n} is {found}, and the published count is {published}: {way_out}")]
    WrongCount {
        /// The file and field, or the workload.
        place: String,
        /// The size.
        n: usize,
        /// What was counted.
        found: u128,
        /// What should have been.
        published: u128,
        /// What to do about it.
        way_out: &'static str,
    },
    /// Two runs of a workload gave different figures.
    #[error(
        "{workload}: the first run gave {first}, and a later one {later}: the program or the machine is faulty; run 'nqueens verify'"
    )]
    Unsteady {
        /// The workload.
        workload: String,
        /// What the first run gave.
        first: String,
        /// What a later run gave.
        later: String,
    },
    /// A workload id that is none.
    #[error("'{given}' is not a workload: {problem}; a workload is written like count/mask/n=13/t=1@1")]
    Workload {
        /// What was given.
        given: String,
        /// What is wrong with it.
        problem: String,
    },
    /// No record, or more than one, is what a comparison is to be against.
    #[error(
        "{found} of the records are from '{given}': give --against the file of one record, or the name of one machine"
    )]
    Against {
        /// What was given.
        given: String,
        /// How many records it may mean.
        found: usize,
    },
    /// No workload is in two of the records.
    #[error("no workload is in two of these records: {files}; measure the same suite on each machine")]
    NothingInCommon {
        /// The files.
        files: String,
    },
    /// Base and head are one file.
    #[error("base and head are the same file ({base} and {head}): build each revision into a file of its own")]
    SameFile {
        /// The base.
        base: String,
        /// The head.
        head: String,
    },
    /// A build cannot be run, fails, hangs, counts wrong, or is not this program.
    #[error("{build} {problem}")]
    Build {
        /// Which, with its file.
        build: String,
        /// What it did.
        problem: String,
        /// Whether it said itself that it counted wrong.
        counted_wrong: bool,
    },
    /// A build does not run a workload.
    #[error("{build} does not run {workload}: {said}")]
    Refused {
        /// Which, with its file.
        build: String,
        /// The workload.
        workload: String,
        /// What it said.
        said: String,
    },
    /// The builds count differently.
    #[error("the builds disagree on {workload}: base counts {base}, and head counts {head}")]
    CountsDiffer {
        /// The workload.
        workload: String,
        /// What base counted.
        base: u128,
        /// What head counted.
        head: u128,
    },
    /// The time for a whole gate is over.
    #[error("the time for the whole is over")]
    OutOfTime,
    /// What the library says.
    #[error(transparent)]
    Count(#[from] nqueens::Error),
}

/// The result type of this module.
pub(crate) type Result<T> = std::result::Result<T, Error>;
