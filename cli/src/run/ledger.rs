//! The counts of units, with who counted them. Some are chosen to be counted again.

use std::collections::HashSet;
use std::fmt::{self, Display};
use std::time::{Duration, UNIX_EPOCH};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use super::numbers::{self, Text};
use crate::terminal::escape::shortened;
use nqueens::internal::SplitMix64;

/// What is known of the units of a run or of a published result.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ledger {
    /// The machines that counted.
    pub(crate) machines: Vec<Contribution>,
    /// Who counted which units, in order of the units. Old results have none.
    #[serde(default)]
    pub(crate) shards: Vec<CountedShard>,
    /// The count of each unit of the shards: decimal numbers with spaces between. Empty where only the progress matters.
    #[serde(with = "numbers")]
    pub(crate) counts: Vec<u128>,
}

/// What one machine counted: a shard, or all its shards.
///
/// Fields that old files lack have a default. The others keep a hostile file from making large values of few bytes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Contribution {
    /// Its name.
    pub(crate) machine: String,
    /// Its processor's model.
    #[serde(default)]
    pub(crate) cpu: String,
    /// The instruction set used.
    pub(crate) isa: String,
    /// The program's version and commit.
    #[serde(default)]
    pub(crate) program: String,
    /// Number of shards.
    #[serde(default)]
    pub(crate) shards: usize,
    /// Seconds of cores.
    pub(crate) core_seconds: f64,
    /// Seconds of cores that were predicted, with portable code. Old results have none.
    #[serde(default)]
    pub(crate) predicted_seconds: f64,
    /// When its last shard was finished.
    #[serde(default)]
    pub(crate) finished: Moment,
}

/// A time in seconds since 1970. Its text is in UTC, such as `2026-11-21T10:53:07Z`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(pub(super) u64);

impl Moment {
    /// The time now. A clock before 1970 gives the start of 1970.
    pub(crate) fn now() -> Self {
        Self(UNIX_EPOCH.elapsed().unwrap_or_default().as_secs())
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

/// Who counted the units of a shard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CountedShard {
    pub(super) shard: usize,
    pub(super) first_unit: usize,
    pub(super) units: usize,
    /// The number of its machine among `machines`, from 0.
    pub(super) machine: usize,
    /// When it was finished.
    pub(super) finished: Moment,
    pub(super) core_seconds: f64,
}

/// Seconds of cores that all shards of these machines took.
pub(crate) fn core_seconds(machines: &[Contribution]) -> f64 {
    // The sum of no numbers is -0.0.
    machines.iter().fold(0.0, |sum, machine| sum + machine.core_seconds)
}

/// What counted the most shards of these machines: an instruction set, or graphics cards. Empty if there is none.
pub(crate) fn code_of_most(machines: &[Contribution]) -> &str {
    let shards = |isa: &str| -> usize {
        machines.iter().filter(|machine| machine.isa == isa).map(|machine| machine.shards).sum()
    };
    let codes = machines.iter().map(|machine| machine.isa.as_str());
    // The first of several that counted as many.
    codes.rev().max_by_key(|isa| shards(isa)).unwrap_or_default()
}

/// The recorded count of a unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Counted<'a> {
    /// The unit.
    pub(crate) unit: usize,
    /// Its count, weights and divisor included.
    pub(crate) count: u128,
    /// Who counted it.
    pub(crate) by: &'a Contribution,
}

impl Ledger {
    /// Old results do not say who counted which unit. They are of one machine, whose shard then has all the units.
    pub(crate) fn complete(&mut self, units: usize) {
        if self.shards.is_empty() {
            let finished = Moment::default();
            self.shards.push(CountedShard { shard: 0, first_unit: 0, units, machine: 0, finished, core_seconds: 0.0 });
        }
    }

    /// Checks that the shards are ranges of all `units` units, in order, each with a machine, and that each unit has a
    /// count. The error is a clause.
    pub(crate) fn check_shards(&self, units: usize) -> Result<(), String> {
        let mut last = 0;
        for shard in &self.shards {
            if shard.first_unit != last || shard.machine >= self.machines.len() {
                return Err(format!("its shard {} has no machine of its list, or is out of order", shard.shard));
            }
            last = last.saturating_add(shard.units);
        }
        if last != units || self.counts.len() != units {
            return Err(format!("it has {last} units in shards and {} counts, and not {units}", self.counts.len()));
        }
        Ok(())
    }

    /// The counts, by ascending unit; only those of one machine if `machine` names one.
    pub(crate) fn counted(&self, machine: Option<&str>) -> Vec<Counted<'_>> {
        let units = self.shards.iter().flat_map(|shard| {
            let by = &self.machines[shard.machine];
            (shard.first_unit..).take(shard.units).map(move |unit| (unit, by))
        });
        let all = units.zip(&self.counts).map(|((unit, by), &count)| Counted { unit, count, by });
        all.filter(|counted| machine.is_none_or(|machine| machine == counted.by.machine)).collect()
    }
}

/// With 95 % confidence, fewer than this number of all units are wrong, if `drawn` units of [`draw`] agree. Among them is
/// at least one of each of `machines` machines.
///
/// If this number of units were wrong, a sample would agree with a probability of at most 5 %. The sample is drawn
/// without replacement. [`draw`] shuffles the units and prefers the first of each machine. At most `drawn - machines`
/// of the first `drawn - machines + 1` shuffled units are not the first of their machine. So all these are drawn, and
/// they are a uniform sample.
pub(crate) fn fewer_wrong(all: usize, drawn: usize, machines: usize) -> usize {
    let uniform = (drawn + 1).saturating_sub(machines);
    let (mut wrong, mut agrees) = (0, 1.0);
    while agrees > 0.05 {
        agrees *= all.saturating_sub(uniform + wrong) as f64 / (all - wrong).max(1) as f64;
        wrong += 1;
    }
    wrong
}

/// Draws this number of the counts, at least one of every machine and instruction set.
pub(crate) fn draw(mut counted: Vec<Counted<'_>>, number: usize, seed: u64) -> Vec<Counted<'_>> {
    let mut random = SplitMix64::new(seed);
    for place in (1..counted.len()).rev() {
        counted.swap(place, random.below(place + 1));
    }
    let mut machines = HashSet::new();
    let (mut drawn, rest): (Vec<_>, Vec<_>) =
        counted.into_iter().partition(|counted| machines.insert((&counted.by.machine, &counted.by.isa)));
    let more = number.saturating_sub(drawn.len());
    drawn.extend(rest.into_iter().take(more));
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Units 0..100, the last of each ten by a machine of its own.
    fn ledger() -> Ledger {
        let own = |unit: usize| if unit % 10 == 9 { 1 + unit / 10 } else { 0 };
        let machine = |number: usize| {
            let machine = if number > 0 { format!("machine {}", 10 * number - 1) } else { "most".to_owned() };
            Contribution { machine, isa: "avx2".to_owned(), ..Contribution::default() }
        };
        let shard = |unit: usize| CountedShard {
            shard: unit,
            first_unit: unit,
            units: 1,
            machine: own(unit),
            finished: Moment::default(),
            core_seconds: 0.0,
        };
        Ledger {
            machines: (0..11).map(machine).collect(),
            shards: (0..100).map(shard).collect(),
            counts: (0..100).collect(),
        }
    }

    #[test]
    fn the_code_of_most_shards_is_named_whatever_it_is() {
        let by = |machine: &str, isa: &str, shards: usize| Contribution {
            machine: machine.to_owned(),
            isa: isa.to_owned(),
            shards,
            ..Contribution::default()
        };
        assert_eq!(code_of_most(&[by("a", "gpu (card)", 4)]), "gpu (card)");
        // Two machines with one instruction set.
        assert_eq!(code_of_most(&[by("a", "gpu (card)", 4), by("b", "avx2", 3), by("c", "avx2", 2)]), "avx2");
        assert_eq!(code_of_most(&[by("a", "portable", 2), by("b", "avx2", 2)]), "portable");
        assert_eq!(code_of_most(&[]), "");
    }

    #[test]
    fn every_machine_is_in_a_sample() {
        let ledger = ledger();
        let sample = |number, seed| draw(ledger.counted(None), number, seed);
        for (asked, drawn) in [(1, 11), (13, 13), (40, 40), (100, 100), (1000, 100)] {
            for seed in 0..20 {
                let sample = sample(asked, seed);
                let machines: HashSet<&str> = sample.iter().map(|counted| counted.by.machine.as_str()).collect();
                let units: HashSet<usize> = sample.iter().map(|counted| counted.unit).collect();
                assert_eq!((sample.len(), machines.len(), units.len()), (drawn, 11, drawn), "{asked}");
            }
        }
        assert_eq!(sample(40, 3), sample(40, 3));
        assert_ne!(sample(40, 3), sample(40, 4));
    }

    /// All samples are counted.
    #[test]
    fn a_sample_says_how_many_units_may_be_wrong() {
        let choose = |n: u64, k: u64| (0..k).map(|i| (n - i) as f64 / (k - i) as f64).product::<f64>();
        for all in 1..60 {
            for drawn in 1..=all {
                let missed =
                    |wrong| if wrong > all - drawn { 0.0 } else { choose(all - wrong, drawn) / choose(all, drawn) };
                let wrong = fewer_wrong(all as usize, drawn as usize, 1) as u64;
                assert!(missed(wrong) < 0.050_001 && missed(wrong - 1) > 0.049_999, "{drawn} of {all}: {wrong}");
            }
        }
        // The rule of three: fewer than 3 in 20 units.
        assert_eq!(fewer_wrong(1_000_000, 20, 1), 139_108);
        assert_eq!((fewer_wrong(100, 100, 1), fewer_wrong(100, 11, 11)), (1, 95));
    }
}
