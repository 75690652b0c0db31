//! The record of a shard: the count of each of its units, and who counted it.

use serde::{Deserialize, Serialize};

use super::plan::SCHEMA;
use super::{Contribution, RunPlan, seal};
use nqueens::solver::Plan;
use nqueens::tally::{Tally, Work};

/// The value of `kind`.
const KIND: &str = "nqueens-record";

/// The record of a shard. Its file is one line of JSON that ends with a checksum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ShardRecord {
    schema: u32,
    kind: String,
    size: usize,
    solver: String,
    plan_version: u32,
    fingerprint: String,
    /// The number of the shard.
    pub(crate) shard: usize,
    /// The first of its units.
    pub(crate) first_unit: usize,
    /// The count of each unit, weights and divisor included: decimal numbers with spaces between.
    #[serde(with = "numbers")]
    pub(crate) counts: Vec<u128>,
    /// Their sum, added up while they were counted.
    #[serde(serialize_with = "nqueens::internal::to_digits", deserialize_with = "nqueens::internal::from_digits")]
    sum: u128,
    /// The work figures.
    pub(crate) work: Work,
    /// Who counted it. [`ShardRecord::from_json`] reads it apart: with `flatten`, serde copies unknown fields to memory.
    #[serde(flatten, skip_deserializing)]
    pub(crate) by: Contribution,
}

/// What old records have instead of `program`.
#[derive(Deserialize)]
struct OldProgram {
    version: String,
    commit: String,
    /// Whether the sources differed from the commit.
    dirty: bool,
}

/// The counts of all units in one string. Numbers of JSON would lose digits above 2^53.
pub(crate) mod numbers {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use crate::terminal::escape::shortened;

    /// The most counts that are read. A plan of n = 32 could have 759 927 units.
    const MOST: usize = 1 << 20;

    pub(in crate::runs) fn serialize<S: Serializer>(counts: &[u128], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&counts.iter().map(u128::to_string).collect::<Vec<_>>().join(" "))
    }

    pub(in crate::runs) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u128>, D::Error> {
        let text = String::deserialize(deserializer)?;
        let words = text.split_ascii_whitespace();
        // A digit and a space take 16 bytes as a number.
        if words.clone().nth(MOST).is_some() {
            return Err(Error::custom(format!("it has more than {MOST} counts")));
        }
        let not = |word| Error::custom(format!("'{}' is not a count", shortened(word, 50)));
        words.map(|word| word.parse().map_err(|_| not(word))).collect()
    }
}

/// The sum of counts; `None` if it passes 128 bits.
pub(crate) fn sum(counts: &[u128]) -> Option<u128> {
    counts.iter().try_fold(0u128, |sum, &count| sum.checked_add(count))
}

/// Checks that each count is a multiple of its unit's [`tally_divisor`](Plan::tally_divisor). The error is a clause.
pub(crate) fn check_tallies(plan: &dyn Plan, counts: impl IntoIterator<Item = (usize, u128)>) -> Result<(), String> {
    for (unit, count) in counts {
        let divisor = plan.tally_divisor(unit);
        if !count.is_multiple_of(u128::from(divisor)) {
            return Err(format!(
                "its unit {unit} counts {count}, which is no multiple of {divisor}, the unit's weight"
            ));
        }
    }
    Ok(())
}

impl ShardRecord {
    /// Begins the record of a shard none of whose units are counted yet. `by` says who counts.
    pub(crate) fn begin(plan: &RunPlan, shard: usize, by: &Contribution) -> Self {
        let units = plan.units_of(shard);
        Self {
            schema: SCHEMA,
            kind: KIND.to_owned(),
            size: plan.cut.size,
            solver: plan.cut.solver.clone(),
            plan_version: plan.cut.plan_version,
            fingerprint: plan.cut.fingerprint.clone(),
            shard,
            first_unit: units.start,
            counts: vec![0; units.len()],
            sum: 0,
            work: Work::default(),
            by: Contribution { shards: 1, predicted_seconds: plan.predicted_seconds(shard), ..by.clone() },
        }
    }

    /// Adds the tally of a unit of the shard.
    pub(crate) fn add(&mut self, unit: usize, tally: Tally, core_seconds: f64) -> nqueens::Result<()> {
        let mut total = Tally::new(self.sum, self.work);
        total.add(tally)?;
        (self.sum, self.work) = (total.solutions, total.work);
        self.counts[unit - self.first_unit] = tally.solutions;
        self.by.core_seconds += core_seconds;
        Ok(())
    }

    /// The record after its last unit, with the time.
    pub(crate) fn finish(mut self) -> Self {
        // Microseconds are enough for a shard.
        self.by.core_seconds = (self.by.core_seconds * 1e6).round() / 1e6;
        self.by.finished = crate::machine::now();
        self
    }

    fn from_json(json: &[u8]) -> serde_json::Result<Self> {
        let mut record = Self { by: serde_json::from_slice(json)?, ..serde_json::from_slice(json)? };
        if record.by.program.is_empty()
            && let Ok(OldProgram { version, commit, dirty }) = serde_json::from_slice(json)
        {
            record.by.program = format!("{version} ({commit}{})", if dirty { ", modified" } else { "" });
        }
        Ok(record)
    }

    /// Reads a record. Checks its checksum and its sums. The error is a clause that says what is wrong.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let record = seal::open(bytes, Self::from_json)?;
        record.check().map(|()| record)
    }

    /// Whether it is a record of this plan.
    pub(crate) fn is_of(&self, plan: &RunPlan) -> bool {
        let cut = &plan.cut;
        (self.size, &self.solver, self.plan_version, &self.fingerprint)
            == (cut.size, &cut.solver, cut.plan_version, &cut.fingerprint)
            && self.shard < plan.shards()
            && plan.units_of(self.shard) == (self.first_unit..self.first_unit.saturating_add(self.counts.len()))
    }

    /// Plan, shard and units, in words.
    pub(crate) fn in_words(&self) -> String {
        format!(
            "n = {} with {} (plan version {}, fingerprint {}), shard {} with {} units from {}",
            self.size,
            self.solver,
            self.plan_version,
            self.fingerprint,
            self.shard,
            self.counts.len(),
            self.first_unit
        )
    }

    /// Checks that its fields do not contradict each other.
    fn check(&self) -> Result<(), String> {
        if (self.schema, self.kind.as_str()) != (SCHEMA, KIND) {
            return Err(format!("it is of kind '{}', schema {}, not '{KIND}', {SCHEMA}", self.kind, self.schema));
        }
        let sum = sum(&self.counts).ok_or("its counts add up to more than 128 bits")?;
        if self.sum != sum {
            return Err(format!("its sum is {}, and its counts add up to {sum}", self.sum));
        }
        Ok(())
    }

    /// The first unit at which two records of a shard differ, and its count in each.
    pub(crate) fn difference(&self, other: &Self) -> Option<(usize, u128, u128)> {
        let at = self.counts.iter().zip(&other.counts).position(|(a, b)| a != b)?;
        Some((self.first_unit + at, self.counts[at], other.counts[at]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nqueens::board::Size;

    fn record(counts: &[u128]) -> (RunPlan, ShardRecord) {
        let size = Size::new(8).unwrap();
        let plan = RunPlan::new(size, nqueens::registry::find("arrays").unwrap(), Some(2)).unwrap();
        let mut record = ShardRecord::begin(&plan, 1, &Contribution::default());
        for (unit, &solutions) in plan.units_of(1).zip(counts) {
            record.add(unit, Tally::new(solutions, Work::of_nodes(7)), 0.25).unwrap();
        }
        (plan, record.finish())
    }

    #[test]
    fn a_record_reads_as_it_was_written_up_to_the_largest_counts() {
        for counts in [[0, 1, 2, 3], [u128::from(u64::MAX), u128::MAX / 4, u128::MAX / 2, 1]] {
            let (plan, record) = record(&counts);
            let text = seal::seal(&record);
            let read = ShardRecord::parse(text.as_bytes()).unwrap();
            assert!(read.is_of(&plan));
            assert_eq!(read, record);
            assert_eq!(read.counts, counts);
        }
    }

    #[test]
    fn records_of_older_programs_are_read() {
        let (plan, record) = record(&[1, 2, 3, 4]);
        let mut json = serde_json::to_value(&record).unwrap();
        for field in ["program", "shards", "predicted_seconds"] {
            json.as_object_mut().unwrap().remove(field).unwrap();
        }
        for (field, value) in [("version", "0.1.0".into()), ("commit", "1f2e3d".into()), ("units", 4.into())] {
            json[field] = value;
        }
        for (dirty, program) in [(false, "0.1.0 (1f2e3d)"), (true, "0.1.0 (1f2e3d, modified)")] {
            json["dirty"] = dirty.into();
            let read = ShardRecord::parse(seal::seal(&json).as_bytes()).unwrap();
            assert!(read.is_of(&plan) && read.counts == record.counts && read.by.program == program, "{read:?}");
        }
    }

    #[test]
    fn records_that_contradict_themselves_are_refused() {
        let (_, good) = record(&[1, 2, 3, 4]);
        let changes: [fn(&mut ShardRecord); 4] = [
            |record| record.counts = vec![u128::MAX, 1, 2, 3],
            |record| record.counts[2] += 1,
            |record| record.sum = 11,
            |record| record.kind = "nqueens-plan".to_owned(),
        ];
        for change in changes {
            let mut record = good.clone();
            change(&mut record);
            let read = ShardRecord::parse(seal::seal(&record).as_bytes());
            assert!(read.is_err(), "{read:?}");
        }
    }

    #[test]
    fn a_sound_record_of_another_plan_is_not_damaged() {
        let (plan, good) = record(&[1, 2, 3, 4]);
        let changes: [fn(&mut ShardRecord); 7] = [
            |record| record.size = 9,
            |record| record.solver = "bitmask".to_owned(),
            |record| record.fingerprint = "0".to_owned(),
            |record| record.first_unit = usize::MAX,
            |record| record.counts.push(0),
            |record| record.shard = usize::MAX,
            |record| record.shard = 0,
        ];
        for change in changes {
            let mut record = good.clone();
            change(&mut record);
            let read = ShardRecord::parse(seal::seal(&record).as_bytes()).unwrap();
            assert!(!read.is_of(&plan), "{read:?}");
        }
    }
}
