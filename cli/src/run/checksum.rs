//! Lines of JSON that end with a checksum of themselves.

use serde::Serialize;

/// What is before and after the eight digits of the checksum, up to the end of the line.
const FIELD: [&str; 2] = [",\"crc32\":\"", "\"}"];
const DIGITS: usize = 8;

fn checksum(body: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(body);
    crc.sum()
}

/// Writes a value as one line of JSON. Its last field `crc32` is the CRC-32 of all bytes before it.
///
/// # Panics
/// If the value cannot be written as JSON, as a map with keys that are no texts.
pub(crate) fn line(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string(value).expect("plans and results are numbers and texts");
    text.pop();
    let [before, after] = FIELD;
    let checksum = checksum(text.as_bytes());
    text + &format!("{before}{checksum:0DIGITS$x}{after}\n")
}

/// Checks the checksum of a line. The error is a clause that says what is wrong.
fn check(line: &[u8]) -> Result<(), String> {
    let [before, after] = FIELD;
    let length = before.len() + DIGITS + after.len();
    if line.is_empty() {
        return Err("it is empty".to_owned());
    }
    // Some tools that copy a text end its lines as Windows does.
    let whole = line.strip_suffix(b"\r\n").or_else(|| line.strip_suffix(b"\n"));
    let parts = whole.and_then(|whole| whole.split_at_checked(whole.len().checked_sub(length)?));
    let digits = parts.and_then(|(body, found)| {
        let digits = found.strip_prefix(before.as_bytes())?.strip_suffix(after.as_bytes())?;
        Some((body, digits))
    });
    let Some((body, digits)) = digits else {
        return Err("it does not end with its checksum: it was cut short, or is another kind of file".to_owned());
    };
    // Capital letters would be another line with the same value.
    let is_plain = digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
    let digits = std::str::from_utf8(digits).ok().and_then(|digits| u32::from_str_radix(digits, 16).ok());
    if is_plain && digits == Some(checksum(body)) {
        Ok(())
    } else {
        Err("its checksum does not fit: it was changed or damaged".to_owned())
    }
}

/// Reads the value of a line, in which `parse` ignores the checksum's field. The error is a clause that says what is
/// wrong.
pub(crate) fn read<'a, T>(line: &'a [u8], parse: impl Fn(&'a str) -> serde_json::Result<T>) -> Result<T, String> {
    check(line)?;
    let text = std::str::from_utf8(line).map_err(|error| format!("it is no text: {error}"))?;
    parse(text).map_err(|error| format!("it is of another kind or version: {error}"))
}
