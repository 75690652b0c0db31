//! The units of a size, and the trait of methods to count them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::sync::Arc;

use super::{Class, Family, Term, Unit, cut};
use crate::board::Size;
use crate::color::split::Subset;
use crate::color::tuning::UnitTuning;
use crate::solver::Worker;
use crate::{CancelToken, Result};

/// The units of a size, in the order in which they are counted, and their families.
#[derive(Debug, Clone)]
pub struct Units {
    pub(crate) size: Size,
    pub(crate) families: Vec<Family>,
    pub(crate) all: Vec<Unit>,
}

/// A method to count the terms of units: programs on packs, the sum by definition, or graphics cards.
pub trait Method: Clone + Send + Sync {
    /// Returns `threads` workers, which share data where they can.
    fn workers<'a>(&'a self, units: &'a Units, threads: usize) -> Vec<Box<dyn Worker + 'a>>;
}

impl Units {
    /// Cuts the count for `size` into units.
    pub(crate) fn new(size: Size, tuning: UnitTuning, cancel: &CancelToken) -> Result<Self> {
        let (families, all) = cut(size.get(), tuning, cancel)?;
        Ok(Self { size, families, all })
    }

    /// Returns the images of all units, which keep their numbers, names and tallies.
    pub(crate) fn image(mut self) -> Self {
        let Self { families, all, .. } = &mut self;
        for unit in all {
            let class = &families[unit.family_number].class;
            unit.o = class.image_of(unit.o, class.geometry.odd_rows);
        }
        let mut images = HashMap::new();
        for family in families {
            let class = Arc::clone(&family.class);
            family.highest_o = class.image_of(family.highest_o, class.geometry.odd_rows);
            // All families of a class share its image.
            family.class = match images.entry(class.white_evens) {
                Entry::Occupied(image) => Arc::clone(image.get()),
                Entry::Vacant(new) => Arc::clone(new.insert(Arc::new(class.image()))),
            };
        }
        self
    }

    /// Returns the number of even rows whose queen stands on white, and the set of odd rows whose queen does, where bit
    /// i stands for the i-th odd row. Rows are numbered from 0 if n is even, and from 1 if n is odd.
    pub(crate) fn white_rows(&self, unit: usize) -> (usize, Subset) {
        let Unit { family_number, o, .. } = self.all[unit];
        self.families[family_number].class.original_rows(o)
    }

    /// Returns the class of a unit, its odd rows O, and its terms.
    ///
    /// # Panics
    /// Panics if there is no unit with this number.
    pub fn terms(&self, unit: usize) -> (&Class, Subset, Vec<Term>) {
        let Unit { family_number, o, .. } = self.all[unit];
        let family = &self.families[family_number];
        (&family.class, o, family.terms(o).collect())
    }

    /// Returns one unit that consists of about this share of a unit's terms: at least one, and from the middle, so that
    /// they are neighbors.
    pub(crate) fn part(&self, unit: usize, share: f64) -> Self {
        let Unit { family_number, o, least_weight, cost } = self.all[unit];
        let Family { class, highest_o, e_range } = self.families[family_number].clone();
        let terms: Vec<usize> = self.families[family_number].terms(o).map(|term| term.e_index).collect();
        let number = ((share * terms.len() as f64).round() as usize).clamp(1, terms.len());
        let some = &terms[(terms.len() - number) / 2..][..number];
        let e_range = e_range.start + some[0]..e_range.start + some[number - 1] + 1;
        let cost = (cost as f64 * number as f64 / terms.len() as f64).round() as u64;
        let all = vec![Unit { family_number: 0, o, least_weight, cost }];
        Self { size: self.size, families: vec![Family { class, highest_o, e_range }], all }
    }

    /// Returns the numbers of the units of a family.
    pub(crate) fn of_family(&self, family: usize) -> Range<usize> {
        let before = |number: usize| self.all.partition_point(|unit| unit.family_number < number);
        before(family)..before(family + 1)
    }
}
