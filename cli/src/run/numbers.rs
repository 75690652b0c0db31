//! The counts of all units in one string. Numbers of JSON would lose digits above 2^53.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serializer, de::Error};

use crate::terminal::escape::shortened;

/// A text that is borrowed where that is possible.
#[derive(Deserialize)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

/// The most units of a plan. The largest, of n = 30, has 1 965 511.
pub(super) const MOST: usize = 1 << 21;

pub(super) fn serialize<S: Serializer>(counts: &[u128], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&counts.iter().map(u128::to_string).collect::<Vec<_>>().join(" "))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u128>, D::Error> {
    let text = Text::deserialize(deserializer)?.0;
    let not = |word| Error::custom(format!("'{}' is not a count", shortened(word, 50)));
    let counts = text.split_ascii_whitespace().map(|word| word.parse().map_err(|_| not(word)));
    // A digit and a space take 16 bytes as a number.
    let counts: Vec<u128> = counts.take(MOST + 1).collect::<Result<_, _>>()?;
    if counts.len() > MOST {
        return Err(Error::custom(format!("it has more than {MOST} counts")));
    }
    Ok(counts)
}
