//! Chooses units of a run or of a published result to count again, and knows who counted them.

use std::collections::HashSet;

use super::{Merged, Published};
use nqueens::splitmix::SplitMix64;

/// Who counted some of the units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    /// The machine's name.
    pub(crate) machine: String,
    /// The instruction set used, if it is known.
    pub(crate) isa: Option<String>,
}

/// The recorded count of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counted {
    /// The unit.
    pub(crate) unit: usize,
    /// Its count, weights and divisor included.
    pub(crate) count: u128,
    /// Who counted it: a number among [`Audit::sources`].
    pub(crate) source: usize,
}

/// The recorded counts of a run or a result.
#[derive(Debug, Default)]
pub(crate) struct Audit {
    /// Who counted.
    pub(crate) sources: Vec<Source>,
    /// The counts, by ascending unit.
    pub(crate) counts: Vec<Counted>,
}

impl Audit {
    /// Adds counts, from `first_unit` on.
    fn add(&mut self, machine: &str, isa: Option<&str>, first_unit: usize, counts: impl Iterator<Item = u128>) {
        let new = Source { machine: machine.to_owned(), isa: isa.map(str::to_owned) };
        let source = self.sources.iter().position(|source| *source == new).unwrap_or_else(|| {
            self.sources.push(new);
            self.sources.len() - 1
        });
        self.counts.extend(counts.zip(first_unit..).map(|(count, unit)| Counted { unit, count, source }));
    }

    /// The names of the machines, each once.
    pub(crate) fn machines(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.sources.iter().map(|source| source.machine.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Keeps only the counts of this machine.
    pub(crate) fn keep(&mut self, machine: &str) {
        let sources = &self.sources;
        self.counts.retain(|counted| sources[counted.source].machine == machine);
    }

    /// Draws this number of units, at least one of every machine.
    pub(crate) fn draw(&self, number: usize, seed: u64) -> Vec<Counted> {
        let mut random = SplitMix64::new(seed);
        let mut drawn = self.counts.clone();
        for place in (1..drawn.len()).rev() {
            drawn.swap(place, random.below(place + 1));
        }
        let mut machines = HashSet::new();
        let is_new = |counted: &Counted| machines.insert(self.sources[counted.source].machine.as_str());
        let (mut drawn, rest): (Vec<Counted>, Vec<Counted>) = drawn.into_iter().partition(is_new);
        let number = number.max(drawn.len());
        drawn.extend(rest);
        drawn.truncate(number);
        drawn
    }
}

impl From<&Merged> for Audit {
    fn from(merged: &Merged) -> Self {
        let mut audit = Self::default();
        for record in merged.records.values() {
            let by = &record.origin;
            audit.add(by.who(), Some(&by.isa), record.first_unit, record.counts.iter().copied());
        }
        audit
    }
}

impl From<&Published> for Audit {
    fn from(result: &Published) -> Self {
        let mut audit = Self::default();
        let mut counts = result.counts.iter().copied();
        let mut first_unit = 0;
        for shard in &result.shards {
            let by = &result.machines[shard.machine];
            audit.add(&by.machine, Some(&by.isa), first_unit, counts.by_ref().take(shard.units));
            first_unit += shard.units;
        }
        if result.shards.is_empty() {
            // Old results do not say who counted which unit.
            let names: Vec<&str> = result.machines.iter().map(|by| by.machine.as_str()).collect();
            let isa = result.machines.first().map(|by| by.isa.as_str());
            let isa = isa.filter(|isa| result.machines.iter().all(|by| by.isa == *isa));
            let names = if names.is_empty() { "an unnamed machine".to_owned() } else { names.join(", ") };
            audit.add(&names, isa, 0, counts);
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
            audit.add(&name, Some("avx2"), unit, std::iter::once(unit as u128));
        }
        audit
    }

    #[test]
    fn every_machine_is_in_a_sample() {
        let audit = audit();
        for (asked, drawn) in [(1, 11), (13, 13), (40, 40), (100, 100), (1000, 100)] {
            for seed in 0..20 {
                let sample = audit.draw(asked, seed);
                let machines: HashSet<usize> = sample.iter().map(|counted| counted.source).collect();
                let units: HashSet<usize> = sample.iter().map(|counted| counted.unit).collect();
                assert_eq!((sample.len(), machines.len(), units.len()), (drawn, 11, drawn), "{asked}");
            }
        }
        assert_eq!(audit.draw(40, 3), audit.draw(40, 3));
        assert_ne!(audit.draw(40, 3), audit.draw(40, 4));
    }

    #[test]
    fn a_machine_can_be_checked_alone() {
        let mut audit = audit();
        audit.keep("machine 19");
        assert_eq!(audit.draw(5, 1).iter().map(|counted| counted.unit).collect::<Vec<_>>(), [19]);
        audit.keep("no machine");
        assert!(audit.draw(5, 1).is_empty());
    }
}
