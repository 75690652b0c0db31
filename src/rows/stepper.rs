//! The search of `bitmask`, one step at a time, for traces and for lists of solutions.

use super::plan::check_in_upper_rows;
use crate::Solutions;
use crate::board::{Board, Size};

/// The queen that a step places or removes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A queen is placed on (row, column).
    Placed(u32, u32),
    /// The queen on (row, column) is removed, because nothing is left to try below it.
    Removed(u32, u32),
}

/// The masks of the solver `bitmask` for one row. Bit c stands for column c.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Masks {
    /// The columns in which a queen stands.
    pub columns: u64,
    /// The squares of the row that are attacked along diagonals. They shift up by one bit from row to row.
    pub diagonals: u64,
    /// The squares of the row that are attacked along antidiagonals. They shift down by one bit from row to row.
    pub antidiagonals: u64,
    /// The squares of the row that are not attacked and not yet tried.
    pub free: u64,
}

impl Masks {
    /// Returns the squares of the row that are attacked.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.columns | self.diagonals | self.antidiagonals
    }

    /// Returns the square of the next queen, which is the lowest bit of `free`, or 0 if no square is free.
    #[must_use]
    pub fn queen(&self) -> u64 {
        self.free & self.free.wrapping_neg()
    }
}

/// The search, which tries the columns of each row from left to right.
#[derive(Debug, Clone)]
pub(crate) struct Stepper {
    size: Size,
    /// The number of queens on the board.
    placed: usize,
    /// The column of each queen. This is an array, because a `Vec` that grows and shrinks would be slower.
    queens: [u32; Size::MAX],
    /// The masks of each row with a queen, and of the next row.
    rows: [Masks; Size::MAX + 1],
}

impl Stepper {
    pub(crate) fn new(size: Size) -> Self {
        let first = Masks { columns: 0, diagonals: 0, antidiagonals: 0, free: (1 << size.get()) - 1 };
        Self { size, placed: 0, queens: [0; Size::MAX], rows: [first; Size::MAX + 1] }
    }

    pub(crate) fn size(&self) -> Size {
        self.size
    }

    /// Returns the column of each queen, from the first row on.
    pub(crate) fn queens(&self) -> &[u32] {
        &self.queens[..self.placed]
    }

    /// Returns the masks of the row below the queens.
    pub(crate) fn masks(&self) -> Masks {
        self.rows[self.placed]
    }

    /// Places a queen on the first free square of the row, or removes the queen above if no square is free. Returns
    /// `None` at the end of the search.
    #[inline]
    pub(crate) fn go_on(&mut self) -> Option<Event> {
        let row = &mut self.rows[self.placed];
        let queen = row.queen();
        if queen == 0 {
            self.placed = self.placed.checked_sub(1)?;
            return Some(Event::Removed(self.placed as u32, self.queens[self.placed]));
        }
        row.free ^= queen;
        let full = (1 << self.size.get()) - 1;
        let columns = row.columns | queen;
        let diagonals = (row.diagonals | queen) << 1 & full;
        let antidiagonals = (row.antidiagonals | queen) >> 1;
        let free = full & !(columns | diagonals | antidiagonals);
        let (row, column) = (self.placed, queen.trailing_zeros());
        self.rows[row + 1] = Masks { columns, diagonals, antidiagonals, free };
        self.queens[row] = column;
        self.placed += 1;
        Some(Event::Placed(row as u32, column))
    }
}

/// Returns an iterator over the solutions in lexicographic order.
pub(crate) fn solutions(size: Size) -> Solutions {
    let mut stepper = Stepper::new(size);
    // The board of n = 0 is a solution without any step.
    let mut is_empty = size.get() == 0;
    Solutions::new(move |cancel| {
        while !std::mem::take(&mut is_empty) {
            check_in_upper_rows(cancel, size.get() - stepper.placed)?;
            match stepper.go_on() {
                None => return Ok(None),
                Some(Event::Placed(..)) if stepper.placed == size.get() => break,
                Some(_) => {}
            }
        }
        Ok(Some(Board::found(stepper.queens().to_vec())))
    })
}
