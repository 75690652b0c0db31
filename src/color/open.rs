//! The open families of a count with their programs, which its threads use together. A family also decides how its
//! units are packed: in which layout and, because this depends on the number of its walk sets, how many terms together
//! and in which pieces.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::list::{Keys, List};
use super::pack::{Layout, PackRequest};
use super::plan::{Class, Family};
use super::program::{Draft, Programs};
use super::slot::TermSlot;
use super::split::{Color, Geometry, Sides, Subset};
use super::table::{TurnedTable, WalkSets};
use super::tuning::PackTuning;
use crate::memory::{collect, push};
use crate::simd::WORD_BYTES;
use crate::solver::Isa;
use crate::{CancelToken, Result};

/// The open families of a count with their numbers. This list and each unit that is being counted hold an [`Arc`] of
/// the family. The list drops families that only the list holds.
#[derive(Debug, Default)]
pub(super) struct OpenFamilies {
    open: Mutex<Vec<(usize, Arc<OpenFamily>)>>,
}

impl OpenFamilies {
    /// Returns family number `number`, opening it with `make` if necessary. Drops the other families that no unit
    /// holds, because their programs are large.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(super) fn family(&self, number: usize, make: impl FnOnce() -> Result<OpenFamily>) -> Result<Arc<OpenFamily>> {
        let mut families = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        families.retain(|(known, family)| *known == number || Arc::strong_count(family) > 1);
        if let Some((_, family)) = families.iter().find(|(known, _)| *known == number) {
            return Ok(Arc::clone(family));
        }
        let family = Arc::new(make()?);
        push(&mut families, (number, Arc::clone(&family)))?;
        Ok(family)
    }
}

/// A family while its units are counted: its walk sets, its programs, and how its units are packed.
#[derive(Debug)]
pub(super) struct OpenFamily {
    pub(super) class: Arc<Class>,
    /// The walk sets of each side that are counted with some O of the family.
    pub(super) walk_sets: Sides<WalkSets>,
    /// The instruction set whose code counts the family.
    pub(super) isa: Isa,
    pub(super) tuning: PackTuning,
    /// For each set E of the family: its programs, which the first thread that needs them writes.
    programs: Vec<Mutex<Option<Programs>>>,
}

impl OpenFamily {
    /// Opens a family. None of its programs are written yet.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(super) fn new(family: &Family, isa: Isa, tuning: PackTuning) -> Result<Self> {
        let class = &family.class;
        let Geometry { even_rows, odd_rows, .. } = class.geometry;
        // White's walks end on the sets F, and black's on the complements of the sets G.
        let keep_even = class.even_sets.iter().copied().filter(|&f| class.keeps_even_columns(f, family.highest_o));
        let keep_odd = class.odd_sets.iter().copied().filter(|&g| class.keeps_odd_columns(g, family.highest_o));
        let white = WalkSets::new(Color::White, even_rows, keep_even)?;
        let black = WalkSets::new(Color::Black, odd_rows, keep_odd)?;
        Ok(Self {
            walk_sets: class.by_side(white, black),
            isa,
            tuning,
            class: Arc::clone(class),
            programs: collect(family.sets_e().iter().map(|_| Mutex::new(None)))?,
        })
    }

    /// Gives each slot the programs of its term, and writes those that no thread has written yet. The family keeps them
    /// for its other units.
    ///
    /// # Errors
    /// The errors of [`Draft::add`].
    pub(super) fn give_programs(&self, slots: &mut [TermSlot], draft: &mut Draft, cancel: &CancelToken) -> Result<()> {
        let mut give = |slot: &mut TermSlot, mut kept: MutexGuard<'_, Option<Programs>>| -> Result<()> {
            if kept.is_none() {
                *kept = Some(self.write(slot.term.e, draft, cancel)?);
            }
            slot.programs.clone_from(&kept);
            Ok(())
        };
        // Threads that need the same programs share the writing: each thread first skips programs that another thread
        // is writing, and takes them at the end.
        for slot in &mut *slots {
            if let Ok(kept) = self.programs[slot.term.e_index].try_lock() {
                give(slot, kept)?;
            }
        }
        for slot in slots.iter_mut().filter(|slot| slot.programs.is_none()) {
            give(slot, self.programs[slot.term.e_index].lock().unwrap_or_else(PoisonError::into_inner))?;
        }
        Ok(())
    }

    /// Writes the programs of E, and returns them.
    fn write(&self, e: Subset, draft: &mut Draft, cancel: &CancelToken) -> Result<Programs> {
        draft.clear();
        let sides = &self.class.sides;
        let mut add = |side, sets: &WalkSets| draft.add(self.class.walk_rows(side, e), &sets.table_row_of, cancel);
        let filling = add(&sides.filling, &self.walk_sets.filling)?;
        let starts = Sides { filling, summing: add(&sides.summing, &self.walk_sets.summing)? };
        Ok(Programs::new(draft.finish()?, starts))
    }

    /// Returns the largest number of terms to sum together, if each row of a turned table has `blocks` blocks.
    pub(super) fn terms_together(&self, blocks: usize) -> usize {
        let bytes_of_table = self.walk_sets.summing.table_rows * blocks * WORD_BYTES;
        self.tuning.terms_together.min(self.tuning.table_bytes / bytes_of_table.max(1)).max(1)
    }

    /// Clears a turned table for the list of a unit's summing side.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(super) fn clear_turned(&self, turned: &mut TurnedTable, list: &List) -> Result<()> {
        let rows = self.walk_sets.summing.table_rows;
        turned.clear(rows, list.blocks(), self.piece_blocks(rows, list.blocks()))
    }

    /// Returns the layout of the summing side's packs of `list`: sparse, so that table entries are looked up, or in
    /// lanes.
    ///
    /// A leaf takes a look-up for each key that is alive if packs are sparse, and a count for each lane otherwise. If
    /// keys are placements of q queens, about one in 4^q of them is alive (n = 16 to 26).
    pub(super) fn summing_layout(&self, list: &List) -> Layout {
        let tuning = &self.tuning;
        let look_ups = tuning.lanes_per_look_up.saturating_mul(list.keys.length as u64) >> (2 * list.queens());
        let is_sparse = self.class.sides.summing.queens >= tuning.sparse_from && look_ups < list.sets.len() as u64;
        if is_sparse { Layout::Sparse } else { Layout::Shared }
    }

    /// Returns how many of its `blocks` blocks a side packs and walks together, if its table has `table_rows` rows. A
    /// piece never ends within a pair of blocks, which may share words.
    pub(super) fn piece_blocks(&self, table_rows: usize, blocks: usize) -> usize {
        let piece = self.tuning.piece_bytes / (table_rows.max(1) * WORD_BYTES);
        blocks.min(piece.max(1).next_multiple_of(2))
    }

    /// Returns the request for packs of `keys`, for E. The layout says which side packs.
    pub(super) fn request<'a>(
        &'a self,
        layout: Layout,
        e: Subset,
        piece: Range<usize>,
        keys: &'a Keys,
    ) -> PackRequest<'a> {
        let (sides, bytes) = (&self.class.sides, self.tuning.batch_bytes);
        let (side, batch_bytes) = match layout {
            Layout::Spread => (&sides.filling, bytes.filling),
            Layout::Shared | Layout::Sparse => (&sides.summing, bytes.summing),
        };
        let (rows, batch_cells) = (self.class.walk_rows(side, e), batch_bytes / WORD_BYTES);
        PackRequest { isa: self.isa, layout, rows, piece, keys, batch_cells }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::color::plan::{Term, cut};
    use crate::color::tuning::UnitTuning;

    /// Trap: a class has units of both layouts, so the queens of its walks alone do not decide. On odd boards, white
    /// placements have one more queen than white walks.
    #[test]
    fn packs_are_sparse_if_few_keys_of_a_lane_survive() {
        let cancel = CancelToken::new();
        let is_sparse = |isa, n, white_evens, keys_in_lane| {
            let class = Arc::new(Class::all(n, UnitTuning::new(n)).nth(white_evens).unwrap());
            let family = Family { highest_o: class.odd_sets[0], e_range: 0..1, class };
            let mut list = List::default();
            list.rebuild(&family.class, &family.class.sides.summing, family.highest_o, &cancel).unwrap();
            list.keys.length = list.sets.len() * keys_in_lane;
            let open = OpenFamily::new(&family, isa, PackTuning::new(n, isa)).unwrap();
            open.summing_layout(&list) == Layout::Sparse
        };
        for (n, white_evens, most) in [(20, 4, 85), (20, 3, 341), (20, 2, 1365), (21, 4, 85), (21, 6, 341)] {
            for isa in [Isa::Avx2, Isa::Avx512] {
                let by_list = [most, most + 1].map(|keys| is_sparse(isa, n, white_evens, keys));
                assert_eq!(by_list, [true, false], "n = {n}, class {white_evens}");
            }
            assert!(is_sparse(Isa::Portable, n, white_evens, most + 1));
        }
        assert!(!is_sparse(Isa::Avx2, 20, 5, 1), "walks with five queens");
    }

    #[test]
    fn families_and_their_programs_are_dropped_when_no_unit_holds_them() {
        let (cancel, isa) = (CancelToken::new(), Isa::Portable);
        let tuning = PackTuning::new(12, isa);
        let (families, units) = cut(12, UnitTuning::new(12), &cancel).unwrap();
        let sets_o = |number: usize| units.iter().filter(move |unit| unit.family_number == number).map(|unit| unit.o);
        let make = |number: usize| OpenFamily::new(&families[number], isa, tuning);
        let again = || -> Result<OpenFamily> { panic!("the list has it") };
        let open = OpenFamilies::default();
        let first = open.family(0, || make(0)).unwrap();
        assert!(Arc::ptr_eq(&first, &open.family(0, again).unwrap()));
        open.family(1, || make(1)).unwrap();
        assert!(Arc::ptr_eq(&first, &open.family(0, again).unwrap()), "a unit holds it");
        assert_eq!(open.family(2, || Err(Error::Memory { bytes: 1 })).err(), Some(Error::Memory { bytes: 1 }));
        open.family(2, || make(2)).unwrap();

        let terms: Vec<Term> = sets_o(0).flat_map(|o| families[0].terms(o).collect::<Vec<_>>()).collect();
        let mut slots: Vec<TermSlot> = terms.iter().map(|&term| TermSlot { term, ..TermSlot::default() }).collect();
        for _ in 0..2 {
            slots.iter_mut().for_each(|slot| slot.programs = None);
            first.give_programs(&mut slots, &mut Draft::default(), &cancel).unwrap();
            assert!(slots.iter().all(|slot| slot.programs.is_some()));
            assert!(first.programs.iter().all(|kept| kept.lock().unwrap().is_some()));
        }

        let family = Arc::downgrade(&first);
        drop(first);
        assert!(family.upgrade().is_some(), "the list holds it");
        open.family(2, again).unwrap();
        assert!(family.upgrade().is_none());
    }

    /// Two blocks may share words. A turned table also records the layers of a row for each pair of blocks, and pairs
    /// are counted from the first block.
    #[test]
    fn pieces_divide_no_pair_of_blocks() {
        let (families, _) = cut(20, UnitTuning::new(20), &CancelToken::new()).unwrap();
        let mut family = OpenFamily::new(&families[0], Isa::Portable, PackTuning::new(20, Isa::Portable)).unwrap();
        let Sides { filling, summing } = &family.walk_sets;
        let of_block = Sides { filling: filling.table_rows, summing: summing.table_rows };
        let mut pieces = |fit: usize, blocks| {
            family.tuning.piece_bytes = fit * of_block.filling * WORD_BYTES;
            let filling = family.piece_blocks(family.walk_sets.filling.table_rows, blocks);
            family.tuning.piece_bytes = fit * of_block.summing * WORD_BYTES;
            [filling, family.piece_blocks(family.walk_sets.summing.table_rows, blocks)]
        };
        let expected = [2, 2, 2, 4, 4, 6, 6, 7, 7].map(|of| [of; 2]);
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7, 8].map(|fit| pieces(fit, 7)), expected);
        assert_eq!([0, 1, 2].map(|fit| pieces(fit, 1)), [[1; 2]; 3]);
    }
}
