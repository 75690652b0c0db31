//! The steps of a unit one by one, for benchmarks. `unit.rs` does them in a count.

use super::family::SharedFamily;
use super::pack::Packer;
use super::plan::{Term, Units};
use super::program::{Draft, Programs};
use super::split::Subset;
use super::tuning::{PackTuning, UnitTuning};
use super::unit::{Task, UnitCounter};
use crate::board::Size;
use crate::solver::Isa;
use crate::tally::Work;
use crate::{CancelToken, Result};

/// The costliest unit of a size, with the first of its terms.
#[derive(Debug)]
pub struct Steps {
    family: SharedFamily,
    o: Subset,
    term: Term,
    programs: Vec<Programs>,
    counter: UnitCounter,
    packer: Packer,
}

impl Steps {
    /// Cuts the count for boards of this size, and sums the term once, so that each step can be repeated.
    ///
    /// # Errors
    /// The errors of a count.
    ///
    /// # Panics
    /// If the size has no unit.
    pub fn new(size: Size, isa: Isa) -> Result<Self> {
        let cancel = CancelToken::new();
        let units = Units::new(size.get(), UnitTuning::new(size.get()), &cancel)?;
        let unit = units.all.iter().max_by_key(|unit| unit.cost).expect("there is a unit");
        let family = &units.families[unit.family];
        let term = family.terms(unit.o).next().expect("a unit has a term");
        let family = SharedFamily::new(family, isa, PackTuning::new(size.get(), isa))?;
        let mut programs = Vec::new();
        family.programs(&[term], &mut programs, &mut Draft::default(), &cancel)?;
        let (counter, packer) = (UnitCounter::default(), Packer::default());
        let mut steps = Self { family, o: unit.o, term, programs, counter, packer };
        steps.list()?;
        let task = Task { family: &steps.family, is_last: false, cancel: &cancel };
        steps.counter.sum_terms(task, &[term], &mut Work::default())?;
        Ok(steps)
    }

    /// Lists the placements of both colors.
    ///
    /// # Errors
    /// The errors of a count.
    pub fn list(&mut self) -> Result<()> {
        let task = Task { family: &self.family, is_last: false, cancel: &CancelToken::new() };
        self.counter.begin(task, self.o)
    }

    /// Packs the summing side's keys.
    ///
    /// # Errors
    /// The errors of a count.
    pub fn pack(&mut self) -> Result<()> {
        let Self { family, term, counter, packer, .. } = self;
        let (list, store) = (&counter.summing.list, &mut counter.summing.store);
        let request = family.summing_request(term.e, 0..list.blocks());
        store.clear();
        packer.begin(&request, store);
        while packer.next_batch(family.isa, &request, &list.keys, store, &CancelToken::new())?.is_some() {}
        Ok(())
    }

    /// Fills the table. It packs the filling side's keys too, unless they were packed before.
    ///
    /// # Errors
    /// The errors of a count.
    pub fn fill(&mut self) -> Result<()> {
        let task = Task { family: &self.family, is_last: false, cancel: &CancelToken::new() };
        let blocks = 0..self.counter.filling.list.blocks();
        self.counter.fill(task, &[self.term], &self.programs, blocks, &mut Work::default())
    }

    /// Turns the table.
    ///
    /// # Errors
    /// The errors of a count.
    pub fn turn(&mut self) -> Result<()> {
        self.counter.turn(&self.family, self.term.e, 0, [0, 0])
    }

    /// Sums the term. It packs the summing side's keys too, unless they were packed before.
    ///
    /// # Errors
    /// The errors of a count.
    pub fn dot(&mut self) -> Result<u128> {
        let task = Task { family: &self.family, is_last: false, cancel: &CancelToken::new() };
        self.counter.sum(task, self.term.e, &self.programs, &mut Work::default()).map(|sums| sums[0])
    }
}
