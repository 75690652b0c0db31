//! The table as the summing side reads it: turned round, with the weights multiplied in.

use std::ops::Range;

use super::large::{CAP, LargeEntries};
use super::table::Table;
use crate::Result;
use crate::solver::color::room::grow;
use crate::solver::simd::{Cell, LANES};

/// The turned table, weighted: what a dot reads. Where all its entries fit a byte, they are in `low`. Where they do
/// not, they are halved, because most weights are even: `low` and `high` have the two bytes of the halves, and what an
/// entry has beyond twice its half is its *rest*, kept apart. That is 1 for the few odd entries, and more for those
/// that need more than 17 bits, on boards of 31 and 32.
///
/// Where single entries are looked up (packs without lanes), `low` has them, capped at [`CAP`], and `large` those that
/// reach it: one byte is read for nearly every entry, and one table stays in the near caches.
#[derive(Debug, Default)]
pub(crate) struct Turned {
    pub(super) low: Vec<Cell>,
    pub(super) high: Vec<Cell>,
    pub(super) rests: Vec<Rest>,
    /// For each pair of blocks, row by row, what there is beyond `low`: [`HIGH`], [`REST`].
    pub(super) beyond: Vec<u8>,
    /// Whether entries are looked up one by one.
    is_looked_up: bool,
    pub(super) form: Form,
    pub(super) large: LargeEntries,
    pub(super) rows: usize,
    stride: usize,
}

/// How the entries of a turned table are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Form {
    /// All of them fit a byte.
    #[default]
    Bytes,
    /// Halved: two bytes of each half, and rests.
    Halves,
    /// Capped, and the large ones apart.
    Capped,
}

/// Some entry of the pair of blocks has a high byte.
pub(crate) const HIGH: u8 = 1;
/// Some entry of the pair of blocks has a rest.
pub(crate) const REST: u8 = 2;

/// The rests of a row's entries in a block.
#[derive(Debug)]
pub(super) struct Rest {
    pub(super) row: u16,
    pub(super) block: u16,
    pub(super) rests: [u32; LANES],
}

/// What there is of a table beyond its low bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Beyond<'a> {
    /// The high bytes of the halved entries.
    pub(crate) high: Table<&'a [Cell]>,
    rests: &'a [Rest],
    flags: &'a [u8],
    rows: usize,
}

impl Beyond<'_> {
    /// What there is in a row at some pairs of blocks: [`HIGH`], [`REST`].
    #[inline(always)]
    pub(crate) fn at(&self, row: usize, pairs: Range<usize>) -> u8 {
        pairs.fold(0, |beyond, pair| beyond | self.flags[pair * self.rows + row])
    }

    /// The products of the rests with the counts of a leaf, added up. `words` are the leaf's counts and the numbers of
    /// their lanes: a level of `width` blocks (or pairs, where blocks share words) after the other. A table has next to
    /// no rests.
    #[cold]
    pub(crate) fn rest(&self, row: usize, block: usize, width: usize, words: &[[Cell; 2]], sharing: usize) -> u64 {
        let mut sum = 0;
        for rest in self.rests.iter().filter(|rest| usize::from(rest.row) == row) {
            for (at, [counts, numbers]) in words.iter().enumerate() {
                let block = block + at % width;
                for (lane, &count) in counts.0.iter().enumerate() {
                    let lane = match sharing {
                        1 => block * LANES + lane,
                        _ => block * sharing.max(LANES) + usize::from(numbers.0[lane]),
                    };
                    if lane / LANES == usize::from(rest.block) {
                        sum += u64::from(count) * u64::from(rest.rests[lane % LANES]);
                    }
                }
            }
        }
        sum
    }
}

impl Turned {
    /// Makes room for so many rows of so many cells, all zero: a row that is no lane of the filled table stays zero.
    /// Its entries are looked up one by one, or a word's together.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn reset(&mut self, rows: usize, stride: usize, is_looked_up: bool) -> Result<()> {
        self.is_looked_up = is_looked_up;
        self.rows = rows;
        self.stride = stride;
        for cells in [&mut self.low, &mut self.high] {
            let used = cells.len().min(rows * stride);
            cells[..used].fill(Cell::ZERO);
        }
        // One more than it has: pairs of cells are read.
        grow(&mut self.low, rows * stride + 1, Cell::ZERO)?;
        self.beyond.clear();
        self.beyond.resize(rows * stride.div_ceil(2), 0);
        Ok(())
    }

    /// Cells of the table, and the one more that `reset` adds.
    fn length(&self) -> usize {
        self.rows * self.stride + 1
    }

    /// Begins with weighted entries of which none is larger.
    pub(super) fn begin(&mut self, largest: u64) -> Result<()> {
        let length = self.length();
        self.form = match self.is_looked_up {
            true if largest >= u64::from(CAP) => Form::Capped,
            false if largest > u64::from(u8::MAX) => Form::Halves,
            _ => Form::Bytes,
        };
        match self.form {
            Form::Bytes => {}
            Form::Halves => {
                grow(&mut self.high, length, Cell::ZERO)?;
                self.rests.clear();
                self.beyond.fill(0);
            }
            Form::Capped => self.large.begin(length)?,
        }
        Ok(())
    }

    /// Where a row's cells begin.
    #[inline(always)]
    pub(super) fn first_cell(&self, row: usize) -> usize {
        row * self.stride
    }

    /// A weighted entry of the row that begins with this cell, where entries are looked up one by one.
    #[inline(always)]
    pub(super) fn entry(&self, first_cell: usize, lane: usize) -> u64 {
        let (cell, lane) = (first_cell + lane / LANES, lane % LANES);
        match self.low[cell].0[lane] {
            CAP => u64::from(self.large.entry(cell, lane)),
            entry => u64::from(entry),
        }
    }

    /// The entries or, where they are halved, the low bytes of their halves.
    pub(crate) fn low(&self) -> Table<&[Cell]> {
        Table { cells: &self.low[..self.length()], stride: self.stride }
    }

    /// What there is beyond `low`, where entries are halved.
    pub(crate) fn beyond(&self) -> Option<Beyond<'_>> {
        (self.form == Form::Halves).then(|| {
            let high = Table { cells: &self.high[..self.length()], stride: self.stride };
            Beyond { high, rests: &self.rests, flags: &self.beyond, rows: self.rows }
        })
    }
}
