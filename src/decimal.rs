//! Writes and reads counts as strings of digits, for `serde(with)`. Many JSON readers round numbers above 2^53.

use std::borrow::Cow;
use std::fmt::Display;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serializer};

/// Writes a number as a string of digits.
///
/// # Errors
/// Returns the errors of the serializer.
pub fn serialize<T: Display, S: Serializer>(number: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}

/// Reads a number from a string of digits.
///
/// # Errors
/// Fails if the text is not a whole number.
pub fn deserialize<'de, T: FromStr, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    /// A text that is borrowed where that is possible: a run has many lines.
    #[derive(Deserialize)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
    let text = Text::deserialize(deserializer)?.0;
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = if is_plain { text.parse().ok() } else { None };
    number.ok_or_else(|| serde::de::Error::custom(format!("'{text}' is not a whole number in digits")))
}
