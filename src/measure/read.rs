//! Reads a record and holds it against everything that must be true of one: a record is read on other machines, months
//! later, after people have edited it, and none of that may become a wrong comparison.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::record::{KIND, Record, SCHEMA, Workload};
use super::sample::{MAX_SECONDS, MIN_SECONDS};
use super::workload::Threads;
use super::{Error, Result};
use crate::board::known;
use crate::engine::MAX_THREADS;
use crate::solver::Isa;

/// The largest file that is taken for a record: thousands of times the size of a real one.
const MAX_BYTES: u64 = 64 << 20;

/// Reads the record in a file.
///
/// # Errors
/// All that [`parse`] finds, and [`Error::Unreadable`].
pub fn read(path: &Path) -> Result<Record> {
    let file = path.display().to_string();
    let unreadable = |reason| Error::Unreadable { file: file.clone(), reason };
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if metadata.is_file() && metadata.len() > MAX_BYTES {
        return Err(Error::NotARecord { file, problem: format!("it has {} bytes", metadata.len()) });
    }
    let bytes = std::fs::read(path).map_err(unreadable)?;
    parse(&bytes, &file)
}

/// Reads the records in several files, each with the name of its file.
///
/// # Errors
/// Those of [`read`], of the first file that cannot be read.
pub fn read_all(paths: &[PathBuf]) -> Result<Vec<(String, Record)>> {
    paths.iter().map(|path| Ok((path.display().to_string(), read(path)?))).collect()
}

/// Reads a record from bytes; `file` is what errors call it.
///
/// # Errors
/// [`Error::NotJson`], [`Error::NotARecord`], [`Error::Schema`], [`Error::Field`], [`Error::WrongCount`].
pub fn parse(bytes: &[u8], file: &str) -> Result<Record> {
    let file = file.to_owned();
    let value: Value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        Err(_) if bytes.trim_ascii().is_empty() => {
            return Err(Error::NotJson { file, problem: "it is empty".to_owned() });
        }
        Err(error) => return Err(Error::NotJson { file, problem: error.to_string() }),
    };
    let not_a_record = |problem: String| Error::NotARecord { file: file.clone(), problem };
    let Value::Object(fields) = &value else {
        let what = match &value {
            Value::Array(list) if list.is_empty() => "an empty list",
            Value::Array(_) => "a list",
            _ => "a single value",
        };
        return Err(not_a_record(format!("it holds {what}")));
    };
    match fields.get("kind") {
        Some(Value::String(kind)) if kind == KIND => {}
        Some(kind) => return Err(not_a_record(format!("its kind is {kind}, not \"{KIND}\""))),
        None => return Err(not_a_record("it has no field 'kind'".to_owned())),
    }
    match fields.get("schema") {
        Some(schema) if *schema == SCHEMA => {}
        Some(schema) => return Err(Error::Schema { file, found: schema.to_string(), known: SCHEMA }),
        None => return Err(not_a_record("it has no field 'schema'".to_owned())),
    }
    let record: Record = serde_path_to_error::deserialize(value).map_err(|error| {
        let field = match error.path().to_string() {
            path if path == "." => "record".to_owned(),
            path => path,
        };
        Error::Field { file: file.clone(), field, problem: error.into_inner().to_string() }
    })?;
    validate(&record, &file)?;
    Ok(record)
}

/// Holds a record against what must be true of one.
///
/// # Errors
/// [`Error::Field`] naming the first field that is wrong, [`Error::WrongCount`].
pub fn validate(record: &Record, file: &str) -> Result<()> {
    let fail = |field: String, problem: String| Err(Error::Field { file: file.to_owned(), field, problem });
    if record.schema != SCHEMA {
        return Err(Error::Schema { file: file.to_owned(), found: record.schema.to_string(), known: SCHEMA });
    }
    if record.name.trim().is_empty() {
        return fail("name".to_owned(), "it is empty: give the machine a name".to_owned());
    }
    // What is printed as it stands must not move the cursor of whoever reads it.
    let machine = &record.machine;
    let texts = [
        ("name", &record.name),
        ("suite", &record.suite),
        ("program.version", &record.program.version),
        ("program.commit", &record.program.commit),
        ("program.rustc", &record.program.rustc),
        ("program.flags", &record.program.flags),
        ("machine.cpu_model", &machine.cpu_model),
        ("machine.os", &machine.os),
    ];
    for (field, text) in texts {
        if text.chars().any(char::is_control) {
            return fail(field.to_owned(), format!("{text:?} has control characters in it"));
        }
    }
    let suite = record.suite.split_once('@').map(|(name, version)| (name, version.parse::<u32>()));
    if !matches!(suite, Some((name, Ok(_))) if !name.is_empty()) {
        return fail("suite".to_owned(), format!("'{}' is not a suite with its version, like quick@1", record.suite));
    }
    if let Err(error) = record.created.parse::<jiff::Timestamp>() {
        return fail(
            "created".to_owned(),
            format!("'{}' is not a time like 2026-11-21T10:53:07Z ({error})", record.created),
        );
    }
    if !(record.elapsed_seconds.is_finite() && record.elapsed_seconds >= 0.0) {
        return fail("elapsed_seconds".to_owned(), format!("{} is not a time", record.elapsed_seconds));
    }
    let scores = record.scores.iter();
    let scores = scores.flat_map(|scores| {
        [
            ("one_thread", scores.one_thread),
            ("all_threads", scores.all_threads),
            ("newest_one_thread", scores.newest_one_thread),
            ("newest_all_threads", scores.newest_all_threads),
        ]
    });
    for (field, score) in scores {
        if let Some(score) = score.filter(|score| !(score.is_finite() && *score > 0.0)) {
            return fail(format!("scores.{field}"), format!("{score} is not a score: scores are above 0"));
        }
    }
    if record.workloads.is_empty() {
        return fail("workloads".to_owned(), "the list is empty: nothing was measured".to_owned());
    }
    for (index, point) in record.sustained.iter().flat_map(|sustained| &sustained.points).enumerate() {
        let is_time =
            (MIN_SECONDS..=MAX_SECONDS).contains(&point.seconds) && (0.0..=MAX_SECONDS).contains(&point.at_seconds);
        if !is_time {
            return fail(format!("sustained.points[{index}]"), format!("{:?} is not the time of a run", point.seconds));
        }
    }
    if record.sustained.as_ref().is_some_and(|sustained| sustained.points.is_empty()) {
        return fail("sustained.points".to_owned(), "the list is empty: nothing was measured".to_owned());
    }
    let mut ids = BTreeSet::new();
    for (index, workload) in record.workloads.iter().enumerate() {
        if !ids.insert((workload.id.name(), workload.id.version)) {
            return fail(format!("workloads[{index}].id"), format!("{} is there twice", workload.id));
        }
        validate_workload(workload, file, &format!("workloads[{index}]"))?;
    }
    let mut names = ids.iter().map(|(name, _)| name);
    let mut before = names.next();
    for name in names {
        if before == Some(name) {
            return fail(
                "workloads".to_owned(),
                format!("{name} is there in two versions, which cannot come from one run"),
            );
        }
        before = Some(name);
    }
    Ok(())
}

fn validate_workload(workload: &Workload, file: &str, field: &str) -> Result<()> {
    let fail = |name: String, problem: String| {
        Err(Error::Field { file: file.to_owned(), field: format!("{field}.{name}"), problem })
    };
    if let Threads::Exactly(threads) = workload.id.threads
        && threads != workload.threads
    {
        return fail("threads".to_owned(), format!("it is {}, and the id says {threads}", workload.threads));
    }
    if workload.threads == 0 || workload.threads > MAX_THREADS {
        return fail("threads".to_owned(), format!("{} is not a number from 1 to {MAX_THREADS}", workload.threads));
    }
    if let Err(error) = workload.isa.parse::<Isa>() {
        return fail("isa".to_owned(), error.to_string());
    }
    if workload.runs_per_sample == 0 {
        return fail("runs_per_sample".to_owned(), "0 runs took no time".to_owned());
    }
    if workload.seconds.is_empty() {
        return fail("seconds".to_owned(), "the list is empty: there is no sample".to_owned());
    }
    for (index, &seconds) in workload.seconds.iter().enumerate() {
        if !(MIN_SECONDS..=MAX_SECONDS).contains(&seconds) {
            return fail(
                format!("seconds[{index}]"),
                format!(
                    "{seconds:?} is not the time of a run: times are from {MIN_SECONDS:e} to {MAX_SECONDS:e} seconds"
                ),
            );
        }
    }
    match known::solutions(workload.id.size) {
        Some(published) if published != workload.count.0 => Err(Error::WrongCount {
            place: format!("{file}: {field}.count"),
            n: workload.id.size.get(),
            found: workload.count.0,
            published,
            way_out: "the record was edited, or its program counted wrong; do not use it",
        }),
        _ => Ok(()),
    }
}
