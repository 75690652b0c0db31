//! Lines of JSON that end with a checksum of themselves.

use serde::{Deserialize, Serialize};

/// What is before and after the eight digits of the checksum.
const FIELD: [&str; 2] = [",\"crc32\":\"", "\"}"];
const DIGITS: usize = 8;

/// The digits of the checksum of these bytes. `format!` would take a tenth of the time of reading a line.
fn digits(bytes: &[u8]) -> [u8; DIGITS] {
    let crc = crc32fast::hash(bytes);
    std::array::from_fn(|at| b"0123456789abcdef"[(crc >> (28 - 4 * at)) as usize % 16])
}

/// Writes a value as one line of JSON. Its last field `crc32` is the CRC-32 of all bytes before it.
///
/// # Panics
/// If the value cannot be written as JSON, as a map with keys that are no texts.
pub(crate) fn line(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string(value).expect("plans and results are numbers and texts");
    text.pop();
    let digits = digits(text.as_bytes()).map(char::from);
    text.push_str(FIELD[0]);
    text.extend(digits);
    text + FIELD[1] + "\n"
}

/// Checks the checksum of a line. The error is a clause that says what is wrong.
fn check(line: &[u8]) -> Result<(), &'static str> {
    let [before, after] = FIELD.map(str::as_bytes);
    // Some tools that copy a text end its lines as Windows does.
    let whole = line.strip_suffix(b"\r\n").or_else(|| line.strip_suffix(b"\n")).unwrap_or_default();
    let (body, field) = whole.split_at(whole.len().saturating_sub(before.len() + DIGITS + after.len()));
    match field.strip_prefix(before).and_then(|field| field.strip_suffix(after)) {
        Some(found) if found == digits(body) => Ok(()),
        Some(_) => Err("its checksum does not fit: it was changed or damaged"),
        None => Err("it does not end with its checksum: it was cut short, or is another kind of file"),
    }
}

/// Reads the value of a line. The error is a clause that says what is wrong.
pub(crate) fn read<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Result<T, String> {
    check(line)?;
    serde_json::from_slice(line).map_err(|error| format!("it is of another kind or version: {error}"))
}
