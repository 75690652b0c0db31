//! The color split: white and black queens are independent once the colors of rows and columns are fixed. README.md in
//! this folder has the idea, the proof of the symmetry and the designs that lost.

mod cell;
mod dot;
mod estimate;
mod family;
mod fill;
mod geometry;
mod isa;
mod pack;
mod placements;
mod plain;
mod program;
mod symmetry;
mod table;
#[cfg(test)]
mod tests;
mod tuning;
mod walk;
mod worker;

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::{Isa, Plan, Solver, Worker, forecast};
use crate::board::{Size, Solution};
use crate::count::Tally;
use crate::{CancelToken, Result};
use estimate::{Estimates, Factors};
use family::{Family, row_order, sort_by_rows};
use geometry::Subset;
pub(super) use plain::ColorPlain;
use symmetry::Class;
pub use tuning::Tuning;

/// The color split, walked in packs.
pub(super) struct Color;

impl Solver for Color {
    fn name(&self) -> &'static str {
        "color"
    }

    fn about(&self) -> &'static str {
        "white and black queens counted apart for each coloring of rows and columns, in bit-sliced packs"
    }

    fn instruction_sets(&self) -> &'static [Isa] {
        &[Isa::Portable, Isa::Avx2, Isa::Avx512, Isa::Avx512Bitalg]
    }

    fn plan(&self, size: Size, isa: Isa) -> Box<dyn Plan> {
        Box::new(ColorPlan::new(size, isa, Tuning::default()))
    }

    fn predicted_seconds(&self, size: Size, isa: Isa) -> f64 {
        let slower = match isa {
            Isa::Avx512Bitalg => 1.0,
            Isa::Avx512 => 1.3,
            Isa::Avx2 => 2.0,
            _ => 3.5,
        };
        slower * forecast::interpolate(&LOG_SECONDS, size)
    }
}

/// Base-10 logarithms of its seconds on one core with AVX-512 (BITALG) at the sizes 0, 2, 4, ..., 24; odd sizes take up
/// to half more than halfway. The last slope goes on beyond.
const LOG_SECONDS: [f64; 13] = [-5.0, -4.7, -4.5, -4.2, -3.9, -3.6, -3.1, -2.5, -1.6, -0.5, 0.85, 2.3, 3.85];

/// The units of the color split.
pub struct ColorPlan {
    isa: Isa,
    tuning: Tuning,
    groups: Vec<Group>,
    units: Vec<Unit>,
    /// The families that some worker holds, by number of their group.
    families: Mutex<Vec<(usize, Weak<Family>)>>,
}

/// Where a family comes from.
struct Group {
    class: Arc<Class>,
    order: Arc<Vec<usize>>,
    /// The set of odd rows with the highest rank.
    highest: Subset,
    even_sets: Arc<Vec<Subset>>,
    range: Range<usize>,
}

/// Which row colorings a unit counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitRows {
    /// How many of the even rows have their queen on white.
    pub white_evens: usize,
    /// Which of the odd rows have: bit i stands for row 2i + 1.
    pub odds: u32,
    /// Which sets of even rows, as a range of numbers in the order of the class.
    pub evens: Range<usize>,
}

struct Unit {
    group: usize,
    o: Subset,
    cost: f64,
}

impl ColorPlan {
    /// Cuts the count for a size, with the tuning given.
    #[must_use]
    pub fn new(size: Size, isa: Isa, tuning: Tuning) -> Self {
        let mut families: Vec<(Group, Vec<(Subset, f64)>)> = Vec::new();
        for class in Class::all(size.get()) {
            let class = Arc::new(class);
            let order = Arc::new(row_order(class.geometry.evens));
            let mut even_sets = class.evens.clone();
            sort_by_rows(&mut even_sets, &order);
            let estimates = Estimates::new(&class, &even_sets, &order, tuning);
            let even_sets = Arc::new(even_sets);
            let row_sets: Vec<Subset> = class.row_sets().collect();
            for some in row_sets.chunks(tuning.family(row_sets.len())) {
                let Some(&highest) = some.last() else { continue };
                let factors: Vec<Factors> = some.iter().map(|&o| Estimates::factors(&class, o, tuning)).collect();
                for range in ranges(&class, &estimates, highest, tuning) {
                    let group = Group {
                        class: Arc::clone(&class),
                        order: Arc::clone(&order),
                        highest,
                        even_sets: Arc::clone(&even_sets),
                        range,
                    };
                    let of_e = estimates.sum(group.range.clone());
                    let units: Vec<(Subset, f64)> = some
                        .iter()
                        .zip(&factors)
                        .filter_map(|(&o, factors)| Some((o, group.cost(o, &estimates, &of_e, factors)?)))
                        .collect();
                    if !units.is_empty() {
                        families.push((group, units));
                    }
                }
            }
        }
        mix(&mut families);
        let mut plan = Self { isa, tuning, groups: Vec::new(), units: Vec::new(), families: Mutex::new(Vec::new()) };
        for (number, (group, units)) in families.into_iter().enumerate() {
            plan.groups.push(group);
            plan.units.extend(units.into_iter().map(|(o, cost)| Unit { group: number, o, cost }));
        }
        plan
    }

    /// The row colorings that a unit counts.
    ///
    /// # Panics
    /// Where there is no unit of this number.
    #[must_use]
    pub fn rows(&self, unit: usize) -> UnitRows {
        let Unit { group, o, .. } = self.units[unit];
        let Group { class, range, .. } = &self.groups[group];
        UnitRows { white_evens: class.white_evens, odds: o, evens: range.clone() }
    }

    /// The family of a group: the one that others use already, or a new one.
    fn family(&self, number: usize) -> Arc<Family> {
        let mut families = self.families.lock().unwrap_or_else(PoisonError::into_inner);
        families.retain(|(_, family)| family.strong_count() > 0);
        if let Some(family) = families.iter().filter(|(known, _)| *known == number).find_map(|(_, f)| f.upgrade()) {
            return family;
        }
        let group = &self.groups[number];
        let family = Arc::new(Family::new(&group.class, &group.order, group.highest, group.range.len(), self.tuning));
        families.push((number, Arc::downgrade(&family)));
        family
    }
}

/// Orders families so that any share of them is like the whole, as far as the predicted cost is wrong about some kind
/// of them, and puts the cheapest tenth last: then all threads are busy to the end.
fn mix(families: &mut [(Group, Vec<(Subset, f64)>)]) {
    let cost = |units: &[(Subset, f64)]| units.iter().map(|(_, cost)| cost).sum::<f64>();
    families.sort_by(|(_, a), (_, b)| cost(b).total_cmp(&cost(a)));
    let mixed = families.len() * 9 / 10;
    let mut order: Vec<usize> = (0..mixed).collect();
    // Multiples of the golden ratio modulo 1 spread evenly at every length.
    order.sort_by_key(|&at| (at as u32).wrapping_mul(0x9e37_79b9));
    let mut places = vec![0; mixed];
    for (place, at) in order.into_iter().enumerate() {
        places[at] = place;
    }
    let mut place = places.into_iter();
    families[..mixed].sort_by_cached_key(|_| place.next());
}

/// Cuts the sets E into ranges whose programs fit the memory meant for them.
fn ranges(class: &Class, estimates: &Estimates, highest: Subset, tuning: Tuning) -> Vec<Range<usize>> {
    let leaves = estimates.leaves(class, highest);
    let parts = (leaves.iter().sum::<f64>() / tuning.program_leaves(class.geometry.n)).ceil().max(1.0);
    let share = leaves.iter().sum::<f64>() / parts;
    let mut ranges = Vec::new();
    let (mut start, mut sum) = (0, 0.0);
    for (at, some) in leaves.iter().enumerate() {
        sum += some;
        if sum >= share * (ranges.len() + 1) as f64 || at + 1 == leaves.len() {
            ranges.push(start..at + 1);
            start = at + 1;
        }
    }
    ranges
}

impl Group {
    /// Predicted cost of a unit, in nanoseconds of one core; `None` where it has no term to count. `of_e` is for all E
    /// of the group.
    fn cost(&self, o: Subset, estimates: &Estimates, of_e: &Factors, of_o: &Factors) -> Option<f64> {
        if self.class.geometry.n < Self::ESTIMATED_FROM {
            let numbers: Vec<usize> =
                self.even_sets(o).into_iter().map(|(number, _, _)| self.range.start + number).collect();
            return (!numbers.is_empty()).then(|| Estimates::cost(&estimates.sum(numbers.into_iter()), of_o));
        }
        // On large boards there are too many pairs to ask each for its weight.
        Some(Estimates::cost(of_e, of_o) * self.class.kept_evens(o))
    }

    /// The size from which costs are estimated by the share of the E that are counted.
    const ESTIMATED_FROM: usize = 30;

    /// The sets E of a unit: number in the family, set, weight.
    fn even_sets(&self, o: Subset) -> Vec<(usize, Subset, u64)> {
        self.even_sets[self.range.clone()]
            .iter()
            .enumerate()
            .map(|(number, &e)| (number, e, self.class.row_weight(e, o)))
            .filter(|&(_, _, weight)| weight > 0)
            .collect()
    }
}

impl Plan for ColorPlan {
    fn units(&self) -> usize {
        self.units.len()
    }

    fn name(&self, unit: usize) -> String {
        let UnitRows { white_evens, odds, evens } = self.rows(unit);
        format!("white even rows {white_evens}, odd {odds:x}, sets {}..{}", evens.start, evens.end)
    }

    fn families(&self) -> Vec<Range<usize>> {
        let mut end = 0;
        let families = self.units.chunk_by(|a, b| a.group == b.group).map(|units| {
            let start = end;
            end += units.len();
            start..end
        });
        families.collect()
    }

    fn cost(&self, unit: usize) -> f64 {
        self.units[unit].cost
    }

    fn locate(&self, solution: &Solution) -> Option<(usize, u64)> {
        let [mut e, mut o, mut f, mut g] = [0; 4];
        for (row, column) in solution.columns().iter().map(|&column| usize::from(column)).enumerate() {
            match (row % 2, column % 2) {
                (0, 0) => (e, f) = (e | 1 << (row / 2), f | 1 << (column / 2)),
                (1, 1) => (o, g) = (o | 1 << (row / 2), g | 1 << (column / 2)),
                _ => {}
            }
        }
        self.units.iter().enumerate().find_map(|(number, unit)| {
            let group = &self.groups[unit.group];
            let is_here = unit.o == o
                && group.class.white_evens == e.count_ones() as usize
                && group.even_sets[group.range.clone()].contains(&e);
            let weight =
                if is_here { group.class.row_weight(e, o) * group.class.column_weight([f, g], [e, o]) } else { 0 };
            (weight > 0).then_some((number, weight))
        })
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(ColorWorker { plan: self, engine: worker::Engine::new(self.isa), family: None })
    }
}

struct ColorWorker<'a> {
    plan: &'a ColorPlan,
    engine: worker::Engine,
    family: Option<(usize, Arc<Family>)>,
}

impl Worker for ColorWorker<'_> {
    fn count(&mut self, unit: usize, cancel: &CancelToken) -> Result<Tally> {
        let Unit { group, o, .. } = self.plan.units[unit];
        let family = match self.family.take() {
            Some((number, family)) if number == group => family,
            // The family held until now is dropped first: its programs are large.
            other => {
                drop(other);
                self.plan.family(group)
            }
        };
        let mut even_sets = self.plan.groups[group].even_sets(o);
        // Threads on a new family begin far apart: each finds programs to write, none waits for another's.
        let place = unit - self.plan.units.partition_point(|some| some.group < group);
        let sixteenth = (place as u16 % 16).reverse_bits() >> 12;
        let start = even_sets.len() * usize::from(sixteenth) / 16;
        even_sets.rotate_left(start);
        let tally = self.engine.count(&family, o, &even_sets, cancel);
        self.family = Some((group, family));
        tally
    }
}
