//! Chooses the sample of units that an audit counts again, and bounds the number of wrong units.

use std::collections::HashSet;

use nqueens::internal::SplitMix64;

use crate::run::CountedUnit;

/// Chooses `number` units at random, or more, so that at least one comes from each machine and instruction set.
pub(super) fn sample(mut counted: Vec<CountedUnit<'_>>, number: usize, seed: u64) -> Vec<CountedUnit<'_>> {
    let mut random = SplitMix64::new(seed);
    for place in (1..counted.len()).rev() {
        counted.swap(place, random.below(place + 1));
    }
    let mut contributors = HashSet::new();
    let (mut chosen, rest): (Vec<_>, Vec<_>) =
        counted.into_iter().partition(|counted| contributors.insert(counted.by.key()));
    let more = number.saturating_sub(chosen.len());
    chosen.extend(rest.into_iter().take(more));
    chosen
}

/// Returns a bound on the number of wrong units among `all` units, from which a [`sample`] of `chosen` units was taken,
/// whose units this many machines and instruction sets counted. If all units of the sample are right, fewer units than
/// this are wrong, with 95 % confidence: if this many were wrong, a sample would contain one of them with a probability
/// of at least 95 %.
///
/// [`sample`] shuffles the units and prefers the first one of each contributor. Of the first `chosen - contributors +
/// 1` shuffled units, at most `chosen - contributors` are not the first of their contributor, so all of them are
/// chosen, and they are a uniform sample.
pub(super) fn fewer_wrong(all: usize, chosen: usize, contributors: usize) -> usize {
    misses(all, (chosen + 1).saturating_sub(contributors)).position(|misses| misses <= 0.05).unwrap_or(all)
}

/// Returns the probability that a uniform sample without replacement contains none of the wrong units, for 0, 1, 2, ...
/// wrong units.
fn misses(all: usize, sample: usize) -> impl Iterator<Item = f64> {
    let share = move |wrong| all.saturating_sub(sample + wrong) as f64 / all.saturating_sub(wrong).max(1) as f64;
    (0..).scan(1.0, move |misses, wrong| Some(std::mem::replace(misses, *misses * share(wrong))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Contributor;

    #[test]
    fn every_machine_is_in_a_sample() {
        // Of 100 units, every tenth is by a different machine, and one machine counted all others.
        let machine = |number: usize| Contributor { machine: number.to_string(), ..Contributor::default() };
        let machines: Vec<Contributor> = (0..11).map(machine).collect();
        let by = |unit: usize| &machines[if unit % 10 == 9 { 1 + unit / 10 } else { 0 }];
        let all: Vec<_> = (0..100).map(|unit| CountedUnit { unit, count: 0, by: by(unit) }).collect();
        for (asked, chosen) in [(1, 11), (13, 13), (40, 40), (100, 100), (1000, 100)] {
            for seed in 0..20 {
                let sample = sample(all.clone(), asked, seed);
                let machines: HashSet<&str> = sample.iter().map(|counted| counted.by.machine.as_str()).collect();
                let units: HashSet<usize> = sample.iter().map(|counted| counted.unit).collect();
                assert_eq!((sample.len(), machines.len(), units.len()), (chosen, 11, chosen), "{asked}");
            }
        }
        assert_eq!(sample(all.clone(), 40, 3), sample(all.clone(), 40, 3));
        assert_ne!(sample(all.clone(), 40, 3), sample(all, 40, 4));
    }

    /// The bound is compared with the number of all samples that contain no wrong unit.
    #[test]
    fn a_sample_says_how_many_units_may_be_wrong() {
        let choose = |n: u64, k: u64| (0..k).map(|i| (n - i) as f64 / (k - i) as f64).product::<f64>();
        for all in 1..60 {
            for chosen in 1..=all {
                let missed =
                    |wrong| if wrong > all - chosen { 0.0 } else { choose(all - wrong, chosen) / choose(all, chosen) };
                let wrong = fewer_wrong(all as usize, chosen as usize, 1) as u64;
                assert!(missed(wrong) < 0.050_001 && missed(wrong - 1) > 0.049_999, "{chosen} of {all}: {wrong}");
                for (wrong, misses) in (0..=all).zip(misses(all as usize, chosen as usize)) {
                    assert!((misses - missed(wrong)).abs() < 1e-9, "{chosen} of {all}, {wrong}: {misses}");
                }
            }
        }
        // The rule of three: fewer than 3 in 20 units.
        assert_eq!(fewer_wrong(1_000_000, 20, 1), 139_108);
        assert_eq!((fewer_wrong(100, 100, 1), fewer_wrong(100, 11, 11)), (1, 95));
    }
}
