//! The steps of a unit one by one, for benchmarks. `unit.rs` does them in a count.

use super::pack::Packer;
use super::plan::Units;
use super::shared::OpenFamily;
use super::slot::TermSlot;
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
    family: OpenFamily,
    o: Subset,
    /// One slot, for the first of its terms.
    slots: Vec<TermSlot>,
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
        let family = OpenFamily::new(family, isa, PackTuning::new(size.get(), isa))?;
        let (counter, packer) = (UnitCounter::default(), Packer::default());
        let mut steps = Self { family, o: unit.o, slots: Vec::new(), counter, packer };
        steps.list()?;
        let task = Task { family: &steps.family, is_last: false, cancel: &cancel };
        steps.counter.fill_slots(task, &[term], &mut steps.slots)?;
        steps.fill()?;
        steps.turn()?;
        steps.dot()?;
        Ok(steps)
    }

    /// Lists the placements of both colors.
    ///
    /// # Errors
    /// The errors of a count.
    pub fn list(&mut self) -> Result<()> {
        let task = Task { family: &self.family, is_last: false, cancel: &CancelToken::new() };
        self.counter.list(task, self.o)
    }

    /// Packs the summing side's keys.
    ///
    /// # Errors
    /// The errors of a count.
    pub fn pack(&mut self) -> Result<()> {
        let Self { family, slots, counter, packer, .. } = self;
        let (list, store) = (&counter.summing.list, &mut counter.summing.store);
        store.clear();
        let request = family.summing_request(slots[0].term.e, 0..list.blocks(), &list.keys);
        let mut packing = packer.pack(request, store);
        while packing.next_batch(store, &CancelToken::new())?.is_some() {}
        Ok(())
    }

    /// Fills the table. It packs the filling side's keys too, unless they were packed before.
    ///
    /// # Errors
    /// The errors of a count.
    pub fn fill(&mut self) -> Result<()> {
        let task = Task { family: &self.family, is_last: false, cancel: &CancelToken::new() };
        let blocks = 0..self.counter.filling.list.blocks();
        self.counter.fill(task, &self.slots, blocks, &mut Work::default())
    }

    /// Turns the table.
    ///
    /// # Errors
    /// The errors of a count.
    pub fn turn(&mut self) -> Result<()> {
        self.counter.turn(&self.family, 0, &mut self.slots[0], 0)
    }

    /// Sums the term. It packs the summing side's keys too, unless they were packed before.
    ///
    /// # Errors
    /// The errors of a count.
    pub fn dot(&mut self) -> Result<u128> {
        let task = Task { family: &self.family, is_last: false, cancel: &CancelToken::new() };
        self.slots[0].sum = 0;
        self.counter.sum_slots(task, &mut self.slots, &mut Work::default())?;
        Ok(self.slots[0].sum)
    }
}
