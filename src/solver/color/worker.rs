//! Counts one unit of work: a set of odd rows with a range of its sets of even rows.

use std::ops::Range;

use super::cell::{Cell, grow};
use super::dot::Dot;
use super::family::{Family, Side};
use super::fill::Fill;
use super::geometry::{Subset, elements};
use super::isa::dispatch;
use super::pack::{Build, Built, Scratch, Store};
use super::placements::Lists;
use super::program::{Draft, Program, Rows};
use super::table::{Columns, Peak, Table, Transpose, Transposed, Weights};
use super::walk::Replay;
use crate::count::{Tally, Work};
use crate::solver::Isa;
use crate::{CancelToken, Error, Result};

/// A thread's memory.
pub(super) struct Engine {
    isa: Isa,
    fill: Half,
    dot: Half,
    scratch: Scratch,
    draft: Draft,
    weights: Weights,
    /// The table of the term at hand; where entries have two bytes, the second ones follow.
    filled: Vec<Cell>,
    /// The tables of the terms that are summed together.
    transposed: Vec<Transposed>,
    states: Vec<Cell>,
    /// All zero between two replays.
    tallies: Vec<Cell>,
    /// Whether tables are filled with entries of two bytes: some entry of this O did not fit one.
    is_wide: bool,
}

/// One color's placements in lanes, and their packs.
#[derive(Default)]
struct Half {
    lists: Lists,
    store: Store,
    /// The row that each lane's column set has in the table where it is a row.
    rows_of_lanes: Vec<u16>,
}

impl Engine {
    pub(super) fn new(isa: Isa) -> Self {
        Self {
            isa,
            fill: Half::default(),
            dot: Half::default(),
            scratch: Scratch::new(),
            draft: Draft::new(),
            weights: Weights::default(),
            filled: Vec::new(),
            transposed: Vec::new(),
            states: Vec::new(),
            tallies: Vec::new(),
            is_wide: false,
        }
    }

    /// Counts the terms of O with these E, each with its weight and its number in the family.
    pub(super) fn count(
        &mut self,
        family: &Family,
        o: Subset,
        even_sets: &[(usize, Subset, u64)],
        cancel: &CancelToken,
    ) -> Result<Tally> {
        let mut tally = Tally::default();
        self.begin(family, o, cancel);
        let dot_rows = |&(_, e, _): &(usize, Subset, u64)| family.prefixes(e)[1];
        let together = self.terms_together(family);
        for shared in even_sets.chunk_by(|a, b| dot_rows(a) == dot_rows(b)) {
            for terms in shared.chunks(together) {
                let sums = self.terms(family, terms, &mut tally.work, cancel)?;
                if cancel.is_cancelled() {
                    return Ok(tally);
                }
                for (sum, &(_, _, weight)) in sums.into_iter().zip(terms) {
                    tally.solutions = sum
                        .checked_mul(u128::from(weight))
                        .and_then(|weighted| tally.solutions.checked_add(u64::try_from(weighted).ok()?))
                        .ok_or(Error::Overflow { bits: 64 })?;
                }
            }
        }
        Ok(tally)
    }

    /// Lists the placements of O.
    pub(super) fn begin(&mut self, family: &Family, o: Subset, cancel: &CancelToken) {
        let class = &*family.class;
        let geometry = class.geometry;
        self.is_wide = false;
        for (side, half) in [(family.filling, &mut self.fill), (family.filling.other(), &mut self.dot)] {
            let rows: Vec<usize> = elements(side.part(o, geometry.odds)).collect();
            let board = side.in_lanes();
            let size = geometry.columns(board);
            half.lists.rebuild(geometry, board, &rows, cancel, |columns| {
                let set = side.part(columns, size);
                let is_kept = match side {
                    Side::White => class.odd_columns(set, o) > 0,
                    Side::Black => class.keeps_even_columns(set, o),
                };
                is_kept.then_some(set)
            });
            half.store.rows = None;
            let axis = family.rows_axis(side.other());
            half.rows_of_lanes.clear();
            half.rows_of_lanes.extend(half.lists.column_sets.iter().map(|&set| axis.row(set)));
        }
        let [rows, lanes] = [(family.filling, &self.fill), (family.filling.other(), &self.dot)].map(|(side, half)| {
            let sets = &half.lists.column_sets;
            if side == Side::White { Columns::odd(class, sets, o) } else { Columns::even(class, sets) }
        });
        self.weights.begin(o, rows, lanes);
        // The tables of a class with smaller ones may be more than there is memory for with these.
        self.transposed.truncate(self.terms_together(family));
        for transposed in &mut self.transposed {
            transposed.reset(family.summed_rows(), self.dot.lists.blocks());
        }
    }

    /// How many terms are summed together, with the lists at hand.
    fn terms_together(&self, family: &Family) -> usize {
        family.tuning.terms_together(family.class.geometry.n, family.table_bytes(self.dot.lists.blocks()))
    }

    /// The sums over all column colorings for some row colorings: sets E with the same first rows on the summing side,
    /// each with its number in the family.
    pub(super) fn terms(
        &mut self,
        family: &Family,
        terms: &[(usize, Subset, u64)],
        work: &mut Work,
        cancel: &CancelToken,
    ) -> Result<Vec<u128>> {
        let Some(programs) = family.programs(terms, &mut self.draft, cancel) else { return Ok(Vec::new()) };
        while self.transposed.len() < terms.len() {
            let mut transposed = Transposed::default();
            transposed.reset(family.summed_rows(), self.dot.lists.blocks());
            self.transposed.push(transposed);
        }
        for (at, (programs, &(_, e, _))) in programs.iter().zip(terms).enumerate() {
            self.weights.compare(&family.class, e);
            let (depth, program) = programs.fill();
            let prefix = family.rows(family.filling, e, depth);
            // The packs of this side are all kept, for the terms to come.
            let (side, limits, scratch) = (family.filling, [usize::MAX; 2], &mut self.scratch);
            self.fill.provide(self.isa, family, side, &prefix, limits, &mut |_, _| {}, scratch, work, cancel);
            if !cancel.is_cancelled() {
                self.fill_table(family, program, at, work, cancel)?;
            }
        }
        let side = family.filling.other();
        let dot_rows = programs.iter().zip(terms).map(|(programs, &(_, e, _))| family.rows(side, e, programs.dot().0));
        let dot_rows: Vec<Rows> = dot_rows.collect();
        let mut sums = vec![0; terms.len()];
        let mut tables = 0;
        // Programs too large for their format have longer prefixes than the others.
        for rows in dot_rows.chunk_by(Rows::shares_packs) {
            let range = tables..tables + rows.len();
            let of_range: Vec<Program<'_>> = programs[range.clone()].iter().map(|of_e| of_e.dot().1).collect();
            if !cancel.is_cancelled() {
                self.dot(family, &rows[0], &of_range, tables, &mut sums[range], work, cancel);
            }
            tables += rows.len();
        }
        Ok(sums)
    }

    /// Adds the products of the other color's counts with the tables, from number `tables` on, to the sums.
    #[expect(clippy::too_many_arguments, reason = "what a thread has, handed to one half of it")]
    fn dot(
        &mut self,
        family: &Family,
        rows: &Rows,
        programs: &[Program<'_>],
        tables: usize,
        sums: &mut [u128],
        work: &mut Work,
        cancel: &CancelToken,
    ) {
        let Self { isa, dot, scratch, transposed, states, tallies, .. } = self;
        let range_bytes = family.tuning.range_bytes();
        let tables = &transposed[tables..][..programs.len()];
        let mut walked = Work::default();
        let mut walk = |store: &Store, packs: Range<usize>| {
            for ((&program, table), sum) in programs.iter().zip(tables).zip(&mut *sums) {
                let replay = Replay { store, packs: packs.clone(), program, range_bytes, states, cancel };
                let (some, work) = dispatch(*isa, Dot { replay, table, tallies });
                *sum += some;
                walked.add(work);
            }
        };
        let limits = family.tuning.packs_together(family.table_bytes(dot.lists.blocks()));
        dot.provide(*isa, family, family.filling.other(), rows, limits, &mut walk, scratch, work, cancel);
        work.add(walked);
    }

    /// Fills a table and turns it round into transposed table number `to`.
    fn fill_table(
        &mut self,
        family: &Family,
        program: Program<'_>,
        to: usize,
        work: &mut Work,
        cancel: &CancelToken,
    ) -> Result<()> {
        let mut walked = Work::default();
        let mut peak = self.fill(family, program, &mut walked, cancel);
        if !self.is_wide && peak == u8::MAX && !cancel.is_cancelled() {
            // Some entry may have been cut off: the same walk again.
            self.is_wide = true;
            walked = Work::default();
            peak = self.fill(family, program, &mut walked, cancel);
        }
        // What was cut short is not used.
        if cancel.is_cancelled() {
            return Ok(());
        }
        let largest = if self.is_wide { 256 * u32::from(peak) + 255 } else { u32::from(peak) };
        if peak == u8::MAX || largest * self.weights.largest() > u32::from(u16::MAX) {
            return Err(Error::Overflow { bits: 16 });
        }
        work.add(walked);
        self.transpose(family, largest, to);
        Ok(())
    }

    /// Fills the table; returns the largest of the entries or, where they have two, of the second bytes.
    fn fill(&mut self, family: &Family, program: Program<'_>, work: &mut Work, cancel: &CancelToken) -> u8 {
        let stride = self.fill.lists.blocks();
        let length = family.filled_rows() * stride;
        let needed = if self.is_wide { 2 * length } else { length };
        grow(&mut self.filled, needed);
        let filled = &mut self.filled[..needed];
        filled.fill(Cell::ZERO);
        let (low, high) = filled.split_at_mut(length);
        let replay = Replay {
            store: &self.fill.store,
            packs: 0..self.fill.store.packs.len(),
            program,
            range_bytes: family.tuning.range_bytes(),
            states: &mut self.states,
            cancel,
        };
        let table = Table { cells: low, stride };
        let fill = Fill { replay, table, high: self.is_wide.then_some(high) };
        work.add(dispatch(self.isa, fill));
        let top = if self.is_wide { length..2 * length } else { 0..length };
        dispatch(self.isa, Peak { cells: &self.filled[top] })
    }

    /// Turns the filled table round for the dot.
    fn transpose(&mut self, family: &Family, largest: u32, to: usize) {
        let stride = self.fill.lists.blocks();
        let length = family.filled_rows() * stride;
        let transpose = Transpose {
            filled: &self.filled[..length],
            filled_high: self.is_wide.then(|| &self.filled[length..2 * length]),
            stride,
            largest,
            rows_of_lanes: &self.dot.rows_of_lanes,
            lanes_to_rows: &self.fill.rows_of_lanes,
            weights: &self.weights,
            transposed: &mut self.transposed[to],
        };
        dispatch(self.isa, transpose);
    }
}

impl Half {
    /// Hands the packs for the prefixes on these rows to `walk`, built by and by unless the store has them; the limits
    /// are those of `Tuning::packs_together`.
    #[expect(clippy::too_many_arguments, reason = "what a thread has, handed to one half of it")]
    fn provide(
        &mut self,
        isa: Isa,
        family: &Family,
        side: Side,
        rows: &Rows,
        [walked_at_once, kept]: [usize; 2],
        walk: &mut dyn FnMut(&Store, Range<usize>),
        scratch: &mut Scratch,
        work: &mut Work,
        cancel: &CancelToken,
    ) {
        if self.store.rows.as_ref().is_some_and(|has| has.shares_packs(rows)) {
            return walk(&self.store, 0..self.store.packs.len());
        }
        let build = Build {
            geometry: family.class.geometry,
            board: side.walked(),
            is_summed: side != family.filling,
            lists: &self.lists,
            rows,
            store: &mut self.store,
            scratch,
            walk,
            walked_at_once,
            kept,
            built: Built::default(),
            cancel,
        };
        work.keys += dispatch(isa, build);
    }
}

/// What the tests look at.
#[cfg(test)]
impl Engine {
    /// Row set, lane set and entry of the table as it was filled last.
    pub(super) fn entries(&self, family: &Family) -> Vec<(Subset, Subset, u32)> {
        let rows = &family.rows_axis(family.filling).sets;
        let stride = self.fill.lists.blocks();
        let mut entries = Vec::new();
        for (row, &row_set) in rows.iter().enumerate() {
            for (lane, &lane_set) in self.fill.lists.column_sets.iter().enumerate() {
                let at = row * stride + lane / 64;
                let high = if self.is_wide { self.filled[rows.len() * stride + at].0[lane % 64] } else { 0 };
                entries.push((row_set, lane_set, u32::from(self.filled[at].0[lane % 64]) + 256 * u32::from(high)));
            }
        }
        entries
    }

    /// The column sets in the filled table's lanes.
    pub(super) fn filled_sets(&self) -> &[Subset] {
        &self.fill.lists.column_sets
    }

    /// The most levels of any tile.
    pub(super) fn deepest(&self) -> u8 {
        let tiles = |store: &Store| store.packs.iter().flat_map(|pack| store.tiles(pack)).map(|tile| tile.depth).max();
        tiles(&self.fill.store).max(tiles(&self.dot.store)).unwrap_or(0)
    }

    pub(super) fn widen(&mut self) {
        self.is_wide = true;
    }

    pub(super) fn is_wide(&self) -> bool {
        self.is_wide
    }

    /// Makes every entry so many times as large, from the next term on that shares packs with the last one.
    pub(super) fn repeat_filling_packs(&mut self, times: usize) {
        self.fill.store.packs = self.fill.store.packs.repeat(times);
    }

    /// Makes every sum so many times as large, from the next term on that shares packs with the last one.
    pub(super) fn repeat_summing_packs(&mut self, times: usize) {
        self.dot.store.packs = self.dot.store.packs.repeat(times);
    }

    /// The sum again, with 256 added to every entry of the table.
    pub(super) fn dot_with_entries_raised_by_256(&mut self, family: &Family, e: Subset) -> u128 {
        let length = family.filled_rows() * self.fill.lists.blocks();
        for cell in &mut self.filled[length..2 * length] {
            cell.0 = cell.0.map(|high| high + 1);
        }
        self.transpose(family, 511, 0);
        let programs = family.programs(&[(0, e, 1)], &mut self.draft, &CancelToken::new()).unwrap();
        let (depth, program) = programs[0].dot();
        let rows = family.rows(family.filling.other(), e, depth);
        let mut sum = 0;
        self.dot(
            family,
            &rows,
            &[program],
            0,
            std::slice::from_mut(&mut sum),
            &mut Work::default(),
            &CancelToken::new(),
        );
        sum
    }
}
