//! The method that counts units with programs on packs, on processors.

use std::sync::Arc;

use super::open::{OpenFamilies, OpenFamily};
use super::plan::{Method, Term, Unit, Units};
use super::tuning::PackTuning;
use super::unit::{Task, UnitCounter};
use crate::board::Size;
use crate::memory::push;
use crate::solver::{Isa, Worker};
use crate::tally::Tally;
use crate::{CancelToken, Result};

/// Counts units with programs on packs: the method of processors.
#[derive(Debug, Clone, Copy)]
pub struct OnPacks {
    /// The instruction set.
    pub isa: Isa,
    /// How units are packed.
    pub(crate) tuning: PackTuning,
}

impl OnPacks {
    /// Returns the method with the measured tuning for a size and an instruction set.
    #[must_use]
    pub fn new(size: Size, isa: Isa) -> Self {
        Self { isa, tuning: PackTuning::new(size.get(), isa) }
    }
}

impl Method for OnPacks {
    fn workers<'a>(&'a self, units: &'a Units, threads: usize) -> Vec<Box<dyn Worker + 'a>> {
        let open = Arc::<OpenFamilies>::default();
        let worker = || PackWorker {
            method: self,
            units,
            open: Arc::clone(&open),
            counter: UnitCounter::default(),
            terms: Vec::new(),
        };
        (0..threads).map(|_| -> Box<dyn Worker + 'a> { Box::new(worker()) }).collect()
    }
}

struct PackWorker<'a> {
    method: &'a OnPacks,
    units: &'a Units,
    open: Arc<OpenFamilies>,
    counter: UnitCounter,
    /// The terms of the current unit.
    terms: Vec<Term>,
}

impl Worker for PackWorker<'_> {
    fn count(&mut self, unit: usize, cancel: &CancelToken) -> Result<Tally> {
        let Self { method: OnPacks { isa, tuning }, units, open, counter, terms } = self;
        let Unit { family_number, o, .. } = units.all[unit];
        terms.clear();
        for term in units.families[family_number].terms(o) {
            push(terms, term)?;
        }
        let family = open.family(family_number, || OpenFamily::new(&units.families[family_number], *isa, *tuning))?;
        counter.count(Task { family: &family, cancel }, o, terms)
    }
}
