//! Solutions that the half turn does not change. Queens come in pairs: (row, column) and (n - 1 - row, n - 1 - column).
//!
//! A pair takes two rows, two columns, two diagonals and two antidiagonals. No pair stands on a middle diagonal, where
//! the two would attack each other. For odd n one queen has no partner: it stands in the middle. So the queens in the
//! upper half of the rows determine the others.

use crate::board::Solution;
use crate::count::{Tally, Work};
use crate::room::collect;
use crate::solver::{Plan, Worker};
use crate::{CancelToken, Error, Result};

/// The lines that are taken. A diagonal has the number column - row + n - 1, an antidiagonal column + row. So one shift
/// aligns them with the columns of a row. `M` has 2n - 1 bits: a `u64` for n up to 32, a slower `u128` above.
#[derive(Debug, Clone, Copy)]
struct Lines<M> {
    columns: u64,
    diagonals: M,
    antidiagonals: M,
}

/// A set of diagonals.
trait Mask: Copy + From<u64> + std::ops::BitOr<Output = Self> + std::ops::Shl<usize, Output = Self> {
    /// Returns 64 bits, from bit `first` on.
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
    /// The lines of the empty board. For odd n the queen in the middle takes its lines.
    fn new(n: usize) -> Self {
        let middle = if n == 0 { M::from(0) } else { M::from(1) << (n - 1) };
        Self { columns: if n % 2 == 1 { 1 << (n / 2) } else { 0 }, diagonals: middle, antidiagonals: middle }
    }

    /// The columns of the free squares in a row.
    #[inline]
    fn free(&self, n: usize, row: usize) -> u64 {
        let full = if n == 64 { u64::MAX } else { (1 << n) - 1 };
        full & !(self.columns | self.diagonals.seen_from(n - 1 - row) | self.antidiagonals.seen_from(row))
    }

    /// The lines after placing a pair.
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

/// The count. A unit fixes two queens: the queen in row n / 2 - 1 and the queen in column n / 2 - 1. These are
/// different queens, because the square where row and column meet is on a middle diagonal.
///
/// A solution has up to four images, because the half turn does not change it. One of them is counted:
/// - Left-right and up-down move the row's queen across the middle. It is kept on the left, with weight 2.
/// - Reflections at diagonals exchange the distances of the two queens from the middle. The row's queen is kept the
///   nearer one, with another factor of 2, or 1 if the distances are equal.
#[derive(Debug)]
pub(super) struct Middles {
    n: usize,
    units: Vec<HalfTurnUnit>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct HalfTurnUnit {
    /// The column of the queen in row n / 2 - 1.
    column: usize,
    /// The row of the queen in column n / 2 - 1.
    row: usize,
    weight: u64,
}

impl Middles {
    pub(super) fn new(n: usize) -> Result<Self> {
        let half = n / 2;
        let places = (0..half).flat_map(|column| (0..n).map(move |row| (column, row)));
        let units = places.filter_map(|(column, row)| {
            let weight = weight(n, column, row)?;
            let empty = Lines::<u128>::new(n);
            let lines = (empty.free(n, half - 1) >> column & 1 == 1).then(|| empty.with(n, half - 1, column))?;
            let is_taken = row == half - 1 || row == n - half;
            (!is_taken && lines.free(n, row) >> (half - 1) & 1 == 1).then_some(HalfTurnUnit { column, row, weight })
        });
        Ok(Self { n, units: collect(units)? })
    }
}

/// The weight of solutions with a queen in row n / 2 - 1 and `column`, and a queen in `row` and column n / 2 - 1.
/// `None` if an image is counted instead.
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
        // For n < 2 there are no rows in the upper half. One unit counts the board.
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

/// With at most this number of rows left, a search does not ask whether it was cancelled.
const UNCHECKED_ROWS: u32 = 8;

impl HalfTurnSearch<'_> {
    /// Counts the ways to fill the rows that a unit leaves open.
    fn unit<M: Mask>(&mut self, HalfTurnUnit { column, row, .. }: HalfTurnUnit) -> u64 {
        let (n, half) = (self.n, self.n / 2);
        let lines = Lines::<M>::new(n).with(n, half - 1, column).with(n, row, half - 1);
        let taken = 1u64 << (half - 1) | 1 << row.min(n - 1 - row);
        self.place(((1 << half) - 1) & !taken, lines)
    }

    /// Counts the ways to fill `rows` of the upper half. The row nearest to the middle is first, because its squares
    /// are attacked along the most lines. Starting at the edge places three times as many queens at n = 24.
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

/// Finds the solutions in lexicographic order: rows from the top, lowest column first.
pub(super) struct HalfTurnSolutions {
    n: usize,
    /// For each row with a queen and for the next row: the squares that are left to try, and the lines taken above.
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

    /// `u64` and `u128` masks must agree for n up to 32.
    #[test]
    fn wide_masks_count_what_narrow_ones_count() {
        for n in 2..=19 {
            for &unit in &Middles::new(n).unwrap().units {
                let cancel = CancelToken::new();
                let mut search = HalfTurnSearch { n, cancel: &cancel, nodes: 0 };
                let narrow = search.unit::<u64>(unit);
                let nodes = std::mem::take(&mut search.nodes);
                assert_eq!((search.unit::<u128>(unit), search.nodes), (narrow, nodes), "n = {n}, {unit:?}");
            }
        }
    }
}
