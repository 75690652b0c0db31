//! Which units of a run, or of a published result, are to be counted again, and who counted them before.

use std::collections::{HashMap, HashSet};

use super::{Merged, Published, ShardRecord};
use nqueens::splitmix::SplitMix64;

/// Who counted some of the units.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Source {
    /// The machine's name.
    pub(crate) machine: String,
    /// The instruction set used, where it is known.
    pub(crate) isa: Option<String>,
}

/// What somebody says of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counted {
    /// The unit.
    pub(crate) unit: usize,
    /// What it counts, weights and divisor included.
    pub(crate) count: u128,
    /// Who says so, by number among [`Audit::sources`].
    pub(crate) source: usize,
    /// Whether somebody else says something else.
    pub(crate) is_disputed: bool,
}

/// All that is said of the units of a run or a result.
#[derive(Debug, Default)]
pub(crate) struct Audit {
    /// Who counted.
    pub(crate) sources: Vec<Source>,
    /// What they counted, by ascending unit.
    pub(crate) counts: Vec<Counted>,
    /// The number of each source.
    numbers: HashMap<Source, usize>,
}

impl Audit {
    fn number(&mut self, machine: &str, isa: Option<&str>) -> usize {
        let source = Source { machine: machine.to_owned(), isa: isa.map(str::to_owned) };
        *self.numbers.entry(source).or_insert_with_key(|source| {
            self.sources.push(source.clone());
            self.sources.len() - 1
        })
    }

    fn add(&mut self, record: &ShardRecord, is_disputed: impl Fn(usize) -> Option<bool>) {
        let source = self.number(record.origin().who(), Some(&record.origin().isa));
        self.counts.extend(record.counts().iter().enumerate().filter_map(|(place, &count)| {
            let unit = record.first_unit() + place;
            Some(Counted { unit, count, source, is_disputed: is_disputed(place)? })
        }));
    }

    /// The names of the machines, each once.
    pub(crate) fn machines(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.sources.iter().map(|source| source.machine.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Leaves only what this machine counted.
    pub(crate) fn keep(&mut self, machine: &str) {
        let sources = &self.sources;
        self.counts.retain(|counted| sources[counted.source].machine == machine);
    }

    /// Draws so many of the units, or more: those that are disputed first, then one of every machine, then any.
    pub(crate) fn draw(&self, number: usize, seed: u64) -> Vec<Counted> {
        let mut random = SplitMix64::new(seed);
        let mut drawn = self.counts.clone();
        for place in (1..drawn.len()).rev() {
            drawn.swap(place, random.below(place + 1));
        }
        drawn.sort_by_key(|counted| !counted.is_disputed);
        let disputed = drawn.partition_point(|counted| counted.is_disputed).min(number);
        let machine = |counted: &Counted| self.sources[counted.source].machine.as_str();
        let mut machines: HashSet<&str> = drawn[..disputed].iter().map(machine).collect();
        let mut is_new = |counted: &Counted| machines.insert(machine(counted));
        let (firsts, rest): (Vec<Counted>, Vec<Counted>) =
            drawn[disputed..].iter().copied().partition(|counted| is_new(counted));
        let number = number.max(disputed + firsts.len());
        drawn.truncate(disputed);
        drawn.extend(firsts.into_iter().chain(rest).take(number - disputed));
        drawn
    }

    /// How many units both speak of, and the first of which they say different things, with what they say.
    pub(crate) fn difference(&self, other: &Self) -> (usize, Option<(usize, u128, u128)>) {
        let others: HashMap<usize, u128> = other.counts.iter().map(|counted| (counted.unit, counted.count)).collect();
        let both = || self.counts.iter().filter_map(|one| Some((one.unit, one.count, *others.get(&one.unit)?)));
        (both().count(), both().find(|(_, one, other)| one != other))
    }
}

impl From<&Merged> for Audit {
    fn from(merged: &Merged) -> Self {
        let mut audit = Self::default();
        for (shard, record) in &merged.records {
            let others: Vec<&ShardRecord> = merged.disputed.iter().filter(|other| other.shard() == *shard).collect();
            let differs = |place: usize| others.iter().any(|other| other.counts()[place] != record.counts()[place]);
            audit.add(record, |place| Some(differs(place)));
            for other in others {
                audit.add(other, |place| (other.counts()[place] != record.counts()[place]).then_some(true));
            }
        }
        audit.counts.sort_by_key(|counted| counted.unit);
        audit
    }
}

impl From<&Published> for Audit {
    fn from(result: &Published) -> Self {
        let mut audit = Self::default();
        let mut counts = result.counts.iter();
        for shard in &result.shards {
            let by = &result.machines[shard.machine];
            let source = audit.number(&by.machine, Some(&by.isa));
            let units = shard.first_unit..shard.first_unit + shard.units;
            let counted = |(unit, &count)| Counted { unit, count, source, is_disputed: false };
            audit.counts.extend(units.zip(counts.by_ref()).map(counted));
        }
        if result.shards.is_empty() {
            // Old results do not say who counted which.
            let names: Vec<&str> = result.machines.iter().map(|by| by.machine.as_str()).collect();
            let isa = result.machines.first().map(|by| by.isa.as_str());
            let isa = isa.filter(|isa| result.machines.iter().all(|by| by.isa == *isa));
            let names = if names.is_empty() { "nobody named".to_owned() } else { names.join(", ") };
            let source = audit.number(&names, isa);
            let counted = |(unit, &count)| Counted { unit, count, source, is_disputed: false };
            audit.counts.extend(counts.enumerate().map(counted));
        }
        audit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Units 0..100, the last of each ten by a machine of its own.
    fn audit() -> Audit {
        let mut audit = Audit::default();
        for unit in 0..100 {
            let name = if unit % 10 == 9 { format!("machine {unit}") } else { "most".to_owned() };
            let source = audit.number(&name, Some("avx2"));
            audit.counts.push(Counted { unit, count: unit as u128, source, is_disputed: unit % 50 == 7 });
        }
        audit
    }

    #[test]
    fn every_machine_is_in_a_sample_and_what_is_disputed_comes_first() {
        let audit = audit();
        for (asked, drawn) in [(1, 11), (2, 12), (13, 13), (40, 40), (100, 100), (1000, 100)] {
            for seed in 0..20 {
                let sample = audit.draw(asked, seed);
                assert_eq!(sample.len(), drawn, "{asked}");
                assert!(sample.iter().take(2.min(asked)).all(|counted| counted.is_disputed));
                let machines: HashSet<usize> = sample.iter().map(|counted| counted.source).collect();
                let units: HashSet<usize> = sample.iter().map(|counted| counted.unit).collect();
                assert_eq!((machines.len(), units.len()), (11, drawn));
            }
        }
        assert_eq!(audit.draw(40, 3), audit.draw(40, 3));
        assert_ne!(audit.draw(40, 3), audit.draw(40, 4));
    }

    #[test]
    fn a_machine_can_be_looked_at_alone() {
        let mut audit = audit();
        audit.keep("machine 19");
        assert_eq!(audit.draw(5, 1).iter().map(|counted| counted.unit).collect::<Vec<_>>(), [19]);
        audit.keep("nobody");
        assert!(audit.draw(5, 1).is_empty());
    }
}
