//! Data that the threads of a count share: families and their programs.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::plan::{Class, Family, Term};
use super::split::{Color, Sides, Subset};
use super::tuning::PackTuning;
use crate::color::pack::{Layout, PackRequest};
use crate::color::program::{Draft, Programs};
use crate::color::table::{Axis, TurnedTable};
use crate::memory::{collect, push, reserve};
use crate::simd::WORD_BYTES;
use crate::solver::Isa;
use crate::{CancelToken, Result};

/// The families of a count, each with its number. The list owns the families, and each unit borrows one while it is
/// counted.
#[derive(Debug, Default)]
pub(super) struct Shared {
    families: Mutex<Vec<(usize, Arc<SharedFamily>)>>,
}

impl Shared {
    /// Returns family number `number`. If the list does not have it, `make` makes it. Drops the other families that no
    /// unit borrows, because their programs are large.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(super) fn family(
        &self,
        number: usize,
        make: impl FnOnce() -> Result<SharedFamily>,
    ) -> Result<Arc<SharedFamily>> {
        let mut families = self.families.lock().unwrap_or_else(PoisonError::into_inner);
        families.retain(|(known, family)| *known == number || Arc::strong_count(family) > 1);
        if let Some((_, family)) = families.iter().find(|(known, _)| *known == number) {
            return Ok(Arc::clone(family));
        }
        let family = Arc::new(make()?);
        push(&mut families, (number, Arc::clone(&family)))?;
        Ok(family)
    }
}

/// A family while it is counted: its table rows and its programs.
#[derive(Debug)]
pub(super) struct SharedFamily {
    pub(super) class: Arc<Class>,
    /// Column sets F that some O of the family counts.
    even_columns: Axis,
    /// Column sets G that some O of the family counts.
    odd_columns: Axis,
    /// The instruction set whose code counts the family.
    pub(super) isa: Isa,
    /// Whether the summing side's packs are sparse, and table entries are looked up.
    pub(super) is_sparse: bool,
    pub(super) tuning: PackTuning,
    /// For each set E of the family: its programs, which the first thread that needs them writes.
    programs: Vec<Mutex<Option<Programs>>>,
}

impl SharedFamily {
    /// Makes a family.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(super) fn new(family: &Family, isa: Isa, tuning: PackTuning) -> Result<Self> {
        let class = &family.class;
        let (evens, odds) = (class.geometry.evens, class.geometry.odds);
        let keep_even = class.even_sets.iter().copied().filter(|&f| class.keeps_even_columns(f, family.highest));
        // Ascending, because neighboring leaves of a walk then have neighboring table rows.
        let mut keep_even = collect(keep_even)?;
        keep_even.sort_unstable();
        let keep_odd = class.odd_sets.iter().copied().filter(|&g| class.odd_column_factor(g, family.highest) > 0);
        Ok(Self {
            even_columns: Axis::new(Color::White, evens, keep_even.into_iter())?,
            odd_columns: Axis::new(Color::Black, odds, keep_odd)?,
            isa,
            is_sparse: class.queens(class.sides().summing) >= tuning.sparse_from,
            tuning,
            class: Arc::clone(class),
            programs: collect(family.sets().iter().map(|_| Mutex::new(None)))?,
        })
    }

    /// The column sets that a color's walks end on.
    pub(super) fn rows_axis(&self, color: Color) -> &Axis {
        match color {
            Color::White => &self.even_columns,
            Color::Black => &self.odd_columns,
        }
    }

    /// Adds the programs for `terms` to `programs`, which is empty. Writes those that no thread has written yet.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory), [`Error::Cancelled`](crate::Error::Cancelled).
    pub(super) fn programs(
        &self,
        terms: &[Term],
        programs: &mut Vec<Programs>,
        draft: &mut Draft,
        cancel: &CancelToken,
    ) -> Result<()> {
        // Threads that need equal programs share the writing. Each skips programs that another thread is writing, and
        // takes them at the end.
        let mut skipped = Vec::new();
        reserve(programs, terms.len())?;
        for (at, term) in terms.iter().enumerate() {
            match self.programs[term.number].try_lock() {
                Ok(slot) => programs.push(self.write(slot, term.e, draft, cancel)?),
                Err(_) => push(&mut skipped, at)?,
            }
        }
        for at in skipped {
            programs.insert(at, self.write(self.slot(&terms[at]), terms[at].e, draft, cancel)?);
        }
        Ok(())
    }

    /// Drops the programs of `terms`. A thread that still needs some writes them again.
    pub(super) fn drop_programs(&self, terms: &[Term]) {
        terms.iter().for_each(|term| *self.slot(term) = None);
    }

    fn slot(&self, term: &Term) -> MutexGuard<'_, Option<Programs>> {
        self.programs[term.number].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the programs of E. Writes them if its slot is empty.
    fn write(
        &self,
        mut slot: MutexGuard<'_, Option<Programs>>,
        e: Subset,
        draft: &mut Draft,
        cancel: &CancelToken,
    ) -> Result<Programs> {
        if let Some(programs) = &*slot {
            return Ok(programs.clone());
        }
        draft.clear();
        let Sides { filling, summing } = self.class.sides();
        let filling = self.program(filling, e, draft, cancel)?;
        let starts = Sides { filling, summing: self.program(summing, e, draft, cancel)? };
        Ok(slot.insert(Programs::new(draft.take()?, starts)).clone())
    }

    /// The most terms to sum together, if rows of turned tables have `blocks` blocks.
    pub(super) fn terms_together(&self, blocks: usize) -> usize {
        let bytes_of_table = self.turned_rows() * blocks * WORD_BYTES;
        self.tuning.terms_together.min(self.tuning.table_bytes / bytes_of_table.max(1)).max(1)
    }

    /// Number of rows of a turned table.
    pub(super) fn turned_rows(&self) -> usize {
        self.rows_axis(self.class.sides().summing).sets.len()
    }

    /// Number of rows of a filled table.
    pub(super) fn filled_rows(&self) -> usize {
        self.rows_axis(self.class.sides().filling).sets.len()
    }

    /// Begins a turned table whose rows have `blocks` blocks.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(super) fn begin(&self, turned: &mut TurnedTable, blocks: usize) -> Result<()> {
        turned.begin(self.turned_rows(), blocks, self.summing_piece(blocks))
    }

    /// Number of blocks that the filling side packs and walks together, if its list has `blocks` blocks.
    pub(super) fn filling_piece(&self, blocks: usize) -> usize {
        blocks.min(self.tuning.piece_bytes / (self.filled_rows() * WORD_BYTES).max(1)).max(1)
    }

    /// Number of blocks that the summing side packs and walks together, if its list has `blocks` blocks. Two blocks may share
    /// words, and sparse packs have no blocks.
    pub(super) fn summing_piece(&self, blocks: usize) -> usize {
        let piece = self.tuning.piece_bytes / (self.turned_rows() * WORD_BYTES).max(1);
        if self.is_sparse { blocks } else { blocks.min(piece.max(1).next_multiple_of(2)) }
    }

    /// The filling side's request for packs, for E.
    pub(super) fn filling_request(&self, e: Subset, blocks: Range<usize>) -> PackRequest<'_> {
        let packs = self.tuning.kept_bytes.filling / WORD_BYTES;
        PackRequest {
            layout: Layout::Aligned,
            rows: self.class.walk_rows(self.class.sides().filling, e),
            blocks,
            batch: packs,
            kept: packs,
        }
    }

    /// The summing side's request for packs, for E.
    pub(super) fn summing_request(&self, e: Subset, blocks: Range<usize>) -> PackRequest<'_> {
        let kept = self.tuning.kept_bytes.summing;
        let summing = self.class.sides().summing;
        PackRequest {
            layout: if self.is_sparse { Layout::Sparse } else { Layout::Shared },
            rows: self.class.walk_rows(summing, e),
            blocks,
            batch: kept / WORD_BYTES / 4,
            kept: kept / WORD_BYTES,
        }
    }

    /// Adds a color's program for E to the draft. Returns where its starts are.
    fn program(&self, color: Color, e: Subset, draft: &mut Draft, cancel: &CancelToken) -> Result<Range<usize>> {
        draft.add(self.class.walk_rows(color, e), &self.rows_axis(color).row_of, cancel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::color::plan::cut;
    use crate::color::tuning::UnitTuning;

    #[test]
    fn families_and_their_programs_are_dropped_when_no_unit_borrows_them() {
        let (cancel, isa) = (CancelToken::new(), Isa::Portable);
        let tuning = PackTuning::new(12, isa);
        let (families, units) = cut(12, UnitTuning::new(12), &cancel).unwrap();
        let odds = |number: usize| units.iter().filter(move |unit| unit.family == number).map(|unit| unit.o);
        let make = |number: usize| SharedFamily::new(&families[number], isa, tuning);
        let again = || -> Result<SharedFamily> { panic!("the list has it") };
        let shared = Shared::default();
        let first = shared.family(0, || make(0)).unwrap();
        assert!(Arc::ptr_eq(&first, &shared.family(0, again).unwrap()));
        shared.family(1, || make(1)).unwrap();
        assert!(Arc::ptr_eq(&first, &shared.family(0, again).unwrap()), "a unit borrows it");
        assert_eq!(shared.family(2, || Err(Error::Memory { bytes: 1 })).err(), Some(Error::Memory { bytes: 1 }));
        shared.family(2, || make(2)).unwrap();

        let terms: Vec<Term> = odds(0).flat_map(|o| families[0].terms(o).collect::<Vec<_>>()).collect();
        let mut programs = Vec::new();
        first.programs(&terms, &mut programs, &mut Draft::default(), &cancel).unwrap();
        assert_eq!(programs.len(), terms.len());
        assert!(first.programs.iter().all(|programs| programs.lock().unwrap().is_some()));
        first.drop_programs(&terms);
        assert!(first.programs.iter().all(|programs| programs.lock().unwrap().is_none()));

        let family = Arc::downgrade(&first);
        drop(first);
        assert!(family.upgrade().is_some(), "the list owns it");
        shared.family(2, again).unwrap();
        assert!(family.upgrade().is_none());
    }
}
