//! Reads a record and holds it against everything that must be true of one: a record is read on other machines, months
//! later, after people have edited it, and none of that may become a wrong comparison.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde_json::Value;

use super::record::{KIND, Record, SCHEMA, Workload};
use super::sample::{MAX_SECONDS, MIN_SECONDS};
use super::workload::Threads;
use super::{Error, Result};
use crate::terminal::escape::{is_harmless, shortened, terminal};
use nqueens::board::known;
use nqueens::engine::MAX_THREADS;
use nqueens::solver::Isa;

/// The largest file that is taken for a record: thousands of times the size of a real one.
const MAX_BYTES: u64 = 64 << 20;

/// The longest text in a record, in characters.
const MAX_TEXT: usize = 2000;

/// Reads the record in a file.
///
/// # Errors
/// All that [`parse`] finds, and [`Error::Unreadable`].
pub(crate) fn read(path: &Path) -> Result<Record> {
    parse(&bytes(path)?, &path.display().to_string())
}

/// What a file holds, if it is no larger than any record.
///
/// # Errors
/// [`Error::Unreadable`], [`Error::NotARecord`].
pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>> {
    let file = path.display().to_string();
    let unreadable = |reason| Error::Unreadable { file: file.clone(), reason };
    // A pipe and a device do not tell their size.
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Error::NotARecord { file, problem: format!("it has more than {} MiB", MAX_BYTES >> 20) });
    }
    Ok(bytes)
}

/// Reads a record from bytes; `file` is what errors call it.
///
/// # Errors
/// [`Error::NotJson`], [`Error::NotARecord`], [`Error::Schema`], [`Error::Field`], [`Error::WrongCount`].
pub(crate) fn parse(bytes: &[u8], file: &str) -> Result<Record> {
    let file = file.to_owned();
    if bytes.trim_ascii().is_empty() {
        return Err(Error::NotJson { file, problem: "it is empty".to_owned() });
    }
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|error| Error::NotJson { file: file.clone(), problem: error.to_string() })?;
    if value["kind"] != KIND {
        let kind = shortened(&value["kind"].to_string(), 100).into_owned();
        return Err(Error::NotARecord { file, problem: format!("its kind is {kind}, not \"{KIND}\"") });
    }
    if value["schema"] != SCHEMA {
        return Err(Error::Schema { file, found: value["schema"].to_string(), known: SCHEMA });
    }
    // From the bytes, not from the value: so a field that is there twice is an error.
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let record: Record = serde_path_to_error::deserialize(&mut json).map_err(|error| {
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
pub(crate) fn validate(record: &Record, file: &str) -> Result<()> {
    let fail = |field: String, problem: String| Err(Error::Field { file: file.to_owned(), field, problem });
    validate_name(&record.name).or_else(|problem| fail("name".to_owned(), problem))?;
    if let Ok(value) = serde_json::to_value(record) {
        validate_texts(&value, file, "")?;
    }
    let suite = record.suite.split_once('@').map(|(name, version)| (name, version.parse::<u32>()));
    if !matches!(suite, Some((name, Ok(_))) if !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase())) {
        return fail("suite".to_owned(), format!("'{}' is not a suite with its version, like quick@1", record.suite));
    }
    if let Err(error) = record.created.parse::<jiff::Timestamp>() {
        return fail(
            "created".to_owned(),
            format!("'{}' is not a time like 2026-11-21T10:53:07Z ({error})", record.created),
        );
    }
    if !(0.0..=MAX_SECONDS).contains(&record.elapsed_seconds) {
        return fail("elapsed_seconds".to_owned(), format!("{} is not a time", record.elapsed_seconds));
    }
    if record.workloads.is_empty() {
        return fail("workloads".to_owned(), "the list is empty: nothing was measured".to_owned());
    }
    let mut names = BTreeSet::new();
    for (index, workload) in record.workloads.iter().enumerate() {
        // In two versions neither: they cannot come from one run.
        if !names.insert(workload.id.name()) {
            return fail(format!("workloads[{index}].id"), format!("{} is there twice", workload.id.name()));
        }
        validate_workload(workload, file, &format!("workloads[{index}]"))?;
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
    let lengths = &workload.repetitions;
    let (samples, of_repetitions) =
        (workload.seconds.len(), lengths.iter().map(|&length| length as u128).sum::<u128>());
    if !lengths.is_empty() && (lengths.contains(&0) || of_repetitions != samples as u128) {
        return fail("repetitions".to_owned(), format!("{lengths:?} are not parts of {samples} samples"));
    }
    match known::solutions(workload.id.size) {
        Some(published) if published != workload.count.0 => Err(Error::WrongCount {
            place: format!("{file}: {field}.count"),
            n: workload.id.size.get(),
            found: workload.count.0,
            published,
            way_out: "the record was edited, or its program counted wrong; do not use it",
        }),
        None => fail("id".to_owned(), format!("nobody has published the count for n = {}", workload.id.size)),
        _ => Ok(()),
    }
}

/// What a machine may be called: a text that shows as it is.
///
/// # Errors
/// What is wrong with the name and what to give instead.
pub(crate) fn validate_name(name: &str) -> std::result::Result<(), String> {
    if name.trim().is_empty() {
        return Err("it is empty: give the machine a name".to_owned());
    }
    validate_text(name)
}

fn validate_text(text: &str) -> std::result::Result<(), String> {
    if text.chars().count() > MAX_TEXT {
        return Err(format!("\"{}\" is longer than {MAX_TEXT} characters", terminal(&shortened(text, 40))));
    }
    if let Some(c) = text.chars().find(|&c| !is_harmless(c)) {
        let kind = if c.is_control() { "control characters" } else { "characters that do not show as themselves" };
        return Err(format!("\"{}\" has {kind} in it: leave them out", terminal(&shortened(text, 100))));
    }
    Ok(())
}

/// Every text and every key of a record shows as it is: nothing of it moves the cursor of whoever reads it, or turns the
/// direction of what is beside it.
fn validate_texts(value: &Value, file: &str, path: &str) -> Result<()> {
    let validate = |text: &str, path: &str| {
        validate_text(text).map_err(|problem| Error::Field { file: file.to_owned(), field: path.to_owned(), problem })
    };
    match value {
        Value::String(text) => validate(text, path),
        Value::Array(list) => {
            // Samples are numbers: only what can hold a text is looked into.
            let places = list.iter().enumerate().filter(|(_, value)| !value.is_number());
            places.into_iter().try_for_each(|(index, value)| validate_texts(value, file, &format!("{path}[{index}]")))
        }
        Value::Object(fields) => fields.iter().try_for_each(|(name, value)| {
            validate(name, if path.is_empty() { "record" } else { path })?;
            let dot = if path.is_empty() { "" } else { "." };
            validate_texts(value, file, &format!("{path}{dot}{name}"))
        }),
        _ => Ok(()),
    }
}
