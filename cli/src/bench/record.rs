//! The record of a benchmark: the machine, the program and every sample.
//!
//! Unknown facts are null, never guessed. Because people edit records and read them months later on other machines, the
//! reader rejects a damaged record instead of comparing it wrongly. It accepts any text in a string, which is escaped
//! when it is printed.

use std::collections::HashSet;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail, ensure};
use nqueens::board::Size;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::warning::Warning;
use super::workload::Times;
use crate::machine::MachineFacts;
use crate::terminal::escape;
use crate::terminal::files::{cannot_read, read_whole, refuse_folder};
use crate::terminal::units::plural;

/// The version of the format. A release that changes the name or the meaning of a field increases it.
pub(crate) const SCHEMA: u64 = 1;

/// The value of `kind` in every record, which distinguishes records from files of other tools.
pub(crate) const KIND: &str = "nqueens-bench";

/// The result of one `nqueens bench`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) schema: u64,
    pub(crate) kind: String,
    /// The machine's name: `--machine`, or the processor's model.
    pub(crate) name: String,
    /// The time when the benchmark began, such as `2026-11-21T10:53:07Z`.
    pub(crate) created: String,
    /// The build: version, commit, compiler, target, profile.
    pub(crate) program: String,
    /// The commit of the program, such as `0123456789ab` or `0123456789ab, modified`.
    pub(crate) commit: String,
    /// The highest instruction set that the solvers may use: the one of `--isa`, or else the machine's best.
    pub(crate) isa: String,
    pub(crate) machine: MachineFacts,
    /// The frequency of one core in GHz at the start and at the end, timed with a loop of a known number of cycles.
    pub(crate) gigahertz: Option<[f64; 2]>,
    pub(crate) warnings: Vec<Warning>,
    /// The times of each workload on each number of threads.
    pub(crate) workloads: Vec<Times>,
}

impl Record {
    /// Returns the record as JSON.
    pub(crate) fn json(&self) -> String {
        format!("{}\n", escape::escaped_lines(&serde_json::to_string_pretty(self).unwrap_or_default()))
    }
}

/// One measurement: its record, and the name of the record's file.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    pub(crate) file: String,
    pub(crate) record: Record,
}

/// Reads the record in a file.
pub(crate) fn read(path: &Path) -> Result<Run> {
    refuse_folder(path, "json")?;
    let file = path.display().to_string();
    let bytes = read_whole(path).with_context(|| cannot_read(path))?;
    match parse(&bytes) {
        Ok(record) => Ok(Run { file, record }),
        Err(error) => Err(error.context(file)),
    }
}

/// Reads a record from bytes, and checks the fields that a comparison relies on. An error names the field.
pub(crate) fn parse(bytes: &[u8]) -> Result<Record> {
    const NONE: &str = "not a record of 'nqueens bench'";
    // Some editors begin a file with the mark of UTF-8.
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let value: Value = serde_json::from_slice(bytes).map_err(|error| {
        // The parser's own message is about JSON, and not about records.
        if error.is_eof() {
            anyhow!("it is empty or cut off: copy it again")
        } else if String::from_utf8_lossy(bytes).contains(KIND) {
            anyhow!("it is not JSON: mend line {}, column {}", error.line(), error.column())
        } else {
            anyhow!(NONE)
        }
    })?;
    ensure!(value["kind"] == KIND, NONE);
    let schema = &value["schema"];
    ensure!(
        *schema == SCHEMA,
        "the record has schema {schema}, but this program reads only schema {SCHEMA}: use the program that wrote it"
    );
    let record: Record = serde_path_to_error::deserialize(value).map_err(|error| {
        // For a missing field, the path names the object that lacks it; the path of the record itself is `.`.
        let path = Some(format!("{}: ", error.path())).filter(|path| path != ".: ").unwrap_or_default();
        // Until the first release, programs wrote this schema with other fields.
        let problem = error.inner();
        anyhow!("a record that is damaged or of an older program: {path}{problem}; measure the machine again")
    })?;
    record.check()?;
    Ok(record)
}

impl Record {
    /// Rejects values that no machine can have.
    fn check(&self) -> Result<()> {
        check_machine(&self.name, &self.created, &self.machine)?;
        ensure!(!self.workloads.is_empty(), "no workloads");
        let mut seen = HashSet::new();
        for times in &self.workloads {
            let name = format!("{}, threads {}", times.id(), times.threads);
            check_times(times, self.machine.logical_cpus).with_context(|| name.clone())?;
            ensure!(seen.insert((times.id(), times.threads)), "{name}: measured twice");
        }
        Ok(())
    }
}

/// Rejects a name, a time and facts that no machine can have. A benchmark also calls this before it measures, so that
/// its record can be read.
pub(super) fn check_machine(name: &str, created: &str, facts: &MachineFacts) -> Result<()> {
    ensure!(!name.trim().is_empty(), "name: the machine has no name");
    ensure!(!name.contains(['\n', '\r']), "name: {name:?} has several lines, which a table cannot show: change it");
    let is_date =
        humantime::parse_rfc3339(created).is_ok() && ("2020".."2100").contains(&created.get(..4).unwrap_or_default());
    ensure!(
        is_date,
        "created: {created:?} is not a time between 2020 and 2099, such as 2026-11-30T12:00:00Z: set the clock"
    );
    check_facts(facts)
}

/// Rejects numbers of threads and cores, and sizes of memory, that no machine can have.
fn check_facts(facts: &MachineFacts) -> Result<()> {
    /// More hardware threads than any system has.
    const MOST_CPUS: usize = 1 << 16;
    let &MachineFacts { logical_cpus, usable_cpus, cores, memory_bytes, .. } = facts;
    for (field, number, most) in [
        ("logical_cpus", logical_cpus, MOST_CPUS),
        ("usable_cpus", usable_cpus, logical_cpus),
        ("cores", cores.unwrap_or(1), logical_cpus),
    ] {
        ensure!((1..=most).contains(&number), "machine.{field}: {number} is not from 1 to {most}");
    }
    if let Some(bytes) = memory_bytes.filter(|bytes| !(1 << 20..1 << 50).contains(bytes)) {
        bail!("machine.memory_bytes: {bytes} cannot be the memory of a machine");
    }
    Ok(())
}

/// Rejects times that a machine with this number of hardware threads cannot have.
fn check_times(times: &Times, logical_cpus: usize) -> Result<()> {
    let is_there = (1..=logical_cpus).contains(&times.threads);
    ensure!(is_there, "the machine has {}", plural(logical_cpus, "thread"));
    ensure!(times.n <= Size::MAX, "n is not from 0 to {}", Size::MAX);
    ensure!(!times.seconds.is_empty(), "no samples");
    // The ratio of two times must be finite; the longest time is a century.
    if let Some(wrong) = times.seconds.iter().find(|seconds| !(1e-10..=3.2e9).contains(*seconds)) {
        bail!("{wrong:?} cannot be the seconds of a count");
    }
    Ok(())
}
