//! Who counted: the machines of a run, and what each of them did.

use std::time::{Duration, UNIX_EPOCH};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use super::numbers::Text;
use crate::terminal::escape::shortened;

/// Who counts, as lines say it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Contributor {
    /// The machine's name.
    pub(crate) machine: String,
    /// Its processor's model.
    pub(crate) cpu: String,
    /// The instruction set used, or graphics cards.
    pub(crate) isa: String,
    /// The program's version and commit.
    pub(crate) program: String,
}

/// What a contributor counted.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct Contribution {
    #[serde(flatten)]
    pub(crate) by: Contributor,
    /// Number of shards.
    pub(crate) shards: usize,
    /// Seconds of cores.
    pub(crate) core_seconds: f64,
    /// Seconds of cores that were predicted, with portable code.
    pub(crate) predicted_seconds: f64,
    /// When its last shard was finished.
    #[serde(with = "moment")]
    pub(crate) finished: u64,
}

/// Seconds of cores that all shards of these machines took.
pub(crate) fn core_seconds(machines: &[Contribution]) -> f64 {
    // The sum of no numbers is -0.0.
    machines.iter().fold(0.0, |sum, machine| sum + machine.core_seconds)
}

/// Seconds since 1970 as JSON has them: a text in UTC, such as `2026-11-21T10:53:07Z`.
pub(crate) mod moment {
    use super::*;

    pub(crate) use crate::machine::seconds_since_1970 as now;

    pub(crate) fn text(seconds: u64) -> String {
        humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(seconds)).to_string()
    }

    pub(crate) fn serialize<S: Serializer>(seconds: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&text(*seconds))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        let text = Text::deserialize(deserializer)?.0;
        let time = humantime::parse_rfc3339(&text).ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let seconds = time.map(|time| time.as_secs());
        seconds.ok_or_else(|| D::Error::custom(format!("'{}' is not a time", shortened(&text, 50))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_and_read_to_the_year_9999() {
        let texts = [
            (0, "1970-01-01T00:00:00Z"),
            (1_764_309_658, "2025-11-28T06:00:58Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"),
        ];
        for (seconds, text) in texts {
            assert_eq!(moment::text(seconds), text);
            let json = format!("\"{text}\"");
            assert_eq!(moment::deserialize(&mut serde_json::Deserializer::from_str(&json)).unwrap(), seconds);
        }
        for wrong in ["\"yesterday\"", "\"1969-12-31T23:59:59Z\"", "\"10000-01-01T00:00:00Z\"", "0"] {
            assert!(moment::deserialize(&mut serde_json::Deserializer::from_str(wrong)).is_err(), "{wrong}");
        }
    }
}
