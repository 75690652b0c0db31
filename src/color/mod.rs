//! The color split: once the colors of all rows and columns are fixed, white and black queens are independent.
//! README.md in this folder explains the idea, the words and the files; proof.md bounds every sum; diary.md records
//! what was tried.

mod definition;
mod forecast;
mod list;
mod on_packs;
mod open;
mod pack;
pub(crate) mod plan;
mod program;
mod slot;
pub(crate) mod split;
mod table;
#[cfg(test)]
mod tests;
pub(crate) mod tuning;
mod unit;
mod walk;

use std::ops::Range;

use crate::board::{Board, Size};
use crate::solver::{Audit, Isa, Plan, Solver, Worker};
use crate::{CancelToken, Result};
use definition::Definition;
pub use on_packs::OnPacks;
pub use plan::{Method, Units};
pub(crate) use tuning::{LARGEST, UnitTuning};

/// The solver `color`.
pub(crate) struct ColorSplit;

impl Solver for ColorSplit {
    fn name(&self) -> &'static str {
        "color"
    }

    fn about(&self) -> &'static str {
        "The color split: all eight symmetries, 512 placements at a time"
    }

    fn instruction_sets(&self) -> &'static [Isa] {
        Isa::ALL
    }

    fn plan(&self, size: Size, isa: Isa, cancel: &CancelToken) -> Result<Box<dyn Plan>> {
        Ok(Box::new(ColorPlan::new(size, OnPacks::new(size, isa), cancel)?))
    }

    fn largest(&self) -> usize {
        LARGEST
    }

    fn predicted_seconds(&self, size: Size, isa: Isa) -> Option<f64> {
        Some(forecast::seconds(size, isa))
    }

    fn predicted_bytes(&self, size: Size, _isa: Isa, threads: usize) -> u64 {
        forecast::bytes(size, threads)
    }
}

/// The units of the color split, and the method that counts them. The units do not depend on the method.
#[derive(Debug, Clone)]
pub struct ColorPlan<M = OnPacks> {
    /// The units.
    pub units: Units,
    /// The method that counts them.
    pub method: M,
}

impl ColorPlan {
    /// Cuts the count for `size` into units, which programs on packs count.
    ///
    /// # Errors
    /// The errors of [`Solver::plan`].
    pub fn new(size: Size, method: OnPacks, cancel: &CancelToken) -> Result<Self> {
        Self::with_tuning(size, UnitTuning::new(size.get()), method, cancel)
    }

    /// Cuts the count with any tuning, for tests.
    pub(crate) fn with_tuning(size: Size, tuning: UnitTuning, method: OnPacks, cancel: &CancelToken) -> Result<Self> {
        <dyn Solver>::check_size(&ColorSplit, size)?;
        Ok(Self { units: Units::new(size, tuning, cancel)?, method })
    }
}

impl<M: Method + 'static> Plan for ColorPlan<M> {
    fn size(&self) -> Size {
        self.units.size
    }

    fn units(&self) -> usize {
        self.units.all.len()
    }

    fn name(&self, unit: usize) -> String {
        let Units { families, all, .. } = &self.units;
        let ((white_evens, o), e_range) = (self.units.white_rows(unit), &families[all[unit].family_number].e_range);
        format!("white even rows {white_evens}, odd {o:x}, sets {}..{}", e_range.start, e_range.end)
    }

    fn families(&self) -> Vec<Range<usize>> {
        (0..self.units.families.len()).map(|family| self.units.of_family(family)).collect()
    }

    fn cost(&self, unit: usize) -> f64 {
        self.units.all[unit].cost as f64
    }

    fn locate(&self, solution: &Board) -> Option<(usize, u64)> {
        let Units { families, all, .. } = &self.units;
        let queens = solution.columns().iter().map(|&column| column as usize).enumerate();
        let white = queens.filter(|(row, column)| (row + column) % 2 == 0);
        let (rows, columns) =
            white.fold((0, 0), |(rows, columns), (row, column)| (rows | 1 << row, columns | 1 << column));
        let geometry = families.first()?.class.geometry;
        let ([e, o], [f, g]) = (geometry.by_parity(rows), geometry.by_parity(columns));
        all.iter().enumerate().find_map(|(number, unit)| {
            let family = &families[unit.family_number];
            let class = &family.class;
            let is_here = unit.o == o && class.white_evens == e.count_ones() as usize && family.sets_e().contains(&e);
            let weight = if is_here { class.row_weight(e, o) * class.column_weight([f, g], [e, o]) } else { 0 };
            (weight > 0).then_some((number, weight))
        })
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        self.workers(1).remove(0)
    }

    fn workers(&self, threads: usize) -> Vec<Box<dyn Worker + '_>> {
        self.method.workers(&self.units, threads)
    }

    fn audit(&self) -> &dyn Audit {
        self
    }
}

impl<M: Method + 'static> Audit for ColorPlan<M> {
    fn kind(&self, unit: usize) -> usize {
        self.units.white_rows(unit).0
    }

    fn part(&self, unit: usize, share: f64) -> Option<Box<dyn Plan>> {
        Some(Box::new(Self { units: self.units.part(unit, share), method: self.method.clone() }))
    }

    fn tally_divisor(&self, unit: usize) -> u64 {
        self.units.all[unit].least_weight.into()
    }

    fn image(&self) -> Option<Box<dyn Plan>> {
        Some(Box::new(Self { units: self.units.clone().image(), method: self.method.clone() }))
    }

    fn by_definition(&self) -> Option<Box<dyn Plan>> {
        Some(Box::new(ColorPlan { units: self.units.clone(), method: Definition }))
    }
}
