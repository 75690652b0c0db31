//! The one rule for whole numbers in text, and counts as strings of digits for `serde(with)`, because many JSON readers
//! round numbers above 2^53.

use std::str::FromStr;

#[cfg(feature = "serde")]
pub use self::as_digits::{deserialize, serialize};

/// Parses a whole number, written as digits without a sign and without leading zeros. Returns `None` for any other
/// text, such as `+8` or `08`, and for a number that does not fit in `T`.
pub fn whole_number<T: FromStr>(text: &str) -> Option<T> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if is_plain { text.parse().ok() } else { None }
}

#[cfg(feature = "serde")]
mod as_digits {
    use std::borrow::Cow;
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::{Deserialize, Deserializer, Serializer};

    /// Serializes a number as a string of digits.
    ///
    /// # Errors
    /// The errors of the serializer.
    pub fn serialize<T: Display, S: Serializer>(number: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }

    /// Deserializes a number from a string of digits.
    ///
    /// # Errors
    /// The errors of the deserializer, and one for a string that is not a [`whole_number`](super::whole_number).
    pub fn deserialize<'de, T: FromStr, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
        /// A string, borrowed if possible, because the logs of a run contain many lines.
        #[derive(Deserialize)]
        struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
        let text = Text::deserialize(deserializer)?.0;
        let error = || serde::de::Error::custom(format!("'{text}' is not a whole number in digits"));
        super::whole_number(&text).ok_or_else(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_written_in_one_way() {
        let read = whole_number::<u8>;
        assert_eq!(["0", "8", "10", "255"].map(read), [Some(0), Some(8), Some(10), Some(255)]);
        for text in ["", "+8", "-8", "-0", "08", "00", " 8", "8 ", "8.0", "1e1", "256", "\u{0668}"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
