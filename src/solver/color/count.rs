//! Counts one unit of work: the loop in which the parts of the color split meet.

use super::half::{Draft, Layout, Lists, Packer, Program, Request, Rows, Store};
use super::meet::{Alive, Columns, Dot, Fill, MAX_ENTRY_BYTES, Peak, Replay, SparseDot, Table, Turn, Turned, Weights};
use super::plan::Term;
use super::room::grow;
use super::shared::{Programs, SharedFamily};
use super::split::{Side, Subset, elements};
use super::tuning::Summing;
use crate::count::{Tally, Work};
use crate::solver::Isa;
use crate::solver::simd::{Cell, dispatch};
use crate::{CancelToken, Error, Result};

/// Counts units on one thread, with its memory.
pub(super) struct UnitCounter {
    isa: Isa,
    pub(super) fill: Half,
    pub(super) sum: Half,
    packer: Packer,
    pub(super) draft: Draft,
    weights: Weights,
    /// The table of the term at hand: the lowest bytes of all its entries, then their second bytes, and so on.
    pub(super) filled: Vec<Cell>,
    /// The tables of the terms that are summed together.
    turned: Vec<Turned>,
    /// Memory for the states of a replay.
    states: Vec<Cell>,
    /// Memory for a dot without lanes.
    alive: Box<Alive>,
    /// Memory for the tallies of a dot: all zero between two of them.
    tallies: Vec<Cell>,
    /// Bytes of an entry: one for a new O, then as many as its largest entry has needed so far.
    pub(super) entry_bytes: usize,
}

/// One color's placements in lanes, and their packs.
#[derive(Default)]
pub(super) struct Half {
    pub(super) lists: Lists,
    pub(super) store: Store,
    /// For each lane, the row that its column set is in the table that has these sets as rows: for the filling side's
    /// lanes the turned table, for the summing side's the filled one.
    rows_of_lanes: Vec<u16>,
}

impl UnitCounter {
    pub(super) fn new(isa: Isa) -> Self {
        Self {
            isa,
            fill: Half::default(),
            sum: Half::default(),
            packer: Packer::default(),
            draft: Draft::default(),
            weights: Weights::default(),
            filled: Vec::new(),
            turned: Vec::new(),
            states: Vec::new(),
            alive: Box::default(),
            tallies: Vec::new(),
            entry_bytes: 1,
        }
    }

    /// Counts these terms of a family, those of the unit with the white odd rows O.
    ///
    /// # Errors
    /// [`Error::Overflow`], [`Error::Memory`].
    pub(super) fn count(
        &mut self,
        family: &SharedFamily,
        o: Subset,
        terms: &[Term],
        cancel: &CancelToken,
    ) -> Result<Tally> {
        let mut tally = Tally::default();
        self.begin(family, o, cancel)?;
        let together = self.terms_together(family);
        let prefix = |term: &Term| family.summed_prefix(term.evens);
        for shared in terms.chunk_by(|a, b| prefix(a) == prefix(b)) {
            for terms in shared.chunks(together) {
                let sums = self.sum_terms(family, terms, &mut tally.work, cancel)?;
                if cancel.is_cancelled() {
                    return Ok(tally);
                }
                for (sum, term) in sums.into_iter().zip(terms) {
                    tally.solutions = sum
                        .checked_mul(u128::from(term.weight))
                        .and_then(|weighted| tally.solutions.checked_add(weighted))
                        .ok_or(Error::Overflow { bits: 128 })?;
                }
                family.release(terms);
            }
        }
        Ok(tally)
    }

    /// Lists the placements of O.
    pub(super) fn begin(&mut self, family: &SharedFamily, o: Subset, cancel: &CancelToken) -> Result<()> {
        let class = &*family.class;
        let geometry = class.geometry;
        self.entry_bytes = 1;
        for (side, half) in [(family.filling, &mut self.fill), (family.filling.other(), &mut self.sum)] {
            let rows: Vec<usize> = elements(side.part(o, geometry.odds)).collect();
            let board = side.in_lanes();
            let size = geometry.columns(board);
            half.lists.lanes_apart = family.tuning.lanes_apart;
            half.lists.rebuild(geometry, board, &rows, family.tuning.segment_keys(), cancel, |columns| {
                let set = side.part(columns, size);
                let is_kept = match side {
                    Side::White => class.odd_columns(set, o) > 0,
                    Side::Black => class.keeps_even_columns(set, o),
                };
                is_kept.then_some(set)
            })?;
            half.store.clear();
            let axis = family.rows_axis(side.other());
            half.rows_of_lanes.clear();
            half.rows_of_lanes.extend(half.lists.column_sets.iter().map(|&set| axis.row(set)));
        }
        let [rows, lanes] = [(family.filling, &self.fill), (family.filling.other(), &self.sum)].map(|(side, half)| {
            let sets = &half.lists.column_sets;
            if side == Side::White { Columns::odd(class, sets, o) } else { Columns::even(class, sets) }
        });
        self.weights.begin(o, rows, lanes);
        // Where tables were smaller until now, there may be more of them than these have memory for.
        self.turned.truncate(self.terms_together(family));
        let blocks = self.sum.lists.blocks();
        self.turned.iter_mut().try_for_each(|turned| family.begin_turned(turned, blocks))
    }

    /// How many terms may be summed together, with the lists at hand.
    fn terms_together(&self, family: &SharedFamily) -> usize {
        family.tuning.terms_together(family.class.geometry.n, family.table_bytes(self.sum.lists.blocks()))
    }

    /// The sums over all column colorings for some terms, whose prefixes have the same rows on the summing side. When
    /// cancelled, they are not to be used.
    pub(super) fn sum_terms(
        &mut self,
        family: &SharedFamily,
        terms: &[Term],
        work: &mut Work,
        cancel: &CancelToken,
    ) -> Result<Vec<u128>> {
        let mut sums = vec![0; terms.len()];
        let Some(programs) = family.programs(terms, &mut self.draft, cancel)? else { return Ok(sums) };
        while self.turned.len() < terms.len() {
            let mut turned = Turned::default();
            family.begin_turned(&mut turned, self.sum.lists.blocks())?;
            self.turned.push(turned);
        }
        for (at, (programs, term)) in programs.iter().zip(terms).enumerate() {
            let largest = self.fill_table(family, term, programs, work, cancel)?;
            if cancel.is_cancelled() {
                return Ok(sums);
            }
            self.weights.compare(&family.class, term.evens);
            self.turn_round(family, largest, at)?;
        }
        let side = family.filling.other();
        let rows =
            programs.iter().zip(terms).map(|(programs, term)| family.rows(side, term.evens, programs.depths()[1]));
        let rows: Vec<Rows> = rows.collect();
        // A program that would be too large for its format has longer prefixes than the others, and so packs of its
        // own.
        let mut first = 0;
        for rows in rows.chunk_by(Rows::shares_packs) {
            let range = first..first + rows.len();
            self.dot(family, &rows[0], &programs[range.clone()], first, &mut sums[range], work, cancel)?;
            first += rows.len();
        }
        Ok(sums)
    }

    /// Fills the table of a term; returns a number that no entry passes.
    fn fill_table(
        &mut self,
        family: &SharedFamily,
        term: &Term,
        programs: &Programs,
        work: &mut Work,
        cancel: &CancelToken,
    ) -> Result<u32> {
        let request = Request {
            geometry: family.class.geometry,
            board: family.filling.walked(),
            layout: Layout::Aligned,
            rows: family.rows(family.filling, term.evens, programs.depths()[0]),
            batch: family.tuning.filling_packs(),
            kept: family.tuning.filling_packs(),
        };
        loop {
            let walked = self.fill(family, &request, programs.fill(), cancel)?;
            if cancel.is_cancelled() {
                return Ok(0);
            }
            let length = self.length(family);
            let top = dispatch(self.isa, Peak { cells: &self.filled[(self.entry_bytes - 1) * length..][..length] });
            if top < u8::MAX {
                work.add(walked);
                // The lower bytes may be anything.
                let below = 8 * (self.entry_bytes as u32 - 1);
                return Ok(u32::from(top) << below | ((1 << below) - 1));
            }
            // Some entry may have been cut off: the same walk again, with a byte more.
            if self.entry_bytes == MAX_ENTRY_BYTES {
                return Err(Error::Overflow { bits: 8 * MAX_ENTRY_BYTES as u32 });
            }
            self.entry_bytes += 1;
        }
    }

    /// Cells of a filled table, of one byte an entry.
    fn length(&self, family: &SharedFamily) -> usize {
        family.filled_rows() * self.fill.lists.blocks()
    }

    /// Fills the table, with entries of `entry_bytes` bytes.
    fn fill(
        &mut self,
        family: &SharedFamily,
        request: &Request,
        program: Program<'_>,
        cancel: &CancelToken,
    ) -> Result<Work> {
        let length = self.length(family);
        let needed = self.entry_bytes * length;
        grow(&mut self.filled, needed, Cell::ZERO)?;
        self.filled[..needed].fill(Cell::ZERO);
        let mut work = Work::default();
        let Half { lists, store, .. } = &mut self.fill;
        self.packer.begin(request.clone(), lists, store);
        while let Some(packs) = self.packer.next_batch(self.isa, lists, store, cancel)? {
            let (low, high) = self.filled[..needed].split_at_mut(length);
            let (range_bytes, states) = (family.tuning.range_bytes(), &mut self.states);
            let replay = Replay { store, packs, program, range_bytes, states, cancel };
            let table = Table { cells: low, stride: lists.blocks() };
            work.add(dispatch(self.isa, Fill { replay, table, high })?);
        }
        work.keys += self.packer.take_keys_packed();
        Ok(work)
    }

    /// Turns the filled table, in which no entry is larger than `largest`, round: into turned table number `to`.
    pub(super) fn turn_round(&mut self, family: &SharedFamily, largest: u32, to: usize) -> Result<()> {
        let length = self.length(family);
        let turn = Turn {
            filled: &self.filled[..self.entry_bytes * length],
            length,
            stride: self.fill.lists.blocks(),
            largest,
            rows_of_lanes: &self.sum.rows_of_lanes,
            lanes_to_rows: &self.fill.rows_of_lanes,
            weights: &self.weights,
            turned: &mut self.turned[to],
        };
        dispatch(self.isa, turn)
    }

    /// For each of these programs, adds to its sum the products of the summing side's counts with its turned table.
    /// These tables are numbered from `first` on.
    #[expect(clippy::too_many_arguments, reason = "the terms' programs, tables and sums, beside what all steps have")]
    pub(super) fn dot(
        &mut self,
        family: &SharedFamily,
        rows: &Rows,
        programs: &[Programs],
        first: usize,
        sums: &mut [u128],
        work: &mut Work,
        cancel: &CancelToken,
    ) -> Result<()> {
        let Half { lists, store, .. } = &mut self.sum;
        let [batch, kept] = family.tuning.summing_packs(family.class.geometry.n, family.table_bytes(lists.blocks()));
        let board = family.filling.other().walked();
        let layout = if family.summing.is_flat() { Layout::Flat } else { Layout::Picked };
        let request = Request { geometry: family.class.geometry, board, layout, rows: rows.clone(), batch, kept };
        self.packer.begin(request, lists, store);
        while let Some(packs) = self.packer.next_batch(self.isa, lists, store, cancel)? {
            for ((programs, table), sum) in programs.iter().zip(&self.turned[first..]).zip(&mut *sums) {
                let (range_bytes, states, tallies) = (family.tuning.range_bytes(), &mut self.states, &mut self.tallies);
                let packs = packs.clone();
                let (some, walked) = match family.summing {
                    Summing::Flat { skips } => {
                        let (program, alive) = (programs.sum(), &mut self.alive);
                        dispatch(self.isa, SparseDot { store, packs, program, skips, table, states, alive, cancel })
                    }
                    Summing::Groups => {
                        let program = programs.sum_by_groups();
                        let replay = Replay { store, packs, program, range_bytes, states, cancel };
                        dispatch(self.isa, Dot { replay, table, tallies })
                    }
                    Summing::Parents => {
                        let program = programs.sum();
                        let replay = Replay { store, packs, program, range_bytes, states, cancel };
                        dispatch(self.isa, Dot { replay, table, tallies })
                    }
                }?;
                *sum += some;
                work.add(walked);
            }
        }
        work.keys += self.packer.take_keys_packed();
        Ok(())
    }
}
