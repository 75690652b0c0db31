//! The color split. If the colors of rows and columns are fixed, white and black queens are independent. README.md in
//! this folder has the idea and the words, proof.md the bounds, diary.md the trials.
//!
//! Each folder or file uses only earlier ones of this list:
//! - `simd/`: operations on words
//! - `tuning.rs`: the constants that change only the speed
//! - `split/`: the board in four sub-boards
//! - `plan/`: the units, and the terms of each unit
//! - `merged/`: a second formulation, which checks the first
//! - `list.rs`, `pack/`, `program/`: one color
//! - `table/`, `walk/`: where the two colors meet
//! - `family.rs`: data that threads share
//! - `unit.rs`: the loop
//! - `forecast.rs`: predicted times and memory
//! - `plain.rs`: the plain sum, for tests

mod family;
mod forecast;
mod list;
pub(crate) mod merged;
mod pack;
#[cfg(test)]
mod plain;
pub(crate) mod plan;
mod program;
pub(crate) mod simd;
pub(crate) mod split;
mod table;
#[cfg(test)]
mod tests;
mod tuning;
mod unit;
mod walk;

use std::ops::Range;
use std::sync::Arc;

use crate::board::{Board, Size};
use crate::memory::collect;
use crate::solver::{Isa, Plan, Solver, Worker};
use crate::tally::Tally;
use crate::{CancelToken, Result};
use family::{Shared, SharedFamily};
use plan::{Class, Family, Term, Unit, cut, mirror};
use split::Subset;
pub use tuning::Tuning;
use unit::{Task, UnitCounter};

/// The largest size. Tables of n = 31 would take hundreds of gigabytes, and entries might need three bytes.
pub(crate) const LARGEST: usize = 30;

/// Seconds for a cost of 1 in the plan, on one core of the machine of `forecast.rs`, with AVX-512.
const SECONDS: f64 = 0.62e-9;

/// How many times slower merged packs are than packs with AVX-512: 16 for n = 16, 11 for 20 (a busy Xeon).
const TIMES_SLOWER: f64 = 13.0;

/// The color split, walked in packs.
pub(crate) struct Color {
    /// [`Tuning::from_0`].
    from_0: bool,
}

/// The solver.
pub(crate) static COLOR: Color = Color { from_0: false };

/// The solver that results up to plan version 2 were counted with. It cuts odd boards into other units.
pub(crate) static COLOR_FROM_0: Color = Color { from_0: true };

impl Color {
    fn color_plan(&self, size: Size, isa: Isa, cancel: &CancelToken) -> Result<ColorPlan> {
        ColorPlan::new(size, isa, Tuning { from_0: self.from_0, ..Tuning::new(size.get(), isa) }, cancel)
    }
}

impl Solver for Color {
    fn name(&self) -> &'static str {
        "color"
    }

    fn about(&self) -> &'static str {
        "the color split, all eight symmetries, 512 placements at a time"
    }

    fn instruction_sets(&self) -> &'static [Isa] {
        Isa::ALL
    }

    fn plan(&self, size: Size, isa: Isa, cancel: &CancelToken) -> Result<Box<dyn Plan>> {
        Ok(Box::new(self.color_plan(size, isa, cancel)?))
    }

    fn oracle(&self, size: Size, cancel: &CancelToken) -> Result<Option<Box<dyn Plan>>> {
        let plan = self.color_plan(size, Isa::Portable, cancel)?;
        Ok(Some(Box::new(ColorPlan { code: Code::Merged, ..plan })))
    }

    fn image(&self, size: Size, isa: Isa, cancel: &CancelToken) -> Result<Option<Box<dyn Plan>>> {
        Ok(Some(Box::new(self.color_plan(size, isa, cancel)?.image()?)))
    }

    fn largest(&self) -> usize {
        LARGEST
    }

    fn predicted_seconds(&self, size: Size, isa: Isa) -> f64 {
        forecast::seconds(size, isa)
    }

    fn predicted_bytes(&self, size: Size, _isa: Isa, threads: usize) -> u64 {
        forecast::bytes(size, threads)
    }
}

/// The units of the color split.
pub struct ColorPlan {
    /// Which code counts the units. The units do not depend on it, nor on `isa`.
    code: Code,
    isa: Isa,
    tuning: Tuning,
    families: Vec<Family>,
    units: Vec<Unit>,
}

/// The code that counts units.
enum Code {
    /// Programs on packs, with the words of an instruction set.
    Packs,
    /// Merged packs in plain Rust, about [`TIMES_SLOWER`].
    Merged,
}

/// Shows the instruction set and the number of units.
impl std::fmt::Debug for ColorPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ColorPlan").field("isa", &self.isa).field("units", &self.units.len()).finish_non_exhaustive()
    }
}

impl ColorPlan {
    /// Cuts the count for `size` into units.
    ///
    /// # Errors
    /// The errors of [`Solver::plan`].
    pub fn new(size: Size, isa: Isa, tuning: Tuning, cancel: &CancelToken) -> Result<Self> {
        <dyn Solver>::check_size(&COLOR, size)?;
        let (families, units) = cut(size.get(), tuning, cancel)?;
        Ok(Self { code: Code::Packs, isa, tuning, families, units })
    }

    /// Returns a plan that counts the mirror image of each unit. Units keep their numbers, names and tallies.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn image(mut self) -> Result<Self> {
        mirror(&mut self.families, &mut self.units)?;
        Ok(self)
    }

    /// Returns the number of even rows whose queen stands on white, and the odd rows whose queen does. Rows are numbered
    /// from 0 if n is even, and from 1 if n is odd. Bit i is the i-th odd row.
    ///
    /// # Panics
    /// Panics if there is no unit of this number.
    #[must_use]
    pub fn rows(&self, unit: usize) -> (usize, u32) {
        let Unit { family, o, .. } = self.units[unit];
        self.families[family].class.original_rows(o)
    }

    /// Returns the class of a unit, its odd rows, and its terms.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// Panics if there is no unit of this number.
    pub fn terms(&self, unit: usize) -> Result<(&Class, Subset, Vec<Term>)> {
        let Unit { family, o, .. } = self.units[unit];
        let family = &self.families[family];
        Ok((&family.class, o, collect(family.terms(o))?))
    }

    /// The units of family number `family`.
    fn family(&self, family: usize) -> Range<usize> {
        let before = |number: usize| self.units.partition_point(|unit| unit.family < number);
        before(family)..before(family + 1)
    }
}

impl Plan for ColorPlan {
    fn units(&self) -> usize {
        self.units.len()
    }

    fn name(&self, unit: usize) -> String {
        let ((white_evens, odds), range) = (self.rows(unit), &self.families[self.units[unit].family].range);
        format!("white even rows {white_evens}, odd {odds:x}, sets {}..{}", range.start, range.end)
    }

    fn families(&self) -> Vec<Range<usize>> {
        (0..self.families.len()).map(|family| self.family(family)).collect()
    }

    /// Seconds of one core, with AVX-512 or by merged packs.
    fn cost(&self, unit: usize) -> f64 {
        let seconds = SECONDS * self.units[unit].cost as f64;
        if matches!(self.code, Code::Merged) { TIMES_SLOWER * seconds } else { seconds }
    }

    fn tally_divisor(&self, unit: usize) -> u64 {
        let Unit { family, o, .. } = self.units[unit];
        // Row weights are powers of two, so the least divides all.
        let terms = self.families[family].terms(o);
        terms.map(|term| term.weight).min().unwrap_or(1)
    }

    fn locate(&self, solution: &Board) -> Option<(usize, u64)> {
        let places = solution.columns().iter().map(|&column| column as usize).enumerate();
        let white = places.filter(|(row, column)| (row + column) % 2 == 0);
        let (rows, columns) =
            white.fold((0, 0), |(rows, columns), (row, column)| (rows | 1 << row, columns | 1 << column));
        let geometry = self.families.first()?.class.geometry;
        let ([e, o], [f, g]) = (geometry.part(rows), geometry.part(columns));
        self.units.iter().enumerate().find_map(|(number, unit)| {
            let family = &self.families[unit.family];
            let class = &family.class;
            let is_here = unit.o == o && class.white_evens == e.count_ones() as usize && family.sets().contains(&e);
            let weight = if is_here { class.row_weight(e, o) * class.column_weight([f, g], [e, o]) } else { 0 };
            (weight > 0).then_some((number, weight))
        })
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        self.workers(1).remove(0)
    }

    fn workers(&self, threads: usize) -> Vec<Box<dyn Worker + '_>> {
        let shared = Arc::<Shared>::default();
        let packs = || ColorWorker { plan: self, shared: Arc::clone(&shared), counter: UnitCounter::default() };
        let worker = |_| -> Box<dyn Worker + '_> {
            match &self.code {
                Code::Packs => Box::new(packs()),
                Code::Merged => Box::new(MergedWorker(self)),
            }
        };
        (0..threads).map(worker).collect()
    }
}

/// Counts units by merged packs. They check the fast code, also on boards that are too large for the reference.
struct MergedWorker<'a>(&'a ColorPlan);

impl Worker for MergedWorker<'_> {
    fn count(&mut self, unit: usize, cancel: &CancelToken) -> Result<Tally> {
        let (class, o, terms) = self.0.terms(unit)?;
        merged::host::count(class, o, &terms, cancel)
    }
}

struct ColorWorker<'a> {
    plan: &'a ColorPlan,
    shared: Arc<Shared>,
    counter: UnitCounter,
}

impl Worker for ColorWorker<'_> {
    fn count(&mut self, unit: usize, cancel: &CancelToken) -> Result<Tally> {
        let Unit { family: number, o, .. } = self.plan.units[unit];
        let plan = self.plan;
        let terms = collect(plan.families[number].terms(o))?;
        let family = self.shared.family(number, || {
            let odds = plan.units[plan.family(number)].iter().map(|unit| unit.o);
            SharedFamily::new(&plan.families[number], odds, plan.isa, plan.tuning)
        })?;
        self.counter.count(Task { family: &family, cancel }, o, &terms)
    }
}
