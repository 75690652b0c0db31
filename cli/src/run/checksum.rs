//! Lines of JSON that end with their own checksum.

use serde::{Deserialize, Serialize};

/// The length in bytes of the text that [`field`] returns.
const FIELD_BYTES: usize = 20;

/// Returns the last field of a line, with the CRC-32 of all bytes before it.
fn field(before: &[u8]) -> String {
    format!(",\"crc32\":\"{:08x}\"}}", crc32fast::hash(before))
}

/// Returns a value as one line of JSON with its checksum.
///
/// # Panics
/// Panics if JSON cannot express the value. Plans and lines consist of numbers and strings.
pub(crate) fn line(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string(value).expect("plans and lines consist of numbers and texts");
    text.pop();
    text += &field(text.as_bytes());
    text + "\n"
}

/// Verifies the checksum of a line. The error is a clause about the line.
fn check(line: &[u8]) -> Result<(), &'static str> {
    // Some tools end the lines of copied text files as Windows does.
    let whole = line.strip_suffix(b"\r\n").or_else(|| line.strip_suffix(b"\n")).unwrap_or_default();
    let (before, found) = whole.split_at(whole.len().saturating_sub(FIELD_BYTES));
    match found {
        _ if found == field(before).as_bytes() => Ok(()),
        _ if found.starts_with(b",\"crc32\":") => Err("its checksum is wrong: it was changed or damaged"),
        _ => Err("it does not end with its checksum: it was cut short, or is another kind of file"),
    }
}

/// Reads the value of a line after verifying its checksum. The error is a clause about the line.
pub(crate) fn read<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Result<T, String> {
    check(line)?;
    serde_json::from_slice(line).map_err(|error| format!("it is of another kind or version: {error}"))
}
