//! Who counted: the machines of a run, and what each of them did.

use std::fmt::{self, Display};
use std::time::{Duration, UNIX_EPOCH};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use super::numbers::Text;
use crate::terminal::escape::shortened;

/// Who counts, as lines say it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
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
#[derive(Debug, Clone, PartialEq, Serialize)]
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
    pub(crate) finished: Moment,
}

impl Contribution {
    /// Nothing counted yet.
    pub(super) fn none(by: Contributor) -> Self {
        Self { by, shards: 0, core_seconds: 0.0, predicted_seconds: 0.0, finished: Moment::default() }
    }
}

/// Seconds of cores that all shards of these machines took.
pub(crate) fn core_seconds(machines: &[Contribution]) -> f64 {
    // The sum of no numbers is -0.0.
    machines.iter().fold(0.0, |sum, machine| sum + machine.core_seconds)
}

/// What counted the most shards of these machines: an instruction set, or graphics cards. Empty if there is none.
pub(crate) fn code_of_most(machines: &[Contribution]) -> &str {
    let shards = |isa: &str| -> usize {
        machines.iter().filter(|machine| machine.by.isa == isa).map(|machine| machine.shards).sum()
    };
    let codes = machines.iter().map(|machine| machine.by.isa.as_str());
    // The first of several that counted as many.
    codes.rev().max_by_key(|isa| shards(isa)).unwrap_or_default()
}

/// The last moment that its text can name, in the year 9999.
const LAST: u64 = 253_402_300_799;

/// A time in seconds since 1970. Its text is in UTC, such as `2026-11-21T10:53:07Z`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(pub(super) u64);

impl Moment {
    /// The time now. A clock outside the years 1970 to 9999 gives the first or the last moment of them.
    pub(crate) fn now() -> Self {
        Self(UNIX_EPOCH.elapsed().unwrap_or_default().as_secs().min(LAST))
    }
}

impl Display for Moment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(self.0)).fmt(formatter)
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Text::deserialize(deserializer)?.0;
        let time = humantime::parse_rfc3339(&text).ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let no_time = || D::Error::custom(format!("'{}' is not a time", shortened(&text, 50)));
        time.map(|time| Self(time.as_secs())).ok_or_else(no_time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_most_shards_is_named_whatever_it_is() {
        let by = |machine: &str, isa: &str, shards: usize| {
            let by = Contributor { machine: machine.to_owned(), isa: isa.to_owned(), ..Contributor::default() };
            Contribution { shards, ..Contribution::none(by) }
        };
        assert_eq!(code_of_most(&[by("a", "gpu (card)", 4)]), "gpu (card)");
        // Two machines with one instruction set.
        assert_eq!(code_of_most(&[by("a", "gpu (card)", 4), by("b", "avx2", 3), by("c", "avx2", 2)]), "avx2");
        assert_eq!(code_of_most(&[by("a", "portable", 2), by("b", "avx2", 2)]), "portable");
        assert_eq!(code_of_most(&[]), "");
    }

    #[test]
    fn moments_are_written_and_read_to_the_year_9999() {
        for (seconds, text) in
            [(0, "1970-01-01T00:00:00Z"), (1_764_309_658, "2025-11-28T06:00:58Z"), (LAST, "9999-12-31T23:59:59Z")]
        {
            let json = format!("\"{text}\"");
            assert_eq!(serde_json::to_string(&Moment(seconds)).unwrap(), json);
            assert_eq!(serde_json::from_str::<Moment>(&json).unwrap(), Moment(seconds));
        }
        for wrong in ["\"yesterday\"", "\"1969-12-31T23:59:59Z\"", "\"10000-01-01T00:00:00Z\"", "0"] {
            assert!(serde_json::from_str::<Moment>(wrong).is_err(), "{wrong}");
        }
    }
}
