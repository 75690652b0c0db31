//! Reads a record and checks it. People edit records, and read them months later on other machines. A damaged record
//! must not lead to a wrong comparison.

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

/// The largest size of a file that is read as a record. Real records are thousands of times smaller.
const MAX_BYTES: u64 = 64 << 20;

/// The longest text in a record, in characters.
const MAX_TEXT: usize = 2000;

/// Reads the record in a file.
///
/// # Errors
/// Those of [`parse`], and [`Error::Unreadable`].
pub(crate) fn read(path: &Path) -> Result<Record> {
    parse(&bytes(path)?, &path.display().to_string())
}

/// Reads the bytes of a file that is not too large for a record.
///
/// # Errors
/// [`Error::Unreadable`], [`Error::NotARecord`].
pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>> {
    let file = path.display().to_string();
    let unreadable = |reason| Error::Unreadable { file: file.clone(), reason };
    // Pipes and devices do not report their size.
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Error::NotARecord { file, problem: format!("it has more than {} MiB", MAX_BYTES >> 20) });
    }
    Ok(bytes)
}

/// Reads a record from bytes. Errors call it `file`.
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
    // From the bytes, not from the value: a field that is there twice must be an error.
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let record: Record = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let field = match error.path().to_string() {
            path if path == "." => "record".to_owned(),
            path => path,
        };
        Error::Field { file: file.clone(), field, problem: error.into_inner().to_string() }
    })?;
    if let Err((field, problem)) = validate(&record).and_then(|()| validate_texts(&value, "")) {
        return Err(Error::Field { file, field, problem });
    }
    for (index, Workload { id, count, .. }) in record.workloads.iter().enumerate() {
        match known::solutions(id.size) {
            Some(published) if published != count.0 => {
                return Err(Error::WrongCount {
                    place: format!("{file}: workloads[{index}].count"),
                    n: id.size.get(),
                    found: count.0,
                    published,
                    way_out: "the record was edited, or its program counted wrong; do not use it",
                });
            }
            _ => {}
        }
    }
    Ok(record)
}

/// A field of a record, and the problem with it.
type Wrong = (String, String);

/// Checks the rules that every record keeps.
fn validate(record: &Record) -> std::result::Result<(), Wrong> {
    let wrong = |field: &str, problem: String| Err((field.to_owned(), problem));
    validate_name(&record.name).or_else(|problem| wrong("name", problem))?;
    let suite = record.suite.split_once('@').map(|(name, version)| (name, version.parse::<u32>()));
    if !matches!(suite, Some((name, Ok(_))) if !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase())) {
        return wrong("suite", format!("'{}' is not a suite with its version, like quick@1", record.suite));
    }
    if let Err(error) = record.created.parse::<jiff::Timestamp>() {
        return wrong("created", format!("'{}' is not a time like 2026-11-21T10:53:07Z ({error})", record.created));
    }
    if !(0.0..=MAX_SECONDS).contains(&record.elapsed_seconds) {
        return wrong("elapsed_seconds", format!("{} is not a time", record.elapsed_seconds));
    }
    if record.workloads.is_empty() {
        return wrong("workloads", "the list is empty: nothing was measured".to_owned());
    }
    let mut names = BTreeSet::new();
    for (index, workload) in record.workloads.iter().enumerate() {
        let place = format!("workloads[{index}]");
        // Two versions of a workload cannot come from one run.
        if !names.insert(workload.id.name()) {
            return wrong(&format!("{place}.id"), format!("{} is there twice", workload.id.name()));
        }
        validate_workload(workload).or_else(|(field, problem)| wrong(&format!("{place}.{field}"), problem))?;
    }
    Ok(())
}

fn validate_workload(workload: &Workload) -> std::result::Result<(), Wrong> {
    let wrong = |field: &str, problem: String| Err((field.to_owned(), problem));
    let Workload { id, threads, isa, runs_per_sample, seconds, repetitions, .. } = workload;
    if let Threads::Exactly(asked) = id.threads
        && asked != *threads
    {
        return wrong("threads", format!("it is {threads}, and the id says {asked}"));
    }
    if !(1..=MAX_THREADS).contains(threads) {
        return wrong("threads", format!("{threads} is not a number from 1 to {MAX_THREADS}"));
    }
    if let Err(error) = isa.parse::<Isa>() {
        return wrong("isa", error.to_string());
    }
    if *runs_per_sample == 0 {
        return wrong("runs_per_sample", "0 runs took no time".to_owned());
    }
    if seconds.is_empty() {
        return wrong("seconds", "the list is empty: there is no sample".to_owned());
    }
    if let Some(index) = seconds.iter().position(|seconds| !(MIN_SECONDS..=MAX_SECONDS).contains(seconds)) {
        let range = format!("times are from {MIN_SECONDS:e} to {MAX_SECONDS:e} seconds");
        return wrong(&format!("seconds[{index}]"), format!("{:?} is not the time of a run: {range}", seconds[index]));
    }
    let all: u128 = repetitions.iter().map(|&length| length as u128).sum();
    if !repetitions.is_empty() && (repetitions.contains(&0) || all != seconds.len() as u128) {
        return wrong("repetitions", format!("{repetitions:?} are not parts of {} samples", seconds.len()));
    }
    if known::solutions(id.size).is_none() {
        return wrong("id", format!("nobody has published the count for n = {}", id.size));
    }
    Ok(())
}

/// Checks the name of a machine. It must have no control characters and must not begin like a command of GitHub's logs,
/// because tables begin lines with it.
///
/// # Errors
/// The problem and what to give instead.
pub(crate) fn validate_name(name: &str) -> std::result::Result<(), String> {
    if name.trim().is_empty() {
        return Err("it is empty: give the machine a name".to_owned());
    }
    if name.trim_start().starts_with("::") {
        return Err("it begins with '::' as a command to GitHub does: give another name".to_owned());
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

/// Checks every text and every key of a record. None may move the cursor or reverse the text beside it.
fn validate_texts(value: &Value, path: &str) -> std::result::Result<(), Wrong> {
    match value {
        Value::String(text) => validate_text(text).map_err(|problem| (path.to_owned(), problem)),
        Value::Array(list) => {
            // There are many samples, and they are all numbers.
            let mut places = list.iter().enumerate().filter(|(_, value)| !value.is_number());
            places.try_for_each(|(index, value)| validate_texts(value, &format!("{path}[{index}]")))
        }
        Value::Object(fields) => fields.iter().try_for_each(|(name, value)| {
            let (parent, dot) = if path.is_empty() { ("record", "") } else { (path, ".") };
            validate_text(name).map_err(|problem| (parent.to_owned(), problem))?;
            validate_texts(value, &format!("{path}{dot}{name}"))
        }),
        _ => Ok(()),
    }
}
