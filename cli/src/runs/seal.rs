//! Lines of JSON that end with a checksum of themselves.

use serde::Serialize;

/// The end of a sealed line: the checksum's field and the line end.
fn tail(body: &[u8]) -> String {
    let mut crc = flate2::Crc::new();
    crc.update(body);
    format!(",\"crc32\":\"{:08x}\"}}\n", crc.sum())
}

/// Writes a value as one line of JSON. Its last field `crc32` is the CRC-32 of all bytes before it.
///
/// # Panics
/// If the value cannot be written as JSON, as a map with keys that are no texts.
pub(crate) fn seal(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string(value).expect("plans and records are numbers and texts");
    text.pop();
    let tail = tail(text.as_bytes());
    text + &tail
}

/// The checksum of a value's sealed line.
pub(crate) fn checksum(value: &impl Serialize) -> String {
    let sealed = seal(value);
    sealed[sealed.len() - tail(b"").len()..].chars().filter(char::is_ascii_hexdigit).collect()
}

/// Reads the value of a sealed line. `parse` reads it from JSON, and ignores the checksum's field. The error is a clause
/// that says what is wrong.
pub(crate) fn open<T>(bytes: &[u8], parse: impl Fn(&[u8]) -> serde_json::Result<T>) -> Result<T, String> {
    let length = tail(b"").len();
    if bytes.is_empty() {
        return Err("it is empty".to_owned());
    }
    let (body, found) = bytes.split_at(bytes.len().saturating_sub(length));
    if !found.starts_with(b",\"crc32\":\"") || !found.ends_with(b"\"}\n") {
        return Err("it does not end with its checksum: it was cut short, or is another kind of file".to_owned());
    }
    if found != tail(body).as_bytes() {
        return Err("its checksum does not fit: it was changed or damaged".to_owned());
    }
    parse(bytes).map_err(|error| format!("it is of another kind or version: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Serialize, serde::Deserialize)]
    struct Numbers {
        one: u64,
        two: u64,
    }

    fn read(bytes: &[u8]) -> Result<Numbers, String> {
        open(bytes, |json| serde_json::from_slice(json))
    }

    #[test]
    fn every_changed_byte_and_every_cut_is_noticed() {
        let value = Numbers { one: 1, two: u64::MAX };
        let sealed = seal(&value);
        assert!(serde_json::from_str::<serde_json::Value>(&sealed).unwrap()["crc32"].is_string());
        assert_eq!(read(sealed.as_bytes()), Ok(value));
        for at in 0..sealed.len() {
            for bit in 0..8 {
                let mut bytes = sealed.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                assert!(read(&bytes).is_err(), "bit {bit} of byte {at}");
            }
            assert!(read(&sealed.as_bytes()[..at]).is_err(), "cut after {at} bytes");
        }
        assert!(read((sealed + "\n").as_bytes()).is_err());
    }
}
