//! Counts one unit of work. This loop uses all other parts of the color split.

use std::sync::Arc;

use super::plan::{CountTerms, Term, Unit, Units};
use super::split::{Side, Subset, elements};
use super::tuning::Tuning;
use crate::color::family::{Shared, SharedFamily};
use crate::color::list::Lists;
use crate::color::pack::{Packer, Request, Store};
use crate::color::program::Programs;
use crate::color::program::{Draft, Program};
use crate::color::simd::{Cell, dispatch};
use crate::color::table::{Columns, MAX_ENTRY_BYTES, Source, Table, TableMemory, Turned, Weights, largest_byte};
use crate::color::walk::{Batch, Entries, Fill, Noted, sum};
use crate::memory::{collect, grow, push, refill, reserve};
use crate::solver::{Isa, Worker};
use crate::tally::{Tally, Work};
use crate::{CancelToken, Error, Result};

/// Seconds for a cost of 1, on one core of the machine of `forecast.rs`, with AVX-512.
const SECONDS: f64 = 0.62e-9;

/// Counts units with programs on packs, with the words of an instruction set.
#[derive(Debug, Clone, Copy)]
pub struct Packs {
    /// The instruction set.
    pub isa: Isa,
    /// How units are packed.
    pub tuning: Tuning,
}

impl CountTerms for Packs {
    fn seconds_per_cost(&self) -> f64 {
        SECONDS
    }

    fn workers<'a>(&'a self, units: &'a Units, threads: usize) -> Vec<Box<dyn Worker + 'a>> {
        let shared = Arc::<Shared>::default();
        let worker = || PackWorker { packs: self, units, shared: Arc::clone(&shared), counter: UnitCounter::default() };
        (0..threads).map(|_| -> Box<dyn Worker + 'a> { Box::new(worker()) }).collect()
    }
}

struct PackWorker<'a> {
    packs: &'a Packs,
    units: &'a Units,
    shared: Arc<Shared>,
    counter: UnitCounter,
}

impl Worker for PackWorker<'_> {
    fn count(&mut self, unit: usize, cancel: &CancelToken) -> Result<Tally> {
        let Self { packs: Packs { isa, tuning }, units, shared, counter } = self;
        let Unit { family: number, o, .. } = units.units[unit];
        let terms = collect(units.families[number].terms(o))?;
        let family = shared.family(number, || {
            let odds = units.units[units.of_family(number)].iter().map(|unit| unit.o);
            SharedFamily::new(&units.families[number], odds, *isa, *tuning)
        })?;
        counter.count(Task { family: &family, cancel }, o, &terms)
    }
}

/// Counts units on one thread. The next unit reuses its memory.
#[derive(Default)]
pub(super) struct UnitCounter {
    pub(super) sides: Sides,
    pub(super) tools: Tools,
    pub(super) draft: Draft,
    /// Memory for turned tables, one for each term that is summed together with others.
    pub(super) turned: Vec<TableMemory>,
}

/// The family that is counted, and the token that can stop the count.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    pub(super) family: &'a SharedFamily,
    pub(super) cancel: &'a CancelToken,
}

impl UnitCounter {
    /// Counts terms of a family with the odd rows `o`.
    ///
    /// # Errors
    /// [`Error::Overflow`], [`Error::Memory`], [`Error::Cancelled`].
    pub(super) fn count(&mut self, task: Task<'_>, o: Subset, terms: &[Term]) -> Result<Tally> {
        self.begin(task, o)?;
        let mut tally = Tally::default();
        let together = self.terms_together(task.family);
        let prefix = |term: &Term| task.family.summed_prefix(term.e);
        for terms in terms.chunk_by(|a, b| prefix(a) == prefix(b)).flat_map(|sharing| sharing.chunks(together)) {
            let sums = self.sum_terms(task, terms, &mut tally.work)?;
            for (sum, term) in sums.into_iter().zip(terms) {
                tally.solutions = sum
                    .checked_mul(u128::from(term.weight))
                    .and_then(|weighted| tally.solutions.checked_add(weighted))
                    .ok_or(Error::Overflow { bits: 128 })?;
            }
            task.family.release(terms);
        }
        Ok(tally)
    }

    /// Lists both sides' placements on the odd rows O. Then terms with this O can be counted.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(super) fn begin(&mut self, task: Task<'_>, o: Subset) -> Result<()> {
        self.sides.begin(task, o)?;
        // If the last O had smaller tables, there may be more of them than the tuning now allows.
        self.turned.truncate(self.terms_together(task.family));
        let blocks = self.sides.sum.lists.blocks();
        self.turned.iter_mut().try_for_each(|turned| turned.begin(task.family.turned_rows(), blocks))
    }

    /// The most terms to sum together, with the present lists.
    fn terms_together(&self, family: &SharedFamily) -> usize {
        family.tuning.terms_together(family.table_bytes(self.sides.sum.lists.blocks()))
    }

    /// Returns the sum of each term over all column colorings. The prefixes of all terms must have equal rows on the
    /// summing side.
    pub(super) fn sum_terms(&mut self, task: Task<'_>, terms: &[Term], work: &mut Work) -> Result<Vec<u128>> {
        let Self { sides, tools, draft, turned } = self;
        let Task { family, cancel } = task;
        let programs = family.programs(terms, draft, cancel)?;
        while turned.len() < terms.len() {
            let mut memory = TableMemory::default();
            memory.begin(family.turned_rows(), sides.sum.lists.blocks())?;
            push(turned, memory)?;
        }
        let mut summands = Vec::new();
        reserve(&mut summands, terms.len())?;
        for ((term, programs), memory) in terms.iter().zip(programs).zip(turned) {
            let largest = sides.fill(tools, task, (term, &programs), work)?;
            let table = sides.turn(family, term, largest, memory)?;
            summands.push(Summand { programs, table, sum: 0 });
        }
        work.add(tools.sum(&mut sides.sum, task, terms[0].e, &mut summands)?);
        Ok(summands.into_iter().map(|summand| summand.sum).collect())
    }
}

/// A term that is summed.
pub(super) struct Summand<'a> {
    pub(super) programs: Programs,
    pub(super) table: Turned<'a>,
    /// The sum so far.
    pub(super) sum: u128,
}

/// Both sides of one O, and the filled table of one term.
#[derive(Default)]
pub(super) struct Sides {
    pub(super) fill: OneSide,
    pub(super) sum: OneSide,
    weights: Weights,
    /// The filled table: the low bytes of all entries, then the high bytes.
    pub(super) filled: Vec<Cell>,
    /// Bytes of an entry. A new O begins with one byte, and takes one more when an entry does not fit.
    pub(super) entry_bytes: usize,
}

/// The list of one side and its packs.
#[derive(Default)]
pub(super) struct OneSide {
    pub(super) lists: Lists,
    pub(super) store: Store,
    /// For each lane of the list, the table row of its column set. The lanes of the filling side are rows of the turned
    /// table. The lanes of the summing side are rows of the filled table.
    rows_of_lanes: Vec<u16>,
}

impl Sides {
    /// Lists both sides' placements on the odd rows O.
    fn begin(&mut self, Task { family, cancel }: Task<'_>, o: Subset) -> Result<()> {
        let class = &*family.class;
        let geometry = class.geometry;
        self.entry_bytes = 1;
        for (side, one_side) in [(family.filling, &mut self.fill), (family.filling.other(), &mut self.sum)] {
            let rows: Vec<usize> = elements(side.part(o, geometry.odds)).collect();
            let board = side.listed();
            let size = geometry.columns(board);
            one_side.lists.rebuild(geometry, board, &rows, cancel, |columns| {
                let set = side.part(columns, size);
                let is_kept = match side {
                    Side::White => class.odd_columns(set, o) > 0,
                    Side::Black => class.keeps_even_columns(set, o),
                };
                is_kept.then_some(set)
            })?;
            one_side.store.clear();
            let axis = family.rows_axis(side.other());
            refill(&mut one_side.rows_of_lanes, one_side.lists.column_sets.iter().map(|&set| axis.row(set)))?;
        }
        let columns = |side, one_side: &OneSide| {
            let sets = &one_side.lists.column_sets;
            if side == Side::White { Columns::odd(class, sets, o) } else { Columns::even(class, sets) }
        };
        let rows = columns(family.filling, &self.fill)?;
        self.weights.begin(o, rows, columns(family.filling.other(), &self.sum)?);
        Ok(())
    }

    /// Fills the table of a term. Returns an upper bound of its entries.
    pub(super) fn fill(
        &mut self,
        tools: &mut Tools,
        task: Task<'_>,
        (term, programs): (&Term, &Programs),
        work: &mut Work,
    ) -> Result<u32> {
        let request = task.family.filling_request(term.e);
        loop {
            let length = self.clear_table(task.family)?;
            let (low, high) = self.filled[..self.entry_bytes * length].split_at_mut(length);
            let table = Entries { low: Table { cells: low, stride: self.fill.lists.blocks() }, high };
            let walked = tools.fill(&mut self.fill, task, (&request, programs.fill()), table)?;
            let last_bytes = &self.filled[(self.entry_bytes - 1) * length..][..length];
            let top = largest_byte(last_bytes);
            if top < u8::MAX {
                work.add(walked);
                // The bound takes all lower bytes as 255.
                let below = 8 * (self.entry_bytes as u32 - 1);
                return Ok(u32::from(top) << below | ((1 << below) - 1));
            }
            // An entry may have been too large. Fills again with one byte more.
            if self.entry_bytes == MAX_ENTRY_BYTES {
                return Err(Error::Overflow { bits: 8 * MAX_ENTRY_BYTES as u32 });
            }
            self.entry_bytes += 1;
        }
    }

    /// Sets all entries of the table to 0. Returns [`table_length`](Self::table_length).
    fn clear_table(&mut self, family: &SharedFamily) -> Result<usize> {
        let length = self.table_length(family);
        let needed = self.entry_bytes * length;
        grow(&mut self.filled, needed, Cell::ZERO)?;
        self.filled[..needed].fill(Cell::ZERO);
        Ok(length)
    }

    /// Number of cells for one byte of all entries.
    pub(super) fn table_length(&self, family: &SharedFamily) -> usize {
        family.rows_axis(family.filling).sets.len() * self.fill.lists.blocks()
    }

    /// Turns the table of a term. `largest` is an upper bound of its entries.
    pub(super) fn turn<'a>(
        &mut self,
        family: &SharedFamily,
        term: &Term,
        largest: u32,
        memory: &'a mut TableMemory,
    ) -> Result<Turned<'a>> {
        self.weights.compare(&family.class, term.e)?;
        let length = self.table_length(family);
        let source = Source {
            filled: &self.filled[..self.entry_bytes * length],
            length,
            stride: self.fill.lists.blocks(),
            largest,
            rows_of_lanes: &self.sum.rows_of_lanes,
            lanes_to_rows: &self.fill.rows_of_lanes,
            weights: &self.weights,
        };
        Turned::new(family.isa, &source, memory)
    }
}

/// Scratch memory of both sides for packing and replay.
#[derive(Default)]
pub(super) struct Tools {
    packer: Packer,
    /// The states of a replay.
    states: Vec<Cell>,
    /// The noted leaves of sparse packs: one element, or none before the first sparse family.
    noted: Vec<Noted>,
}

impl Tools {
    /// Adds the counts of a program to a table. Returns the work.
    fn fill(
        &mut self,
        one_side: &mut OneSide,
        Task { family, cancel }: Task<'_>,
        (request, program): (&Request, Program<'_>),
        Entries { low, high }: Entries<'_>,
    ) -> Result<Work> {
        let OneSide { lists, store, .. } = one_side;
        let (mut work, range_bytes) = (Work::default(), family.tuning.range_bytes);
        self.packer.pack(family.isa, request, lists, store, cancel, &mut |store, packs| {
            let batch = Batch { store, packs, program, range_bytes, states: &mut self.states, cancel };
            let table = Entries { low: Table { cells: &mut *low.cells, ..low }, high: &mut *high };
            work.add(dispatch(family.isa, Fill { batch, table })?);
            Ok(())
        })?;
        Ok(work)
    }

    /// Sums terms that share packs with the set `e`. Returns the work.
    pub(super) fn sum(
        &mut self,
        one_side: &mut OneSide,
        Task { family, cancel }: Task<'_>,
        e: Subset,
        summands: &mut [Summand<'_>],
    ) -> Result<Work> {
        let OneSide { lists, store, .. } = one_side;
        let (mut work, range_bytes) = (Work::default(), family.tuning.range_bytes);
        if family.is_sparse {
            grow(&mut self.noted, 1, Noted::default())?;
        }
        let request = family.summing_request(e, lists.blocks());
        self.packer.pack(family.isa, &request, lists, store, cancel, &mut |store, packs| {
            for summand in &mut *summands {
                let packs = packs.clone();
                let program = summand.programs.sum();
                let batch = Batch { store, packs, program, range_bytes, states: &mut self.states, cancel };
                let (sum, of_batch) =
                    sum(family.isa, batch, summand.table, self.noted.first_mut().filter(|_| family.is_sparse))?;
                summand.sum += sum;
                work.add(of_batch);
            }
            Ok(())
        })?;
        Ok(work)
    }
}
