//! Counts one unit of work: the loop that uses all other parts of the color split. The numbers are those of the steps
//! in README.md.
//!
//! ```text
//! list both sides for O                                               1  list_sides
//! for terms with one summing prefix, at most `terms_together`:        2  give_slots
//!     for terms with one filling prefix (one term, if there is one piece):
//!         for each piece of the filling list:
//!             fill the tables of these terms from the same packs      3  fill
//!             for each of these terms: turn its table                 4  turn
//!     for each piece of the summing list, for each batch of packs:    5  sum_slots
//!         for each of the terms: sum += walk
//!     for each of the terms: tally += sum * weight                       count
//! ```

use std::ops::Range;

use super::list::{Keys, List};
use super::open::OpenFamily;
use super::pack::{Layout, Packer, Store};
use super::plan::{Side, Term};
use super::program::Draft;
use super::slot::TermSlot;
use super::split::{Sides, Subset};
use super::table::{FilledTable, LaneWeights, WalkSets, Weights};
use super::walk::{self, Noted, Replay};
use crate::memory::{grow, push, refill};
use crate::simd::Cell;
use crate::tally::{Tally, Work};
use crate::{CancelToken, Error, Result};

/// Counts units on one thread. The next unit reuses its memory.
#[derive(Debug, Default)]
pub(super) struct UnitCounter {
    pub(super) filling: SideMemory,
    pub(super) summing: SideMemory,
    weights: Weights,
    /// The tables of the terms that are filled together.
    pub(super) filled: Vec<FilledTable>,
    /// The slots of the terms that are summed together, and more slots for later terms.
    slots: Vec<TermSlot>,
    draft: Draft,
    packer: Packer,
    /// Memory for the states of a walk.
    states: Vec<Cell>,
    /// Memory for the noted leaves of sparse packs, which is allocated for the first sparse unit. It is a vector,
    /// although it has at most one element, because `Box` would abort the process if the system refused memory.
    noted: Vec<Noted>,
}

/// The data of one side for the current O: its list, and packs of the list. The store does not reuse packs of an
/// earlier list: their generation differs.
#[derive(Debug, Default)]
pub(super) struct SideMemory {
    pub(super) list: List,
    pub(super) store: Store,
    /// The keys of the current piece, if it is not the whole list.
    piece_keys: Keys,
    /// For each list set, its row in the table of the other side.
    table_rows: Vec<u16>,
}

/// The family whose unit is counted, and the token that can stop the count.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    pub(super) family: &'a OpenFamily,
    pub(super) cancel: &'a CancelToken,
}

impl UnitCounter {
    /// Counts terms of a family with the odd rows `o`.
    ///
    /// # Errors
    /// [`Error::Entry`], [`Error::Bug`], [`Error::Memory`], [`Error::Cancelled`].
    pub(super) fn count(&mut self, task: Task<'_>, o: Subset, terms: &[Term]) -> Result<Tally> {
        self.list_sides(task, o)?;
        let mut tally = Tally::default();
        let family = task.family;
        let most = family.terms_together(self.summing.list.blocks());
        let same_prefix = |a: &Term, b: &Term| family.class.same_prefix(&family.class.sides.summing, [a.e, b.e]);
        for together in terms.chunk_by(same_prefix).flat_map(|terms| terms.chunks(most)) {
            for slot in self.sum_terms(task, together, &mut tally.work)? {
                tally.solutions = slot
                    .sum
                    .checked_mul(u128::from(slot.term.weight))
                    .and_then(|weighted| tally.solutions.checked_add(weighted))
                    .ok_or_else(|| Error::overflow(128))?;
            }
        }
        Ok(tally)
    }

    /// Lists the placements of both sides on the odd rows O, so that terms with this O can be summed.
    ///
    /// # Errors
    /// [`Error::Bug`], [`Error::Memory`], [`Error::Cancelled`].
    pub(super) fn list_sides(&mut self, task: Task<'_>, o: Subset) -> Result<()> {
        let family = task.family;
        let (sides, sets) = (&family.class.sides, &family.walk_sets);
        self.filling.list_side(task, &sides.filling, &sets.summing, o, &mut self.weights.filling)?;
        self.summing.list_side(task, &sides.summing, &sets.filling, o, &mut self.weights.summing)?;
        // Entries have one byte until one of them does not fit.
        self.filled.iter_mut().for_each(|filled| filled.is_wide = false);
        // The previous O may have had smaller tables, and more of them than the tuning now allows.
        let list = &self.summing.list;
        self.slots.truncate(family.terms_together(list.blocks()));
        self.slots.iter_mut().try_for_each(|slot| family.clear_turned(&mut slot.turned, list))
    }

    /// Sums terms over all column colorings, and returns their slots. On the summing side, the prefixes of all terms
    /// must be on the same rows.
    ///
    /// # Errors
    /// [`Error::Entry`], [`Error::Bug`], [`Error::Memory`], [`Error::Cancelled`].
    pub(super) fn sum_terms(&mut self, task: Task<'_>, terms: &[Term], work: &mut Work) -> Result<&[TermSlot]> {
        // The slots are taken out, because the methods below borrow all of `self`, and put back at the end. If there is
        // an error, they are dropped, and the next unit makes new ones.
        let mut all = std::mem::take(&mut self.slots);
        let slots = self.give_slots(task, terms, &mut all)?;
        let (family, class) = (task.family, &task.family.class);
        let blocks = self.filling.list.blocks();
        let piece_blocks = family.piece_blocks(family.walk_sets.filling.table_rows, blocks);
        // Tables are filled together, from the same packs, only if they are filled in pieces. A table of all blocks is
        // turned at once, while it is in a near cache.
        let filled_together = |a: &TermSlot, b: &TermSlot| {
            piece_blocks < blocks && class.same_prefix(&class.sides.filling, [a.term.e, b.term.e])
        };
        for slots in slots.chunk_by_mut(filled_together) {
            for piece in pieces(blocks, piece_blocks) {
                let first_block = piece.start;
                self.fill(task, slots, piece, work)?;
                for (number, slot) in slots.iter_mut().enumerate() {
                    self.turn(family, number, slot, first_block)?;
                }
            }
        }
        self.sum_slots(task, slots, work)?;
        slots.iter_mut().for_each(|slot| slot.programs = None);
        self.slots = all;
        Ok(&self.slots[..terms.len()])
    }

    /// Gives each term a slot with its programs, and returns these slots.
    fn give_slots<'a>(
        &mut self,
        task: Task<'_>,
        terms: &[Term],
        slots: &'a mut Vec<TermSlot>,
    ) -> Result<&'a mut [TermSlot]> {
        // Slots of earlier terms are ready: `list_sides` cleared their tables.
        while slots.len() < terms.len() {
            let mut slot = TermSlot::default();
            task.family.clear_turned(&mut slot.turned, &self.summing.list)?;
            push(slots, slot)?;
        }
        let slots = &mut slots[..terms.len()];
        for (slot, &term) in slots.iter_mut().zip(terms) {
            (slot.term, slot.sum) = (term, 0);
        }
        task.family.give_programs(slots, &mut self.draft, task.cancel)?;
        Ok(slots)
    }

    /// Fills the tables of terms for a piece of the list. On the filling side, the prefixes of all terms must be on the
    /// same rows.
    fn fill(&mut self, task: Task<'_>, slots: &[TermSlot], piece: Range<usize>, work: &mut Work) -> Result<()> {
        let Task { family, cancel, .. } = task;
        let Self { filling: SideMemory { list, piece_keys, store, .. }, filled, packer, states, .. } = self;
        while filled.len() < slots.len() {
            push(filled, FilledTable::default())?;
        }
        let filled = &mut filled[..slots.len()];
        let keys = list.keys_of(&piece, piece_keys)?;
        loop {
            for filled in &mut *filled {
                filled.clear(family.walk_sets.filling.table_rows, piece.len())?;
            }
            // If the tables must be filled again, this pass is not counted as work.
            let mut walked = Work::default();
            let request = family.request(Layout::Spread, slots[0].term.e, piece.clone(), keys);
            let mut packing = packer.pack(request, store);
            while let Some(batch) = packing.next_batch(cancel)? {
                for (filled, slot) in filled.iter_mut().zip(slots) {
                    let program = slot.programs().filling();
                    let replay = Replay { batch, program, states, work: &mut walked, cancel };
                    walk::fill(family.isa, replay, filled.entries())?;
                }
            }
            let mut all_fit = true;
            for filled in &mut *filled {
                all_fit &= filled.finish()?;
            }
            if all_fit {
                work.add(walked);
                return Ok(());
            }
        }
    }

    /// Turns filled table number `number`, which covers the blocks from `first_block` on, into a part of the turned
    /// table of `slot`.
    fn turn(&mut self, family: &OpenFamily, number: usize, slot: &mut TermSlot, first_block: usize) -> Result<()> {
        self.weights.compare(&family.class, slot.term.e)?;
        let table_rows = Sides { filling: &*self.filling.table_rows, summing: &*self.summing.table_rows };
        slot.turned.turn(family.isa, &self.filled[number], &self.weights, table_rows, first_block)
    }

    /// Sums terms whose tables are turned. They share the packs of the summing side.
    fn sum_slots(&mut self, task: Task<'_>, slots: &mut [TermSlot], work: &mut Work) -> Result<()> {
        let Task { family, cancel, .. } = task;
        let Self { summing: SideMemory { list, piece_keys, store, .. }, packer, states, noted, .. } = self;
        let layout = family.summing_layout(list);
        let is_sparse = layout == Layout::Sparse;
        if is_sparse {
            grow(noted, 1, Noted::EMPTY)?;
        }
        let piece_blocks = family.piece_blocks(family.walk_sets.summing.table_rows, list.blocks());
        for piece in pieces(list.blocks(), piece_blocks) {
            let first_block = piece.start;
            let keys = list.keys_of(&piece, piece_keys)?;
            let mut packing = packer.pack(family.request(layout, slots[0].term.e, piece, keys), store);
            while let Some(batch) = packing.next_batch(cancel)? {
                for slot in &mut *slots {
                    let replay = Replay { batch, program: slot.programs().summing(), states, work, cancel };
                    let noted = noted.first_mut().filter(|_| is_sparse);
                    slot.sum += walk::sum(family.isa, replay, slot.turned.piece(first_block), noted)?;
                }
            }
        }
        Ok(())
    }
}

/// Divides blocks into pieces of `piece_blocks` blocks. If there are no blocks, there is one empty piece.
fn pieces(blocks: usize, piece_blocks: usize) -> impl Iterator<Item = Range<usize>> {
    let firsts = (0..blocks.max(1)).step_by(piece_blocks.max(1));
    firsts.map(move |first| first..blocks.min(first.saturating_add(piece_blocks)))
}

impl SideMemory {
    /// Lists the placements of a side on the odd rows O. `others` are the walk sets of the other side, and
    /// `lane_weights` receives the list sets.
    fn list_side(
        &mut self,
        Task { family, cancel, .. }: Task<'_>,
        side: &Side,
        others: &WalkSets,
        o: Subset,
        lane_weights: &mut LaneWeights,
    ) -> Result<()> {
        let class = &*family.class;
        self.list.rebuild(class, side, o, cancel)?;
        lane_weights.replace(class, side.color, &self.list.sets, o)?;
        refill(&mut self.table_rows, self.list.sets.iter().map(|&set| others.row(set)))
    }
}
