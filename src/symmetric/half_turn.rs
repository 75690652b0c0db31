//! Solutions that the half turn leaves as they are: queens come in pairs, (row, column) with (n - 1 - row, n - 1 - column).
//!
//! A pair takes two rows, two columns, two diagonals and two antidiagonals, and both have the same distance from the
//! middle; a queen on one of the two middle diagonals would be attacked by her partner. For odd n one queen is her own
//! partner: she stands in the middle, so the middle row, column and both middle diagonals are taken. The rows of the upper
//! half decide the rest.

use crate::board::Solution;
use crate::count::{Tally, Work};
use crate::solver::{Plan, Worker};
use crate::{CancelToken, Error, Result};

/// The lines that are taken. Diagonals are numbered column - row + n - 1, antidiagonals column + row, so that a shift
/// brings those of any row's squares to its columns. `M` holds the 2n - 1 of a family: a u64 up to n = 32, a u128 up to 64,
/// which takes twice the time.
#[derive(Debug, Clone, Copy)]
struct Lines<M> {
    columns: u64,
    diagonals: M,
    antidiagonals: M,
}

/// A set of diagonals.
trait Mask: Copy + From<u64> + std::ops::BitOr<Output = Self> + std::ops::Shl<usize, Output = Self> {
    /// The 64 of them from this one on.
    fn seen_from(self, first: usize) -> u64;
}

impl Mask for u64 {
    #[inline(always)]
    fn seen_from(self, first: usize) -> u64 {
        self >> first
    }
}

impl Mask for u128 {
    #[inline(always)]
    fn seen_from(self, first: usize) -> u64 {
        (self >> first) as u64
    }
}

impl<M: Mask> Lines<M> {
    /// Of a board with no queen on it yet but, for odd n, the one in the middle.
    fn new(n: usize) -> Self {
        let middle = if n == 0 { M::from(0) } else { M::from(1) << (n - 1) };
        Self { columns: if n % 2 == 1 { 1 << (n / 2) } else { 0 }, diagonals: middle, antidiagonals: middle }
    }

    /// The columns in which a row's queen is attacked by none.
    #[inline]
    fn free(&self, n: usize, row: usize) -> u64 {
        let full = if n == 64 { u64::MAX } else { (1 << n) - 1 };
        full & !(self.columns | self.diagonals.seen_from(n - 1 - row) | self.antidiagonals.seen_from(row))
    }

    /// The lines with a pair more.
    #[inline]
    fn with(&self, n: usize, row: usize, column: usize) -> Self {
        let (queen, partner) = (1u64 << column, 1u64 << (n - 1 - column));
        let shifted = |queen: u64, row: usize| M::from(queen) << row;
        Self {
            columns: self.columns | queen | partner,
            diagonals: self.diagonals | shifted(queen, n - 1 - row) | shifted(partner, row),
            antidiagonals: self.antidiagonals | shifted(queen, row) | shifted(partner, n - 1 - row),
        }
    }
}

/// The count. A unit is a place of the queen in the last row of the upper half, beside the middle, and of the one in the
/// last column of the left half: two different queens, for where those two lines meet she would stand on a middle diagonal.
///
/// Of what the symmetries make of a solution (four in all, the half turn changing nothing) one is counted. Left-right
/// and up-down send the queen beside the middle row to the other side of the middle column: she is kept to the left, and
/// counts twice. The reflections at the diagonals exchange the two queens' distances from the middle: the row's is kept
/// the nearer, and counts twice again, or once where the two are as far.
#[derive(Debug)]
pub(super) struct Middles {
    n: usize,
    units: Vec<HalfTurnUnit>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct HalfTurnUnit {
    /// Of the queen in row n / 2 - 1.
    column: usize,
    /// Of the queen in column n / 2 - 1.
    row: usize,
    weight: u64,
}

impl Middles {
    pub(super) fn new(n: usize) -> Self {
        let half = n / 2;
        let places = (0..half).flat_map(|column| (0..n).map(move |row| (column, row)));
        let units = places.filter_map(|(column, row)| {
            let weight = weight(n, column, row)?;
            let empty = Lines::<u128>::new(n);
            let lines = (empty.free(n, half - 1) >> column & 1 == 1).then(|| empty.with(n, half - 1, column))?;
            let is_taken = row == half - 1 || row == n - half;
            (!is_taken && lines.free(n, row) >> (half - 1) & 1 == 1).then_some(HalfTurnUnit { column, row, weight })
        });
        Self { n, units: units.collect() }
    }
}

/// How often a solution counts whose queen beside the middle row is in `column` and whose queen beside the middle column
/// is in `row`; `None` where an image is counted in its stead.
fn weight(n: usize, column: usize, row: usize) -> Option<u64> {
    let half = n / 2;
    let distance = |line: usize| if line < half { half - line } else { line + 1 - (n - half) };
    if column >= half {
        return None;
    }
    match distance(column).cmp(&distance(row)) {
        std::cmp::Ordering::Less => Some(4),
        std::cmp::Ordering::Equal => Some(2),
        std::cmp::Ordering::Greater => None,
    }
}

impl Plan for Middles {
    fn units(&self) -> usize {
        // Boards without an upper half are counted by one unit that has nothing to search.
        if self.n < 2 { 1 } else { self.units.len() }
    }

    fn name(&self, unit: usize) -> String {
        match self.units.get(unit) {
            Some(HalfTurnUnit { column, row, .. }) => {
                let beside = self.n / 2 - 1;
                format!("half turn: queens on (row, column) ({beside}, {column}) and ({row}, {beside})")
            }
            None => "half turn: no queens but the one in the middle".to_owned(),
        }
    }

    fn cost(&self, _unit: usize) -> f64 {
        1.0
    }

    fn locate(&self, solution: &Solution) -> Option<(usize, u64)> {
        if !super::Turn::Half.leaves(solution) {
            return None;
        }
        if self.n < 2 {
            return Some((0, 1));
        }
        let half = self.n / 2;
        let column = usize::from(solution.columns()[half - 1]);
        let row = solution.columns().iter().position(|&column| usize::from(column) == half - 1)?;
        let weight = weight(self.n, column, row)?;
        let unit = self.units.iter().position(|unit| (unit.column, unit.row) == (column, row))?;
        Some((unit, weight))
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(self)
    }
}

impl Worker for &Middles {
    fn count(&mut self, unit: usize, cancel: &CancelToken) -> Result<Tally> {
        let n = self.n;
        if n < 2 {
            return Ok(Tally { solutions: 1, work: Work::default() });
        }
        let unit = self.units[unit];
        let mut search = HalfTurnSearch { n, cancel, nodes: 0 };
        let found = if n <= 32 { search.unit::<u64>(unit) } else { search.unit::<u128>(unit) };
        let solutions = found.checked_mul(unit.weight).ok_or(Error::Overflow { bits: 64 })?;
        Ok(Tally { solutions: u128::from(solutions), work: Work { nodes: search.nodes, ..Work::default() } })
    }
}

struct HalfTurnSearch<'a> {
    n: usize,
    cancel: &'a CancelToken,
    nodes: u64,
}

/// Rows below which a search does not ask whether it was cancelled.
const UNCHECKED_ROWS: u32 = 8;

impl HalfTurnSearch<'_> {
    /// Counts the ways to fill the rows that a unit leaves.
    fn unit<M: Mask>(&mut self, HalfTurnUnit { column, row, .. }: HalfTurnUnit) -> u64 {
        let (n, half) = (self.n, self.n / 2);
        let lines = Lines::<M>::new(n).with(n, half - 1, column).with(n, row, half - 1);
        let taken = 1u64 << (half - 1) | 1 << row.min(n - 1 - row);
        self.place(((1 << half) - 1) & !taken, lines)
    }

    /// Counts the ways to fill these rows of the upper half, the one nearest to the middle first: its squares are attacked
    /// along the most lines. Filled from the edge on, it takes three times as many nodes at n = 24.
    fn place<M: Mask>(&mut self, rows: u64, lines: Lines<M>) -> u64 {
        if rows == 0 {
            return 1;
        }
        if rows.count_ones() > UNCHECKED_ROWS && self.cancel.is_cancelled() {
            return 0;
        }
        let row = rows.ilog2() as usize;
        let rows = rows & !(1 << row);
        let mut free = lines.free(self.n, row);
        if rows == 0 {
            self.nodes += u64::from(free.count_ones());
            return u64::from(free.count_ones());
        }
        let mut found = 0;
        while free != 0 {
            let column = free.trailing_zeros() as usize;
            free &= free - 1;
            self.nodes += 1;
            found += self.place(rows, lines.with(self.n, row, column));
        }
        found
    }
}

/// The solutions in lexicographic order: rows from the edge on, lowest column first.
pub(super) struct HalfTurnSolutions {
    n: usize,
    /// For each row that has a queen and for the next: the squares still to be tried, and the lines taken above.
    stack: Vec<(u64, Lines<u128>)>,
    queens: Vec<u8>,
}

impl HalfTurnSolutions {
    pub(super) fn new(n: usize) -> Self {
        let lines = Lines::new(n);
        let free = if n < 2 { 0 } else { lines.free(n, 0) };
        Self { n, stack: vec![(free, lines)], queens: vec![0; n] }
    }

    pub(super) fn next(&mut self, cancel: &CancelToken) -> Option<Solution> {
        let n = self.n;
        while let Some(row) = self.stack.len().checked_sub(1) {
            if row + UNCHECKED_ROWS as usize <= n / 2 && cancel.is_cancelled() {
                return None;
            }
            let (free, lines) = &mut self.stack[row];
            let lines = *lines;
            if row == n / 2 {
                self.stack.pop();
                if n % 2 == 1 {
                    self.queens[row] = row as u8;
                }
                return Some(Solution::found(self.queens.clone()));
            }
            if *free == 0 {
                self.stack.pop();
                continue;
            }
            let column = free.trailing_zeros() as usize;
            *free &= *free - 1;
            self.queens[row] = column as u8;
            self.queens[n - 1 - row] = (n - 1 - column) as u8;
            let lines = lines.with(n, row, column);
            self.stack.push((lines.free(n, row + 1), lines));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Boards above n = 32 are counted by the same code with wider masks: on smaller ones both must agree.
    #[test]
    fn wide_masks_count_what_narrow_ones_count() {
        for n in 2..=19 {
            for &unit in &Middles::new(n).units {
                let cancel = CancelToken::new();
                let mut search = HalfTurnSearch { n, cancel: &cancel, nodes: 0 };
                let narrow = search.unit::<u64>(unit);
                let nodes = std::mem::take(&mut search.nodes);
                assert_eq!((search.unit::<u128>(unit), search.nodes), (narrow, nodes), "n = {n}, {unit:?}");
            }
        }
    }
}
