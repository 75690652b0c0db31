//! A line of a log: a finished shard, with the count of each unit and the contributor.

use std::ops::Range;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{RunPlan, checksum};
use crate::machine::now;
use crate::terminal::units::plural;
use nqueens::internal::whole_number;
use nqueens::tally::{Tally, Work};

/// A contributor to a run: a machine, and the code that it counts with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Contributor {
    /// The machine's name.
    pub(crate) machine: String,
    /// The model of its processor.
    pub(crate) cpu: String,
    /// The instruction set or the graphics cards that it counts with.
    pub(crate) isa: String,
    /// The version and commit of the program.
    pub(crate) program: String,
}

impl Contributor {
    /// Returns by what contributors are told apart when units are chosen or shares are shown: the machine, and what it
    /// counts with.
    pub(crate) fn key(&self) -> (&str, &str) {
        (&self.machine, &self.isa)
    }
}

/// A line of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Line {
    /// The number of the shard.
    pub(crate) shard: usize,
    /// The fingerprint of all units of the run.
    pub(crate) fingerprint: String,
    /// The first unit of the shard.
    pub(crate) first_unit: usize,
    /// The count of each unit, weights included. The file stores them as decimal numbers in one string, because many
    /// readers of JSON lose digits above 2^53.
    #[serde(serialize_with = "to_words", deserialize_with = "from_words")]
    pub(crate) counts: Vec<u128>,
    /// The sum of the counts, added up as they came in: a count that changes in memory before the line is written no
    /// longer agrees with it.
    #[serde(serialize_with = "nqueens::internal::to_digits", deserialize_with = "nqueens::internal::from_digits")]
    sum: u128,
    /// The work figures of the shard.
    pub(crate) work: Work,
    /// The contributor that counted the shard.
    pub(crate) by: Contributor,
    /// Core seconds that the shard took.
    pub(crate) core_seconds: f64,
    /// When the shard was finished, in UTC, such as `2026-11-21T10:53:07Z`. These strings sort by time.
    pub(crate) finished: String,
}

/// The counts of a shard that is being counted.
pub(crate) struct Tallied {
    /// The count of each unit, or 0 until it is counted.
    pub(crate) counts: Vec<u128>,
    /// The sum of the tallies, added up as they came in.
    pub(crate) total: Tally,
    pub(crate) core_seconds: f64,
}

/// More core seconds than a shard takes: 30 000 years.
const MOST_SECONDS: f64 = 1e12;

/// What the name of graphics cards begins with in [`Contributor::isa`].
pub(crate) const CARDS: &str = "gpu";

impl Contributor {
    /// Returns whether it counts with graphics cards.
    pub(crate) fn is_cards(&self) -> bool {
        self.isa.starts_with(CARDS)
    }
}

fn to_words<S: Serializer>(counts: &[u128], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&counts.iter().map(u128::to_string).collect::<Vec<_>>().join(" "))
}

fn from_words<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u128>, D::Error> {
    let not = |word| D::Error::custom(format!("'{word}' is not a count"));
    let words = <&str>::deserialize(deserializer)?.split_ascii_whitespace();
    words.map(|word| whole_number(word).ok_or_else(|| not(word))).collect()
}

/// Returns the sum of counts, or `None` if it does not fit in 128 bits.
pub(crate) fn sum(counts: &[u128]) -> Option<u128> {
    counts.iter().try_fold(0u128, |sum, &count| sum.checked_add(count))
}

impl Line {
    /// Returns the line of a shard that was counted now. Rounds the core seconds to microseconds.
    pub(crate) fn new(run_plan: &RunPlan, shard: usize, by: &Contributor, tallied: Tallied) -> Self {
        Self {
            shard,
            fingerprint: run_plan.fingerprint.clone(),
            first_unit: run_plan.units_of(shard).start,
            counts: tallied.counts,
            sum: tallied.total.solutions,
            work: tallied.total.work,
            by: by.clone(),
            core_seconds: (tallied.core_seconds * 1e6).round() / 1e6,
            finished: now(),
        }
    }

    /// Returns the text of the line in a log.
    pub(crate) fn text(&self) -> String {
        checksum::line(self)
    }

    /// Reads a line and checks its checksum and its sum. The error is a clause about the line.
    pub(crate) fn parse(line: &[u8]) -> Result<Self, String> {
        let line: Self = checksum::read(line)?;
        let sum = sum(&line.counts).ok_or("the sum of its counts does not fit in 128 bits")?;
        if line.sum != sum {
            return Err(format!("its sum is {}, but its counts add up to {sum}", line.sum));
        }
        if !(0.0..MOST_SECONDS).contains(&line.core_seconds) {
            return Err(format!("{:e} seconds cannot be the core time of a shard", line.core_seconds));
        }
        Ok(line)
    }

    /// Returns the units of the line, or `None` if it is of another plan.
    pub(crate) fn units_in(&self, run_plan: &RunPlan) -> Option<Range<usize>> {
        let units = self.first_unit..self.first_unit.saturating_add(self.counts.len());
        let is_of = self.fingerprint == run_plan.fingerprint
            && self.shard < run_plan.shards()
            && run_plan.units_of(self.shard) == units;
        is_of.then_some(units)
    }

    /// Describes the line in words: shard, units and fingerprint.
    pub(crate) fn in_words(&self) -> String {
        let (shard, first, units) = (self.shard, self.first_unit, plural(self.counts.len(), "unit"));
        format!("shard {shard} with {units} from {first} (fingerprint {})", self.fingerprint)
    }
}

impl Tallied {
    /// Returns the counts of a shard of this many units, none of which is counted yet.
    pub(crate) fn none_of(units: usize) -> Self {
        Self { counts: vec![0; units], total: Tally::default(), core_seconds: 0.0 }
    }

    /// Adds the tally of the unit at this place in the shard.
    pub(crate) fn add(&mut self, place: usize, tally: Tally, core_seconds: f64) -> nqueens::Result<()> {
        self.total.add(tally)?;
        self.counts[place] = tally.solutions;
        self.core_seconds += core_seconds;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_plan() -> RunPlan {
        crate::run::tests::run_plan(8, Some("arrays"), Some(2))
    }

    fn line(run_plan: &RunPlan, by: &Contributor, counts: &[u128]) -> Line {
        let mut tallied = Tallied::none_of(counts.len());
        for (place, &solutions) in counts.iter().enumerate() {
            tallied.add(place, Tally::new(solutions, Work::of_nodes(7)), 0.25).unwrap();
        }
        Line::new(run_plan, 1, by, tallied)
    }

    #[test]
    fn a_count_is_digits_alone() {
        #[derive(serde::Deserialize)]
        struct Counts(#[serde(deserialize_with = "from_words")] Vec<u128>);
        let read = |words: &str| serde_json::from_str(&format!("\"{words}\"")).ok().map(|Counts(counts)| counts);
        assert_eq!(read("0 92 340282366920938463463374607431768211455"), Some(vec![0, 92, u128::MAX]));
        for words in ["+5", "05", "5 -1", "5,6", "340282366920938463463374607431768211456"] {
            assert_eq!(read(words), None, "{words}");
        }
    }

    proptest::proptest! {
        /// A line with a changed byte is an error, as are arbitrary bytes.
        #[test]
        fn no_changed_line_is_read(at in 0usize..400, byte: u8, bytes: Vec<u8>) {
            let (run_plan, by) = (run_plan(), Contributor::default());
            let mut changed = line(&run_plan, &by, &[1, 2, 3, 4]).text().into_bytes();
            let at = at % (changed.len() - 1);
            if std::mem::replace(&mut changed[at], byte) != byte {
                assert!(Line::parse(&changed).is_err());
            }
            assert!(Line::parse(&bytes).is_err());
        }
    }

    #[test]
    fn a_line_reads_as_it_was_written_up_to_the_largest_counts() {
        let (run_plan, by) =
            (run_plan(), Contributor { machine: "a \"quoted\" name".to_owned(), ..Contributor::default() });
        for counts in [[0, 1, 2, 3], [u128::from(u64::MAX), u128::MAX / 4, u128::MAX / 2, 1]] {
            let line = line(&run_plan, &by, &counts);
            let text = line.text();
            let read = Line::parse(text.as_bytes()).unwrap();
            assert_eq!(read.units_in(&run_plan), Some(run_plan.units_of(1)));
            assert_eq!(read, line);
            assert_eq!(read.counts, counts);
        }
    }

    #[test]
    fn lines_that_contradict_themselves_are_damaged_and_those_of_other_plans_are_not() {
        let (run_plan, by) = (run_plan(), Contributor::default());
        type Change = fn(&mut Line);
        let changes: [(Change, bool); 10] = [
            (|line| line.counts = vec![u128::MAX, 1, 2, 3], false),
            (|line| line.counts[2] += 1, false),
            (|line| line.sum = 11, false),
            (|line| line.core_seconds = -5.0, false),
            (|line| line.core_seconds = 1e308, false),
            (|line| line.fingerprint = "0".into(), true),
            (|line| line.first_unit = usize::MAX, true),
            (|line| line.counts.push(0), true),
            (|line| line.shard = usize::MAX, true),
            (|line| line.shard = 0, true),
        ];
        for (change, is_sound) in changes {
            let mut line = line(&run_plan, &by, &[1, 2, 3, 4]);
            change(&mut line);
            let text = line.text();
            let read = Line::parse(text.as_bytes());
            assert_eq!(read.is_ok(), is_sound, "{text}");
            assert!(read.is_ok_and(|read| read.units_in(&run_plan).is_none()) || !is_sound, "{text}");
        }
    }
}
