//! The units of a size, and what counts them.

use std::ops::Range;

use super::{Class, Family, Term, Unit, cut, mirror};
use crate::board::Board;
use crate::color::split::Subset;
use crate::color::tuning::UnitTuning;
use crate::solver::Worker;
use crate::{CancelToken, Result};

/// The units of a size, in the order in which they are counted, and their families.
#[derive(Debug, Clone)]
pub struct Units {
    pub(crate) families: Vec<Family>,
    /// All units.
    pub(crate) all: Vec<Unit>,
}

/// What counts the terms of units: programs on packs, merged packs, or graphics cards.
pub trait CountTerms: Clone + Send + Sync {
    /// Makes `threads` workers, which share what they can.
    fn workers<'a>(&'a self, units: &'a Units, threads: usize) -> Vec<Box<dyn Worker + 'a>>;
}

impl Units {
    /// Cuts the count for boards of size `n`.
    pub(crate) fn new(n: usize, tuning: UnitTuning, cancel: &CancelToken) -> Result<Self> {
        let (families, units) = cut(n, tuning, cancel)?;
        Ok(Self { families, all: units })
    }

    /// The mirror images of all units. Units keep their numbers, names and tallies.
    pub(crate) fn image(mut self) -> Self {
        mirror(&mut self.families, &mut self.all);
        self
    }

    /// Number of units.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns the number of even rows whose queen stands on white, and the odd rows whose queen does. Bit i is the
    /// i-th odd row. Rows are numbered from 0 if n is even, and from 1 if n is odd.
    ///
    /// # Panics
    /// Panics if there is no unit of this number.
    #[must_use]
    pub fn rows(&self, unit: usize) -> (usize, u32) {
        let Unit { family, o, .. } = self.all[unit];
        self.families[family].class.original_rows(o)
    }

    /// Returns the class of a unit, its odd rows, and its terms.
    ///
    /// # Panics
    /// Panics if there is no unit of this number.
    pub fn terms(&self, unit: usize) -> (&Class, Subset, Vec<Term>) {
        let Unit { family, o, .. } = self.all[unit];
        let family = &self.families[family];
        (&family.class, o, family.terms(o).collect())
    }

    /// About this share of a unit's terms, at least one: those in the middle, so that they are neighbors. They are unit 0.
    pub(crate) fn part(&self, unit: usize, share: f64) -> Self {
        let Unit { family, o, cost } = self.all[unit];
        let Family { class, highest, range } = self.families[family].clone();
        let terms: Vec<usize> = self.families[family].terms(o).map(|term| term.number).collect();
        let number = ((share * terms.len() as f64).round() as usize).clamp(1, terms.len());
        let some = &terms[(terms.len() - number) / 2..][..number];
        let range = range.start + some[0]..range.start + some[number - 1] + 1;
        let cost = (cost as f64 * number as f64 / terms.len() as f64).round() as u64;
        // A family's last unit drops its programs, so the unit to be timed has one behind it.
        let all = vec![Unit { family: 0, o, cost }; 2];
        Self { families: vec![Family { class, highest, range }], all }
    }

    /// The units of family number `family`.
    pub(crate) fn of_family(&self, family: usize) -> Range<usize> {
        let before = |number: usize| self.all.partition_point(|unit| unit.family < number);
        before(family)..before(family + 1)
    }

    pub(crate) fn name(&self, unit: usize) -> String {
        let ((white_evens, odds), range) = (self.rows(unit), &self.families[self.all[unit].family].range);
        format!("white even rows {white_evens}, odd {odds:x}, sets {}..{}", range.start, range.end)
    }

    /// A number that divides the tally of a unit: its least row weight. Row weights are powers of two, so it divides
    /// all.
    pub(crate) fn tally_divisor(&self, unit: usize) -> u64 {
        let Unit { family, o, .. } = self.all[unit];
        self.families[family].terms(o).map(|term| term.weight).min().unwrap_or(1)
    }

    /// The unit that counts a solution, and the weight with which it counts.
    pub(crate) fn locate(&self, solution: &Board) -> Option<(usize, u64)> {
        let places = solution.columns().iter().map(|&column| column as usize).enumerate();
        let white = places.filter(|(row, column)| (row + column) % 2 == 0);
        let (rows, columns) =
            white.fold((0, 0), |(rows, columns), (row, column)| (rows | 1 << row, columns | 1 << column));
        let geometry = self.families.first()?.class.geometry;
        let ([e, o], [f, g]) = (geometry.by_parity(rows), geometry.by_parity(columns));
        self.all.iter().enumerate().find_map(|(number, unit)| {
            let family = &self.families[unit.family];
            let class = &family.class;
            let is_here = unit.o == o && class.white_evens == e.count_ones() as usize && family.sets().contains(&e);
            let weight = if is_here { class.row_weight(e, o) * class.column_weight([f, g], [e, o]) } else { 0 };
            (weight > 0).then_some((number, weight))
        })
    }
}
