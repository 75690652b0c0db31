//! The errors of measurements and records.

/// An error of a measurement or a record. Messages about records name the file and the field.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The file cannot be read.
    #[error("cannot read {file}: {reason}")]
    Unreadable { file: String, reason: std::io::Error },
    /// The file is not JSON, or its end is missing.
    #[error(
        "{file} is not a whole JSON file: {problem}; give a file that 'nqueens bench machine --out FILE' wrote, or \
         make it again if it was cut short"
    )]
    NotJson { file: String, problem: String },
    /// The file is JSON of another kind.
    #[error("{file} is not a record of nqueens: {problem}; give a file that 'nqueens bench machine --out FILE' wrote")]
    NotARecord { file: String, problem: String },
    /// This program does not know the record's format.
    #[error(
        "{file} has schema {found}, and this program reads schema {known}: use the nqueens that wrote it, or a newer one"
    )]
    Schema { file: String, found: String, known: u64 },
    /// A field of the record is missing or has a value it cannot have.
    #[error("{file}: {field}: {problem}")]
    Field {
        file: String,
        /// A path such as `workloads[2].seconds[0]`.
        field: String,
        problem: String,
    },
    /// A count differs from the published one.
    #[error("{place}: the count for n = {n} is {found}, and the published count is {published}: {way_out}")]
    WrongCount {
        /// The file and field, or the workload.
        place: String,
        n: usize,
        found: u128,
        published: u128,
        way_out: &'static str,
    },
    /// Two runs of a workload have different counts or different work.
    #[error(
        "{workload}: the first run gave {first}, and a later one {later}: the program or the machine is faulty; run 'nqueens verify'"
    )]
    Unsteady { workload: String, first: String, later: String },
    /// A text is not the id of a workload.
    #[error("'{given}' is not a workload: {problem}; a workload is written like count/mask/n=13/t=1@1")]
    Workload { given: String, problem: String },
    /// `--against` names no record, or more than one.
    #[error(
        "{found} of the records are from '{given}': give --against the file of one record, or the name of one machine"
    )]
    Against { given: String, found: usize },
    /// No workload is in two of the records.
    #[error("no workload is in two of these records: {files}; measure the same suite on each machine")]
    NothingInCommon { files: String },
    /// A build cannot be run, fails, hangs, counts wrong, or is not this program.
    #[error("{build} {problem}")]
    Build {
        build: String,
        problem: String,
        /// Whether the build reported that it counted wrong.
        counted_wrong: bool,
    },
    /// A build does not run a workload.
    #[error("{build} does not run {workload}: {said}")]
    Refused { build: String, workload: String, said: String },
    /// The builds count differently.
    #[error("the builds disagree on {workload}: base counts {base}, and head counts {head}")]
    CountsDiffer { workload: String, base: u128, head: u128 },
    /// An error of the library.
    #[error(transparent)]
    Count(#[from] nqueens::Error),
}

/// The result type of this module.
pub(crate) type Result<T> = std::result::Result<T, Error>;
