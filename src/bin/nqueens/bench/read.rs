//! Reads a record and checks it. People edit records, and read them months later on other machines. A damaged record
//! must not lead to a wrong comparison. Texts are not checked: whoever prints them escapes them.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result, anyhow, ensure};

use super::record::{KIND, Record, SCHEMA, Workload};
use super::sample::{check_count, is_time};
use super::workload::Threads;
use crate::exit::Fault;
use crate::terminal::kept::read_whole;
use nqueens::engine::MAX_THREADS;

/// The largest file that is read as a record. Real records are hundreds of times smaller. A hostile one takes up to 17
/// times its size.
const MAX_BYTES: u64 = 16 << 20;

/// Reads the record in a file.
pub(crate) fn read(path: &Path) -> Result<Record> {
    let file = path.display();
    let bytes = File::open(path).and_then(|file| read_whole(file, MAX_BYTES));
    let bytes = bytes.map_err(|reason| match reason.kind() {
        ErrorKind::InvalidData => anyhow!("{file} is not a record: {reason}"),
        _ => Fault::InputOutput.error(format!("cannot read {file}: {reason}")),
    })?;
    parse(&bytes).with_context(|| file.to_string())
}

/// Reads a record from bytes.
pub(crate) fn parse(bytes: &[u8]) -> Result<Record> {
    let record: Record = serde_json::from_slice(bytes)
        .with_context(|| format!("not a record of 'nqueens bench machine' with schema {SCHEMA}"))?;
    let Record { kind, schema, .. } = &record;
    ensure!(
        kind == KIND && *schema == SCHEMA,
        "it is of kind '{kind}' and schema {schema}; this program reads kind '{KIND}' and schema {SCHEMA}"
    );
    ensure!(!record.workloads.is_empty(), "workloads: the list is empty");
    let mut names = BTreeSet::new();
    for workload in &record.workloads {
        let name = workload.id.name();
        // Two versions of a workload cannot come from one run.
        ensure!(names.insert(name.clone()), "{name} is there twice");
        check(workload).context(name)?;
    }
    Ok(record)
}

/// Checks the rules that every workload keeps.
fn check(workload: &Workload) -> Result<()> {
    let Workload { id, threads, count, seconds, .. } = workload;
    check_count("count", id.size, count.0)?;
    ensure!((1..=MAX_THREADS).contains(threads), "threads: {threads} is not a number from 1 to {MAX_THREADS}");
    ensure!(
        matches!(id.threads, Threads::All) || id.threads == Threads::Exactly(*threads),
        "threads: it is {threads}, and the id says {}",
        id.threads
    );
    ensure!(!seconds.is_empty(), "seconds: the list is empty");
    if let Some(wrong) = seconds.iter().find(|seconds| !is_time(seconds)) {
        anyhow::bail!("seconds: {wrong:?} is not the time of a board");
    }
    Ok(())
}
