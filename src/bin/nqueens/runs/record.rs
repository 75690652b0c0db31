//! The record of a shard: the count of each of its units, and who counted it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::plan::SCHEMA;
use super::{RunPlan, seal};
use nqueens::count::{Tally, Total, Work};

/// The value of `kind`.
const KIND: &str = "nqueens-record";

/// The modulus of residues, a prime: 2^61 - 1.
const PRIME: u64 = (1 << 61) - 1;

/// A sum of counts modulo 2^61 - 1. It is added up apart from the whole sum, so a fault in one of them shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Residue(u64);

impl Residue {
    /// The residue of a whole sum.
    pub(crate) fn of(sum: u128) -> Self {
        Self((sum % u128::from(PRIME)) as u64)
    }

    /// Adds a count.
    pub(crate) fn add(&mut self, count: u128) {
        self.merge(Self::of(count));
    }

    /// Adds the residue of other counts.
    pub(crate) fn merge(&mut self, other: Self) {
        self.0 = (self.0 + other.0) % PRIME;
    }
}

/// Who counted a shard.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Origin {
    /// The instruction set used.
    pub(crate) isa: String,
    /// The program's version.
    pub(crate) version: String,
    /// The commit it was built from.
    pub(crate) commit: String,
    /// Whether the sources differed from the commit.
    pub(crate) dirty: bool,
    /// The processor's model.
    pub(crate) cpu: String,
    /// The machine's name; missing in old records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) machine: Option<String>,
    /// Number of threads of the process that counted.
    pub(crate) threads: usize,
}

impl Origin {
    /// The machine's name, or its processor's model where it has none.
    pub(crate) fn who(&self) -> &str {
        self.machine.as_deref().unwrap_or(&self.cpu)
    }
}

/// The sums of a shard while its units are counted.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Figures {
    /// The count of each unit, weights and divisor included.
    pub(crate) counts: Vec<u128>,
    /// Their sum.
    pub(crate) total: Total,
    /// The residue of their sum, kept apart.
    pub(crate) residue: Residue,
    /// Seconds of cores that it took.
    pub(crate) core_seconds: f64,
}

impl Figures {
    /// Makes the sums of a shard with this number of units, none of them counted yet.
    pub(crate) fn of_units(units: usize) -> Self {
        Self { counts: vec![0; units], ..Self::default() }
    }

    /// Adds the tally of the unit at `place` in the shard.
    ///
    /// # Errors
    /// [`nqueens::Error::Overflow`] if the sum passes 128 bits.
    ///
    /// # Panics
    /// If the shard has no such unit.
    pub(crate) fn add(&mut self, place: usize, tally: Tally, core_seconds: f64) -> nqueens::Result<()> {
        self.counts[place] = tally.solutions;
        self.total.add(tally)?;
        self.residue.add(tally.solutions);
        self.core_seconds += core_seconds;
        Ok(())
    }
}

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
    units: usize,
    /// The count of each unit, weights and divisor included: decimal numbers with spaces between.
    #[serde(with = "numbers")]
    pub(crate) counts: Vec<u128>,
    sum: String,
    residue: String,
    /// The work figures, by name.
    work: BTreeMap<String, String>,
    /// Seconds of cores that it took.
    pub(crate) core_seconds: f64,
    /// When it was finished, such as `2026-11-21T10:53:07Z`.
    pub(crate) finished: String,
    /// Who counted it.
    #[serde(flatten)]
    pub(crate) origin: Origin,
}

/// The counts of all units in one string. Numbers of JSON would lose digits above 2^53.
pub(crate) mod numbers {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    /// More units than any plan has: the one for n = 32 has 759 927.
    const MOST: usize = 1 << 24;

    pub(in crate::runs) fn serialize<S: Serializer>(counts: &[u128], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&counts.iter().map(u128::to_string).collect::<Vec<_>>().join(" "))
    }

    pub(in crate::runs) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u128>, D::Error> {
        let text = String::deserialize(deserializer)?;
        let number = |word: &str| word.parse().map_err(|_| Error::custom(format!("'{word}' is not a count")));
        let words = || text.split(' ').filter(|word| !word.is_empty());
        if words().count() > MOST {
            return Err(Error::custom(format!("it has more than {MOST} counts, more than any plan has units")));
        }
        words().map(number).collect()
    }
}

/// The sum of counts; `None` if it passes 128 bits.
pub(crate) fn sum(counts: &[u128]) -> Option<u128> {
    counts.iter().try_fold(0u128, |sum, &count| sum.checked_add(count))
}

impl ShardRecord {
    /// Makes the record of a shard that was just counted.
    ///
    /// # Errors
    /// [`super::Error::Shard`] if the plan has no such shard.
    pub(crate) fn new(plan: &RunPlan, shard: usize, figures: Figures, origin: Origin) -> super::Result<Self> {
        let units = plan.shard(shard)?;
        Ok(Self {
            schema: SCHEMA,
            kind: KIND.to_owned(),
            size: plan.cut.size,
            solver: plan.cut.solver.clone(),
            plan_version: plan.cut.plan_version,
            fingerprint: plan.cut.fingerprint.clone(),
            shard,
            first_unit: units.start,
            units: units.len(),
            counts: figures.counts,
            sum: figures.total.solutions.to_string(),
            residue: figures.residue.0.to_string(),
            work: figures.total.work.figures().map(|(name, n)| (name.to_owned(), n.to_string())).collect(),
            // Milliseconds are enough for a shard.
            core_seconds: (figures.core_seconds * 1e6).round() / 1e6,
            finished: crate::machine::now().to_string(),
            origin,
        })
    }

    /// Returns the text of the record's file.
    pub(crate) fn to_text(&self) -> String {
        seal::seal(self).expect("numbers and text can be written as JSON")
    }

    /// Reads a record, and checks its checksum and its sums.
    ///
    /// # Errors
    /// A clause that says what is wrong.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let record: Self = seal::open(bytes)?;
        if (record.schema, record.kind.as_str()) != (SCHEMA, KIND) {
            return Err(format!("it is of kind '{}', schema {}, not '{KIND}', {SCHEMA}", record.kind, record.schema));
        }
        if record.counts.len() != record.units {
            return Err(format!("it has {} counts for {} units", record.counts.len(), record.units));
        }
        let Some(sum) = sum(&record.counts) else { return Err("its counts add up to more than 128 bits".to_owned()) };
        if record.sum != sum.to_string() {
            return Err(format!("its sum is {}, and its counts add up to {sum}", record.sum));
        }
        if record.residue != Residue::of(sum).0.to_string() {
            return Err(format!("its residue is {}, and that of its sum is {}", record.residue, Residue::of(sum).0));
        }
        Ok(record)
    }

    /// Checks that the record belongs to this shard of this plan.
    ///
    /// # Errors
    /// A clause that says why it does not.
    pub(crate) fn check(&self, plan: &RunPlan, shard: usize) -> Result<(), String> {
        let cut = &plan.cut;
        if (self.size, &self.solver) != (cut.size, &cut.solver) {
            return Err(format!("it is of another run, for n = {} with {}", self.size, self.solver));
        }
        if (self.plan_version, &self.fingerprint) != (cut.plan_version, &cut.fingerprint) {
            return Err(format!(
                "it is of another plan (version {}, fingerprint {})",
                self.plan_version, self.fingerprint
            ));
        }
        if self.shard != shard {
            return Err(format!("it is the record of shard {}", self.shard));
        }
        let units = plan.shard(shard).map_err(|error| error.to_string())?;
        if (self.first_unit, self.units) != (units.start, units.len()) {
            return Err(format!(
                "it has the units {}..{}, of a plan with other shards: here they are {}..{}",
                self.first_unit,
                self.first_unit + self.units,
                units.start,
                units.end
            ));
        }
        Ok(())
    }

    /// The first unit at which two records of a shard differ, and its count in each.
    pub(crate) fn difference(&self, other: &Self) -> Option<(usize, u128, u128)> {
        let at = self.counts.iter().zip(&other.counts).position(|(a, b)| a != b)?;
        Some((self.first_unit + at, self.counts[at], other.counts[at]))
    }

    /// The residue of the counts. The count added it up apart from the sum.
    pub(crate) fn residue(&self) -> Residue {
        Residue(self.residue.parse().unwrap_or(PRIME))
    }

    /// The work figures.
    pub(crate) fn work(&self) -> Work {
        let figure = |name: &str| self.work.get(name).and_then(|figure| figure.parse().ok()).unwrap_or(0);
        let mut work = Work::default();
        (work.nodes, work.words) = (figure("nodes"), figure("lane_words"));
        work
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nqueens::board::Size;

    fn record(counts: &[u128]) -> (RunPlan, ShardRecord) {
        let size = Size::new(8).unwrap();
        let plan = RunPlan::new(size, nqueens::solver::registry::find("mask").unwrap(), Some(2)).unwrap();
        let mut figures = Figures::of_units(4);
        for (place, &solutions) in counts.iter().enumerate() {
            figures.add(place, Tally::new(solutions, Work::of_nodes(7)), 0.25).unwrap();
        }
        let record = ShardRecord::new(&plan, 1, figures, Origin::default()).unwrap();
        (plan, record)
    }

    #[test]
    fn a_record_reads_as_it_was_written_up_to_the_largest_counts() {
        for counts in [[0, 1, 2, 3], [u128::from(u64::MAX), u128::MAX / 4, PRIME.into(), u128::from(PRIME) - 1]] {
            let (plan, record) = record(&counts);
            let read = ShardRecord::parse(record.to_text().as_bytes()).unwrap();
            assert_eq!(read, record);
            assert_eq!((&read.counts[..], read.check(&plan, 1)), (&counts[..], Ok(())));
            assert_eq!(read.residue(), Residue::of(counts.iter().sum()));
            assert!(read.check(&plan, 0).unwrap_err().contains("shard 1"));
        }
    }

    #[test]
    fn records_that_contradict_themselves_are_refused() {
        let (_, good) = record(&[1, 2, 3, 4]);
        let changes: [fn(&mut ShardRecord); 6] = [
            |record| record.counts = vec![u128::MAX, 1, 2, 3],
            |record| record.counts[2] += 1,
            |record| record.sum = "11".to_owned(),
            |record| record.residue = "11".to_owned(),
            |record| record.units = 5,
            |record| record.kind = "nqueens-plan".to_owned(),
        ];
        for change in changes {
            let mut record = good.clone();
            change(&mut record);
            assert!(ShardRecord::parse(record.to_text().as_bytes()).is_err());
        }
    }
}
