//! The turned table, which the summing side reads: transposed, its entries multiplied with their weights.

use super::capped::{CAP, Capped, LargeEntries, WriteCapped};
use super::dot::Dot;
use super::halves::{Apart, Halves, WriteHalves, WriteNarrow, WriteWide};
use super::note::{Alive, LookUp};
use super::table::Table;
use super::turn::{MAX_ENTRY_BYTES, Turn, Turning, Write};
use super::walk::Batch;
use crate::Result;
use crate::count::Work;
use crate::room::grow;
use crate::solver::Isa;
use crate::solver::simd::{BLOCK_LANES, Cell, dispatch};

/// A turned table.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Turned<'a> {
    /// For multiplication. All entries fit a byte.
    Bytes(Table<&'a [Cell]>),
    /// For multiplication. Some entries may not fit a byte.
    Halves(Halves<'a>),
    /// For looking entries up.
    Capped(Capped<'a>),
}

/// Memory for a turned table. If a row has no lane in the filled table, it stays zero.
#[derive(Debug, Default)]
pub(crate) struct TurnedMemory {
    rows: usize,
    /// Number of cells of a row.
    stride: usize,
    /// The bytes of the entries, or the low bytes of their halves.
    low: Vec<Cell>,
    /// The high bytes of halves.
    high: Vec<Cell>,
    apart: Apart,
    large: LargeEntries,
}

impl TurnedMemory {
    /// Begins a table of `rows` rows with `stride` cells each. All entries are 0.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn begin(&mut self, rows: usize, stride: usize) -> Result<()> {
        (self.rows, self.stride) = (rows, stride);
        let length = self.length();
        for cells in [&mut self.low, &mut self.high] {
            let used = cells.len().min(length);
            cells[..used].fill(Cell::ZERO);
        }
        grow(&mut self.low, length, Cell::ZERO)
    }

    /// Number of cells of the table, plus one, because cells are read in pairs.
    fn length(&self) -> usize {
        self.rows * self.stride + 1
    }
}

impl<'a> Turned<'a> {
    /// Turns a filled table, for multiplication.
    ///
    /// # Errors
    /// [`Error::Overflow`](crate::Error::Overflow), [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn multiplied(isa: Isa, turning: &Turning<'_>, memory: &'a mut TurnedMemory) -> Result<Self> {
        let largest = turning.largest()?;
        let (length, stride) = (memory.length(), memory.stride);
        if largest <= u32::from(u8::MAX) {
            let low = &mut memory.low[..length];
            dispatch(isa, Turn { turning, to: WriteBytes { low, stride } });
            return Ok(Self::Bytes(Table { cells: low, stride }));
        }
        grow(&mut memory.high, length, Cell::ZERO)?;
        memory.apart.begin(memory.rows, stride)?;
        let TurnedMemory { low, high, apart, .. } = memory;
        let to = WriteHalves { low, high, stride, apart: &mut *apart };
        if largest <= u32::from(u16::MAX) {
            dispatch(isa, Turn { turning, to: WriteNarrow(to) });
        } else {
            dispatch(isa, Turn { turning, to: WriteWide(to) });
        }
        apart.end()?;
        Ok(Self::Halves(Halves::new([&low[..length], &high[..length]], stride, apart)))
    }

    /// Turns a filled table, for looking entries up.
    ///
    /// # Errors
    /// [`Error::Overflow`](crate::Error::Overflow), [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn looked_up(isa: Isa, turning: &Turning<'_>, memory: &'a mut TurnedMemory) -> Result<Self> {
        let largest = turning.largest()?;
        let (length, stride) = (memory.length(), memory.stride);
        let TurnedMemory { low, large, .. } = memory;
        let low = &mut low[..length];
        if largest < u32::from(CAP) {
            dispatch(isa, Turn { turning, to: WriteBytes { low, stride } });
        } else {
            large.begin(length)?;
            dispatch(isa, Turn { turning, to: WriteCapped { low, stride, large: &mut *large } });
            large.end()?;
        }
        Ok(Self::Capped(Capped::new(Table { cells: low, stride }, large)))
    }
}

impl Turned<'_> {
    /// Returns the sum of a walk's counts times the entries of this table, and the work.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn sum(self, isa: Isa, batch: Batch<'_>, alive: &mut Alive) -> Result<(u128, Work)> {
        match self {
            Self::Bytes(table) => dispatch(isa, Dot { batch, table }),
            Self::Halves(table) => dispatch(isa, Dot { batch, table }),
            Self::Capped(table) => dispatch(isa, LookUp { batch, table, alive }),
        }
    }
}

/// Writes weighted entries that fit a byte.
struct WriteBytes<'a> {
    low: &'a mut [Cell],
    stride: usize,
}

impl Write for WriteBytes<'_> {
    #[inline(always)]
    fn write(
        &mut self,
        (row, block): (usize, usize),
        [low, ..]: [&Cell; MAX_ENTRY_BYTES],
        weights: &[u8; BLOCK_LANES],
    ) {
        let to = &mut self.low[row * self.stride + block];
        for (to, (entry, weight)) in to.0.iter_mut().zip(low.0.iter().zip(weights)) {
            *to = entry.wrapping_mul(*weight);
        }
    }
}
