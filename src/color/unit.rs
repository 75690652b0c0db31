//! Counts one unit of work. This loop uses all other parts of the color split.

use std::ops::Range;
use std::sync::Arc;

use super::plan::{CountTerms, Term, Unit, Units};
use super::split::{Color, Sides, Subset};
use super::tuning::PackTuning;
use crate::board::Size;
use crate::color::family::{Shared, SharedFamily};
use crate::color::list::{Keys, List};
use crate::color::pack::{Packer, Store};
use crate::color::program::{Draft, Programs};
use crate::color::table::{ColumnSets, FilledTable, TurnedTable, Weights};
use crate::color::walk::{self, Batch, Fill, Noted};
use crate::memory::{grow, push, refill};
use crate::simd::{Cell, dispatch};
use crate::solver::{Isa, Worker};
use crate::tally::{Tally, Work};
use crate::{CancelToken, Error, Result};

/// Counts units with programs on packs, with the words of an instruction set.
#[derive(Debug, Clone, Copy)]
pub struct Packs {
    /// The instruction set.
    pub isa: Isa,
    /// How units are packed.
    pub tuning: PackTuning,
}

impl Packs {
    /// The measured tuning for a size and an instruction set.
    #[must_use]
    pub fn new(size: Size, isa: Isa) -> Self {
        Self { isa, tuning: PackTuning::new(size.get(), isa) }
    }
}

impl CountTerms for Packs {
    fn workers<'a>(&'a self, units: &'a Units, threads: usize) -> Vec<Box<dyn Worker + 'a>> {
        let shared = Arc::<Shared>::default();
        let worker = || PackWorker {
            packs: self,
            units,
            shared: Arc::clone(&shared),
            counter: UnitCounter::default(),
            terms: Vec::new(),
        };
        (0..threads).map(|_| -> Box<dyn Worker + 'a> { Box::new(worker()) }).collect()
    }
}

struct PackWorker<'a> {
    packs: &'a Packs,
    units: &'a Units,
    shared: Arc<Shared>,
    counter: UnitCounter,
    /// The terms of the unit at hand.
    terms: Vec<Term>,
}

impl Worker for PackWorker<'_> {
    fn count(&mut self, unit: usize, cancel: &CancelToken) -> Result<Tally> {
        let Self { packs: Packs { isa, tuning }, units, shared, counter, terms } = self;
        let Unit { family: number, o, .. } = units.all[unit];
        terms.clear();
        for term in units.families[number].terms(o) {
            push(terms, term)?;
        }
        let is_last = unit + 1 == units.of_family(number).end;
        let family = shared.family(number, || SharedFamily::new(&units.families[number], *isa, *tuning))?;
        counter.count(Task { family: &family, is_last, cancel }, o, terms)
    }
}

/// Counts units on one thread. The next unit reuses its memory.
#[derive(Debug, Default)]
pub(super) struct UnitCounter {
    pub(super) filling: SideMemory,
    pub(super) summing: SideMemory,
    weights: Weights,
    /// The tables of the terms that are filled together.
    pub(super) filled: Vec<FilledTable>,
    /// The turned tables of the terms that are summed together.
    turned: Vec<TurnedTable>,
    draft: Draft,
    /// The programs of the terms that are summed together. It is empty between them, because a family owns its programs.
    programs: Vec<Programs>,
    /// The sums of these terms.
    sums: Vec<u128>,
    packer: Packer,
    /// The states of a walk.
    states: Vec<Cell>,
    /// The noted leaves of sparse packs: one element, or none before the first sparse family.
    noted: Vec<Noted>,
}

/// What one color has for the O at hand: its list, and packs of it.
#[derive(Debug, Default)]
pub(super) struct SideMemory {
    pub(super) list: List,
    pub(super) store: Store,
    /// The keys of the piece at hand, if it is not the whole list.
    piece: Keys,
    /// For each lane of the list, the table row of its column set. The lanes of the filling side are rows of the turned
    /// table. The lanes of the summing side are rows of the filled table.
    row_of_lane: Vec<u16>,
}

/// The family whose unit is counted, and the token that can stop the count.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    pub(super) family: &'a SharedFamily,
    /// Whether the unit is the family's last. It drops the programs that it has replayed. Other threads count units that
    /// began before, so they have mostly replayed these programs. One that has not writes them again.
    pub(super) is_last: bool,
    pub(super) cancel: &'a CancelToken,
}

impl UnitCounter {
    /// Counts terms of a family with the odd rows `o`.
    ///
    /// # Errors
    /// [`Error::Bug`], [`Error::Memory`], [`Error::Cancelled`].
    pub(super) fn count(&mut self, task: Task<'_>, o: Subset, terms: &[Term]) -> Result<Tally> {
        self.begin(task, o)?;
        let mut tally = Tally::default();
        let together = task.family.terms_together(self.summing.list.blocks());
        let class = &task.family.class;
        let sum_together = |a: &Term, b: &Term| class.share_prefix(class.sides().summing, [a.e, b.e]);
        for terms in terms.chunk_by(sum_together).flat_map(|sharing| sharing.chunks(together)) {
            let sums = self.sum_terms(task, terms, &mut tally.work)?;
            if task.is_last {
                task.family.drop_programs(terms);
            }
            for (sum, term) in sums.iter().zip(terms) {
                tally.solutions = sum
                    .checked_mul(u128::from(term.weight))
                    .and_then(|weighted| tally.solutions.checked_add(weighted))
                    .ok_or_else(|| Error::overflow(128))?;
            }
        }
        Ok(tally)
    }

    /// Lists both colors' placements on the odd rows O. Then terms with this O can be counted.
    ///
    /// # Errors
    /// [`Error::Memory`], [`Error::Cancelled`].
    pub(super) fn begin(&mut self, task: Task<'_>, o: Subset) -> Result<()> {
        let family = task.family;
        let Sides { filling, summing } = family.class.sides();
        self.filling.begin(task, filling, o, &mut self.weights.rows)?;
        self.summing.begin(task, summing, o, &mut self.weights.lanes)?;
        self.filled.iter_mut().for_each(|filled| filled.is_wide = false);
        // If the last O had smaller tables, there may be more of them than the tuning now allows.
        let blocks = self.summing.list.blocks();
        self.turned.truncate(family.terms_together(blocks));
        self.turned.iter_mut().try_for_each(|turned| family.begin(turned, blocks))
    }

    /// Returns the sum of each term over all column colorings. The prefixes of all terms must have equal rows on the
    /// summing side.
    ///
    /// # Errors
    /// [`Error::Bug`], [`Error::Memory`], [`Error::Cancelled`].
    pub(super) fn sum_terms(&mut self, task: Task<'_>, terms: &[Term], work: &mut Work) -> Result<&[u128]> {
        let family = task.family;
        let mut programs = std::mem::take(&mut self.programs);
        family.programs(terms, &mut programs, &mut self.draft, task.cancel)?;
        while self.turned.len() < terms.len() {
            let mut turned = TurnedTable::default();
            family.begin(&mut turned, self.summing.list.blocks())?;
            push(&mut self.turned, turned)?;
        }
        let class = &family.class;
        let blocks = self.filling.list.blocks();
        let piece = family.filling_piece(blocks);
        // A table of all blocks is turned at once, while it is in a near cache.
        let fill_together =
            |a: &Term, b: &Term| piece < blocks && class.share_prefix(class.sides().filling, [a.e, b.e]);
        let mut first = 0;
        for terms in terms.chunk_by(fill_together) {
            for blocks in pieces(blocks, piece) {
                self.fill(task, terms, &programs[first..], blocks.clone(), work)?;
                for (at, term) in terms.iter().enumerate() {
                    self.turn(family, term.e, blocks.start, [at, first + at])?;
                }
            }
            first += terms.len();
        }
        self.sum(task, terms[0].e, &programs, work)?;
        programs.clear();
        self.programs = programs;
        Ok(&self.sums)
    }

    /// Fills the tables of terms, for some blocks of the list. The prefixes of all terms must have equal rows on the filling
    /// side.
    pub(super) fn fill(
        &mut self,
        task: Task<'_>,
        terms: &[Term],
        programs: &[Programs],
        blocks: Range<usize>,
        work: &mut Work,
    ) -> Result<()> {
        let Task { family, cancel, .. } = task;
        let Self { filling: SideMemory { list, piece, store, .. }, filled, packer, states, .. } = self;
        let isa = family.isa;
        while filled.len() < terms.len() {
            push(filled, FilledTable::default())?;
        }
        let filled = &mut filled[..terms.len()];
        let request = family.filling_request(terms[0].e, blocks);
        let keys = list.piece(&request.blocks, piece)?;
        loop {
            for filled in &mut *filled {
                filled.begin(family.filled_rows(), request.blocks.len())?;
            }
            let mut walked = Work::default();
            packer.begin(&request, store);
            while let Some(packs) = packer.next_batch(isa, &request, keys, store, cancel)? {
                for (filled, programs) in filled.iter_mut().zip(programs) {
                    let (packs, program) = (packs.clone(), programs.fill());
                    let batch = Batch { store, packs, program, states, work: &mut walked, cancel };
                    dispatch(isa, Fill { batch, table: filled.entries() })?;
                }
            }
            let mut all_fit = true;
            for filled in &mut *filled {
                all_fit &= filled.fits()?;
            }
            if all_fit {
                work.add(walked);
                return Ok(());
            }
        }
    }

    /// Turns the filled table number `from` of a term, which has the blocks from `first_block` on. It becomes part of turned
    /// table number `to`.
    pub(super) fn turn(
        &mut self,
        family: &SharedFamily,
        e: Subset,
        first_block: usize,
        [from, to]: [usize; 2],
    ) -> Result<()> {
        self.weights.compare(&family.class, e)?;
        let rows = [&*self.summing.row_of_lane, &*self.filling.row_of_lane];
        self.turned[to].turn(family.isa, &self.filled[from], &self.weights, rows, first_block)
    }

    /// Sums terms whose tables are turned: one for each of `programs`. Their summing sides share packs with the set
    /// `e`.
    pub(super) fn sum(&mut self, task: Task<'_>, e: Subset, programs: &[Programs], work: &mut Work) -> Result<&[u128]> {
        let Task { family, cancel, .. } = task;
        let Self { summing: SideMemory { list, piece, store, .. }, turned, sums, packer, states, noted, .. } = self;
        let isa = family.isa;
        if family.is_sparse {
            grow(noted, 1, Noted::EMPTY)?;
        }
        refill(sums, programs.iter().map(|_| 0))?;
        for blocks in pieces(list.blocks(), family.summing_piece(list.blocks())) {
            let first_block = blocks.start;
            let request = family.summing_request(e, blocks);
            let keys = list.piece(&request.blocks, piece)?;
            packer.begin(&request, store);
            while let Some(packs) = packer.next_batch(isa, &request, keys, store, cancel)? {
                for ((sum, programs), table) in sums.iter_mut().zip(programs).zip(&*turned) {
                    let (packs, program) = (packs.clone(), programs.sum());
                    let batch = Batch { store, packs, program, states, work, cancel };
                    let noted = noted.first_mut().filter(|_| family.is_sparse);
                    *sum += walk::sum(isa, batch, table.piece(first_block), noted)?;
                }
            }
        }
        Ok(&*sums)
    }
}

/// Divides blocks into pieces of `piece` blocks. Without a block there is one empty piece.
fn pieces(blocks: usize, piece: usize) -> impl Iterator<Item = Range<usize>> {
    (0..blocks.max(1)).step_by(piece.max(1)).map(move |first| first..blocks.min(first.saturating_add(piece)))
}

impl SideMemory {
    /// Lists the placements of a color on the odd rows O. `weighed` gets the column sets of the lanes.
    fn begin(
        &mut self,
        Task { family, cancel, .. }: Task<'_>,
        color: Color,
        o: Subset,
        weighed: &mut ColumnSets,
    ) -> Result<()> {
        let class = &*family.class;
        self.list.rebuild(class, color, o, cancel)?;
        self.store.clear();
        let (axis, sets) = (family.rows_axis(color.other()), &self.list.column_sets);
        weighed.replace(class, color, sets, o)?;
        refill(&mut self.row_of_lane, sets.iter().map(|&set| axis.row(set)))
    }
}
