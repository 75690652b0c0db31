//! The record of a benchmark: machine, program, and each sample. Readers compute everything else.
//!
//! Unknown facts are left out, never guessed. People edit records, and read them months later on other machines. A damaged
//! record must not lead to a wrong comparison. Texts are not checked: whoever prints them escapes them.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::warning::Warning;
use super::workload::Workload;
use crate::machine::Machine;
use crate::terminal::escape;
use crate::terminal::files::{cannot_read, read_whole};

/// The version of the format. It rises if a field changes its name or its meaning. Fields may be added. Since the third
/// version times are of the processor.
pub(crate) const SCHEMA: u64 = 3;

/// The value of `kind` in every record. It tells records from files of other tools.
pub(crate) const KIND: &str = "nqueens-bench";

/// The result of one `nqueens bench`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) schema: u64,
    pub(crate) kind: String,
    /// The machine's name: `--machine`, or the processor's model.
    pub(crate) name: String,
    /// When the benchmark began, such as `2026-11-21T10:53:07Z`.
    pub(crate) created: String,
    /// The build: version, commit, compiler, target, profile.
    pub(crate) program: String,
    /// The highest instruction set that the solvers may use: that of `--isa`, or else the machine's best.
    pub(crate) isa: String,
    pub(crate) machine: Machine,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) workloads: Vec<Workload>,
}

impl Record {
    /// The record as JSON.
    pub(crate) fn json(&self) -> String {
        format!("{}\n", escape::json(&serde_json::to_string_pretty(self).unwrap_or_default()))
    }
}

/// Reads the record in a file.
pub(crate) fn read(path: &Path) -> Result<Record> {
    let bytes = read_whole(path).with_context(|| cannot_read(path))?;
    parse(&bytes).with_context(|| path.display().to_string())
}

/// Reads a record from bytes, and checks what a comparison relies on.
pub(crate) fn parse(bytes: &[u8]) -> Result<Record> {
    const NONE: &str = "not a record of 'nqueens bench'";
    // What the parser says is about JSON, and not about records.
    let value: Value = serde_json::from_slice(bytes).map_err(|_| anyhow!(NONE))?;
    ensure!(value["kind"] == KIND, NONE);
    let schema = &value["schema"];
    ensure!(
        *schema == SCHEMA,
        "it has schema {schema}, and this program reads schema {SCHEMA}: measure the machine again"
    );
    let record: Record = serde_json::from_value(value).map_err(|_| anyhow!("a damaged record of 'nqueens bench'"))?;
    ensure!(!record.workloads.is_empty(), "it has no workloads");
    for Workload { solver, n, threads, seconds, .. } in &record.workloads {
        ensure!(!seconds.is_empty(), "{solver} n={n}, threads {threads}: it has no samples");
        // Ratios of shorter times might not be finite; the longest time is a century.
        if let Some(wrong) = seconds.iter().find(|seconds| !(1e-10..=3.2e9).contains(*seconds)) {
            bail!("{solver} n={n}, threads {threads}: {wrong:?} is not the seconds of a board");
        }
    }
    Ok(record)
}
