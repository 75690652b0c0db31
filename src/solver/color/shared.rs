//! What the threads of a count share: the programs of the families that some of them are at.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::half::{Draft, Form, Format, GroupedProgram, Program, Rows};
use super::meet::{Axis, Turned};
use super::plan::{Class, Family, Term, first_rows};
use super::split::{Side, Subset};
use super::tuning::{Summing, Traits, Tuning};
use crate::solver::Isa;
use crate::solver::simd::LANES;
use crate::{CancelToken, Result};

/// The families that some worker holds, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Shared {
    families: Mutex<Vec<(usize, Weak<SharedFamily>)>>,
}

impl Shared {
    /// The family of this number: the one that others use already, or a new one.
    pub(super) fn family(&self, number: usize, make: impl FnOnce() -> SharedFamily) -> Arc<SharedFamily> {
        let mut families = self.families.lock().unwrap_or_else(PoisonError::into_inner);
        families.retain(|(_, family)| family.strong_count() > 0);
        if let Some(family) = families.iter().filter(|(known, _)| *known == number).find_map(|(_, f)| f.upgrade()) {
            return family;
        }
        let family = Arc::new(make());
        families.push((number, Arc::downgrade(&family)));
        family
    }
}

/// The programs of one set of even rows, in one piece of memory: one thread asks for it and another gives it back, and
/// with many small pieces they waited for one another in the allocator (n = 18, 2 threads: 7 % of the time).
#[derive(Debug, Clone)]
pub(super) struct Programs {
    memory: Arc<Vec<u16>>,
    /// Filling and summing side: how many rows the prefixes have, and where the program's headers are.
    sides: [(usize, Range<usize>); 2],
}

impl Programs {
    /// How many rows the prefixes have, on the filling and on the summing side.
    pub(super) fn depths(&self) -> [usize; 2] {
        [self.sides[0].0, self.sides[1].0]
    }

    /// The filling side's program.
    pub(super) fn fill(&self) -> Program<'_> {
        Program::new(&self.memory, self.sides[0].1.clone())
    }

    /// The summing side's, where it is not grouped.
    pub(super) fn sum(&self) -> Program<'_> {
        Program::new(&self.memory, self.sides[1].1.clone())
    }

    /// The summing side's, where it is grouped ([`Summing::Groups`]).
    pub(super) fn sum_by_groups(&self) -> GroupedProgram<'_> {
        GroupedProgram::new(&self.memory, self.sides[1].1.clone())
    }
}

/// A family while it is counted: the numbers of its column sets, and its programs.
#[derive(Debug)]
pub(super) struct SharedFamily {
    pub(super) class: Arc<Class>,
    pub(super) filling: Side,
    /// Column sets F that some O of the family counts.
    even_columns: Axis,
    /// Column sets G that some O of the family counts.
    odd_columns: Axis,
    depths: [usize; 2],
    pub(super) summing: Summing,
    pub(super) tuning: Tuning,
    order: Arc<Vec<usize>>,
    /// For each set E of the family, its slot.
    slots: Vec<Mutex<Slot>>,
}

/// Where the programs of a set E are, once a thread has written them.
#[derive(Debug)]
struct Slot {
    programs: Option<Programs>,
    /// Units that will yet need them: with none left they are dropped.
    users: usize,
}

impl SharedFamily {
    /// A family whose units have these odd rows, counted with the code for `isa`.
    pub(super) fn new(family: &Family, units: impl Iterator<Item = Subset>, isa: Isa, tuning: Tuning) -> Self {
        let class = &family.class;
        let (evens, odds) = (class.geometry.evens, class.geometry.odds);
        let keep_even = class.evens.iter().copied().filter(|&f| class.keeps_even_columns(f, family.highest)).collect();
        let keep_odd = class.odds.iter().copied().filter(|&g| class.odd_columns(g, family.highest) > 0).collect();
        let mut users = vec![0; family.evens().len()];
        let (mut kept, mut count) = (0.0, 0.0);
        for odds in units {
            (kept, count) = (kept + class.kept_columns(odds), count + 1.0);
            family.terms(odds).iter().for_each(|term| users[term.number] += 1);
        }
        let summed = class.queens(class.filling().other());
        Self {
            filling: class.filling(),
            even_columns: Axis::new(Side::White, evens, keep_even),
            odd_columns: Axis::new(Side::Black, odds, keep_odd),
            depths: tuning.counted_depths(class.geometry.n, class.sides().map(|side| class.queens(side))),
            summing: tuning.summing(class.geometry.n, summed, kept / count, Traits::of(isa)),
            tuning,
            class: Arc::clone(class),
            order: Arc::clone(&family.order),
            slots: users.into_iter().map(|users| Mutex::new(Slot { programs: None, users })).collect(),
        }
    }

    /// The column sets that a side's walks end on.
    pub(super) fn rows_axis(&self, side: Side) -> &Axis {
        match side {
            Side::White => &self.even_columns,
            Side::Black => &self.odd_columns,
        }
    }

    /// The programs for these terms: written by the first thread that needs them. `None` when cancelled.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(super) fn programs(
        &self,
        terms: &[Term],
        draft: &mut Draft,
        cancel: &CancelToken,
    ) -> Result<Option<Vec<Programs>>> {
        // Threads that need the same ones share the writing: each leaves out what another is at and comes back for it.
        let mut programs = Vec::with_capacity(terms.len());
        for term in terms {
            programs.push(match self.slots[term.number].try_lock() {
                Ok(slot) => self.write(slot, term.evens, draft, cancel)?,
                Err(_) => None,
            });
        }
        for (programs, term) in programs.iter_mut().zip(terms) {
            if programs.is_none() {
                *programs = self.write(self.slot(term), term.evens, draft, cancel)?;
            }
        }
        Ok(programs.into_iter().collect())
    }

    /// Says that a unit has counted these terms and will not ask for their programs again. Those that no unit will ask
    /// for are dropped: while the last threads are at a family, others write the programs of the next one.
    pub(super) fn release(&self, terms: &[Term]) {
        for term in terms {
            let mut slot = self.slot(term);
            slot.users = slot.users.saturating_sub(1);
            if slot.users == 0 {
                slot.programs = None;
            }
        }
    }

    fn slot(&self, term: &Term) -> MutexGuard<'_, Slot> {
        self.slots[term.number].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The programs of E in its slot, written if they are not there yet; `None` when cancelled.
    fn write(
        &self,
        mut slot: MutexGuard<'_, Slot>,
        e: Subset,
        draft: &mut Draft,
        cancel: &CancelToken,
    ) -> Result<Option<Programs>> {
        if slot.programs.is_none() {
            draft.clear();
            let [(fill, fill_depth), (sum, sum_depth)] = self.sides();
            let sides =
                [self.program(fill, e, fill_depth, draft, cancel)?, self.program(sum, e, sum_depth, draft, cancel)?];
            if cancel.is_cancelled() {
                return Ok(None);
            }
            slot.programs = Some(Programs { memory: Arc::new(draft.take()?), sides });
        }
        Ok(slot.programs.clone())
    }

    /// The filling side and the summing one, with how many rows their prefixes have where programs fit their format.
    fn sides(&self) -> [(Side, usize); 2] {
        [(self.filling, self.depths[0]), (self.filling.other(), self.depths[1])]
    }

    /// The rows of the summing side's prefix for E: sets with the same ones share packs there.
    pub(super) fn summed_prefix(&self, e: Subset) -> Subset {
        let (side, depth) = self.sides()[1];
        first_rows(side.part(e, self.class.geometry.evens), depth, &self.order)
    }

    /// Makes a turned table ready for an O whose rows have so many blocks.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(super) fn begin_turned(&self, turned: &mut Turned, blocks: usize) -> Result<()> {
        turned.reset(self.summed_rows(), blocks, self.summing.is_flat())
    }

    /// Bytes of a turned table (its low bytes) whose rows have so many blocks.
    pub(super) fn table_bytes(&self, blocks: usize) -> usize {
        self.summed_rows() * blocks * LANES
    }

    /// Rows of a filled table.
    pub(super) fn filled_rows(&self) -> usize {
        self.rows_axis(self.filling).sets.len()
    }

    /// Rows of a turned table.
    pub(super) fn summed_rows(&self) -> usize {
        self.rows_axis(self.filling.other()).sets.len()
    }

    /// How a side's walk for E is divided, with prefixes of so many rows.
    pub(super) fn rows(&self, side: Side, e: Subset, depth: usize) -> Rows {
        Rows::new(side.part(e, self.class.geometry.evens), depth, &self.order)
    }

    /// Adds a side's program for E to the draft, with prefixes of at least so many rows; returns how many they have,
    /// and where its headers are.
    fn program(
        &self,
        side: Side,
        e: Subset,
        depth: usize,
        draft: &mut Draft,
        cancel: &CancelToken,
    ) -> Result<(usize, Range<usize>)> {
        let geometry = self.class.geometry;
        let row_of = &self.rows_axis(side).row_of;
        let is_grouped = side != self.filling && self.summing == Summing::Groups;
        let form = if is_grouped { Form::Groups } else { Form::Parents };
        let format = Format { form, longest: self.tuning.longest_part() };
        let mut depth = depth;
        loop {
            let rows = self.rows(side, e, depth);
            // Walks of many rows on large boards need a longer prefix to stay within the format's 16 bits.
            match draft.add(geometry, side.walked(), &rows, row_of, format, cancel)? {
                Some(headers) => return Ok((depth, headers)),
                None => {
                    assert!(!rows.rest.is_empty(), "a program of prefixes alone is within 8 GiB");
                    depth += 1;
                }
            }
        }
    }
}
