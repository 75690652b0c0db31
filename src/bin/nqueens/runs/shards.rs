//! Cuts the units of a plan into shards: ranges whose costs differ by a small factor. A shard has one or more whole
//! families, or a part of a family that is too expensive for one shard.

use std::collections::BinaryHeap;
use std::ops::Range;

/// The units of a plan.
pub(crate) struct Units<'a> {
    /// The predicted cost of each unit.
    pub(crate) costs: &'a [f64],
    /// The plan's families: ranges of all units, in order.
    pub(crate) families: &'a [Range<usize>],
}

impl Units<'_> {
    /// The predicted cost of these units.
    pub(crate) fn cost(&self, units: Range<usize>) -> f64 {
        self.costs[units].iter().sum()
    }

    /// Cuts all units into shards. Halves the most expensive shard as long as `is_to_halve` says so, which gets the cost
    /// of that shard and the number of shards. A shard of one unit is not halved. Returns the end of each shard.
    pub(crate) fn cut(&self, is_to_halve: impl Fn(f64, usize) -> bool) -> Vec<usize> {
        // Costs are positive, so their bits have the same order.
        let key = |shard: &Range<usize>| if shard.len() > 1 { self.cost(shard.clone()).to_bits() } else { 0 };
        let entry = |shard: Range<usize>| (key(&shard), shard.start, shard.end);
        let mut shards = BinaryHeap::from([entry(0..self.costs.len())]);
        while let Some(&(cost, start, end)) = shards.peek()
            && end - start > 1
            && is_to_halve(f64::from_bits(cost), shards.len())
        {
            shards.pop();
            let middle = self.middle(start..end);
            shards.extend([entry(start..middle), entry(middle..end)]);
        }
        let mut ends: Vec<usize> = shards.into_iter().map(|(_, _, end)| end).collect();
        ends.sort_unstable();
        ends
    }

    /// Returns where to halve a shard of more than one unit. It is between families if the shard has several.
    fn middle(&self, shard: Range<usize>) -> usize {
        let first = self.families.partition_point(|family| family.start <= shard.start);
        let last = self.families.partition_point(|family| family.start < shard.end);
        let places: Vec<usize> = if first < last {
            self.families[first..last].iter().map(|family| family.start).collect()
        } else {
            (shard.start + 1..shard.end).collect()
        };
        let half = self.cost(shard.clone()) / 2.0;
        let (mut sum, mut at) = (0.0, shard.start);
        let mut best = (f64::INFINITY, shard.start + 1);
        for place in places {
            sum += self.cost(at..place);
            at = place;
            let distance = (sum - half).abs();
            if distance < best.0 {
                best = (distance, place);
            }
        }
        best.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nqueens::CancelToken;
    use nqueens::board::Size;
    use nqueens::solver::{Isa, registry};

    /// Asserts that each shard has whole families, or a part of one family.
    fn assert_well_cut(units: &Units<'_>, ends: &[usize]) {
        let mut start = 0;
        for &end in ends {
            assert!(end > start);
            let family = units.families.iter().find(|family| family.contains(&start)).unwrap();
            let is_part = end <= family.end;
            let is_whole = family.start == start && units.families.iter().any(|family| family.end == end);
            assert!(is_part || is_whole, "{start}..{end}");
            start = end;
        }
        assert_eq!(start, units.costs.len());
    }

    #[test]
    fn shards_are_whole_families_or_parts_of_one_below_the_limit_and_as_many_as_asked_for() {
        for (solver, n) in [("color", 18), ("color", 22), ("bitmask", 14), ("arrays", 9), ("color", 5), ("bitmask", 0)]
        {
            let plan = registry::find(solver)
                .unwrap()
                .plan(Size::new(n).unwrap(), Isa::Portable, &CancelToken::new())
                .unwrap();
            let costs: Vec<f64> = (0..plan.units()).map(|unit| plan.cost(unit)).collect();
            let families = plan.families();
            let units = Units { costs: &costs, families: &families };
            let whole = units.cost(0..costs.len());
            for parts in [1.0, 3.0, 50.0, 1e6] {
                let ends = units.cut(|cost, _| cost > whole / parts * 1.0001);
                assert_well_cut(&units, &ends);
                let mut start = 0;
                for end in ends {
                    assert!(end - start == 1 || units.cost(start..end) <= whole / parts * 1.0002);
                    start = end;
                }
            }
            for shards in [1, 2, 3, 7, costs.len() / 2, costs.len() - 1, costs.len()] {
                let shards = shards.clamp(1, costs.len());
                let ends = units.cut(|_, now| now < shards);
                assert_eq!(ends.len(), shards, "{solver} n = {n}");
                assert_well_cut(&units, &ends);
            }
        }
    }

    #[test]
    fn shards_have_nearly_equal_cost() {
        let plan =
            registry::find("color").unwrap().plan(Size::new(22).unwrap(), Isa::Portable, &CancelToken::new()).unwrap();
        let costs: Vec<f64> = (0..plan.units()).map(|unit| plan.cost(unit)).collect();
        let units = Units { costs: &costs, families: &plan.families() };
        let ends = units.cut(|_, now| now < 200);
        let fair = units.cost(0..costs.len()) / 200.0;
        let mut start = 0;
        for end in ends {
            let share = units.cost(start..end) / fair;
            assert!(share < 2.0, "{start}..{end} costs {share} times as much");
            start = end;
        }
    }
}
