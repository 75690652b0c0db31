//! Lines of JSON that end with a checksum of themselves.

use serde::Serialize;
use serde::de::DeserializeOwned;

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

/// Reads the value of a sealed line. The error is a clause that says what is wrong.
pub(crate) fn open<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
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
    let json = [body, b"}"].concat();
    serde_json::from_slice(&json).map_err(|error| format!("it is of another kind or version: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn every_changed_byte_and_every_cut_is_noticed() {
        let value = BTreeMap::from([("one".to_owned(), 1u64), ("two".to_owned(), u64::MAX)]);
        let sealed = seal(&value);
        assert!(serde_json::from_str::<serde_json::Value>(&sealed).unwrap()["crc32"].is_string());
        assert_eq!(open::<BTreeMap<String, u64>>(sealed.as_bytes()), Ok(value));
        for at in 0..sealed.len() {
            for bit in 0..8 {
                let mut bytes = sealed.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                assert!(open::<BTreeMap<String, u64>>(&bytes).is_err(), "bit {bit} of byte {at}");
            }
            assert!(open::<BTreeMap<String, u64>>(&sealed.as_bytes()[..at]).is_err(), "cut after {at} bytes");
        }
        assert!(open::<BTreeMap<String, u64>>((sealed + "\n").as_bytes()).is_err());
    }
}
