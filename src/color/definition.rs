//! Counts units by definition: lists the placements of each color one by one, without sub-boards, lanes, packs or
//! programs. This code shares units and weights with the fast code, but nothing that lists or counts placements, so it
//! checks all of the fast code except the weights, on boards of any size.

use super::plan::{Class, Method, Term, Units};
use super::split::{Color, Subset, full};
use crate::cancel::Cancelled;
use crate::memory::grow;
use crate::solver::Worker;
use crate::tally::{Tally, Work};
use crate::{CancelToken, Error, Result};

/// Counts units by definition.
#[derive(Debug, Clone, Copy)]
pub(super) struct Definition;

impl Method for Definition {
    fn workers<'a>(&'a self, units: &'a Units, threads: usize) -> Vec<Box<dyn Worker + 'a>> {
        (0..threads).map(|_| -> Box<dyn Worker + 'a> { Box::new(DefinitionWorker(units)) }).collect()
    }
}

struct DefinitionWorker<'a>(&'a Units);

impl Worker for DefinitionWorker<'_> {
    fn count(&mut self, unit: usize, cancel: &CancelToken) -> Result<Tally> {
        let (class, o, terms) = self.0.terms(unit);
        let mut solutions = 0u128;
        for term in terms {
            let sum = sum(class, o, term, cancel)?;
            solutions = solutions.checked_add(sum).ok_or_else(|| Error::overflow(128))?;
        }
        Ok(Tally::new(solutions, Work::default()))
    }
}

/// Returns the sum of a term over all column colorings: white placements times black placements times weights.
///
/// # Errors
/// [`Error::Memory`], [`Error::Cancelled`]; [`Error::Bug`] if 64 bits cannot hold white placements times weights.
pub(super) fn sum(class: &Class, o: Subset, term: Term, cancel: &CancelToken) -> Result<u128> {
    let Class { geometry, even_sets, odd_sets, .. } = class;
    let (rows, all) = (geometry.join([term.e, o]), (1 << geometry.n) - 1);
    // The index of each set F and of each set G in the list of all such sets.
    let [index_of_f, index_of_g] =
        [(even_sets, geometry.even_rows), (odd_sets, geometry.odd_rows)].map(|(sets, size)| {
            let mut indices = vec![0; 1 << size];
            sets.iter().zip(0..).for_each(|(&set, index)| indices[set as usize] = index);
            indices
        });
    let index = |columns: u64| {
        let [f, g] = geometry.by_parity(columns);
        index_of_f[f as usize] * odd_sets.len() + index_of_g[g as usize]
    };
    let mut white = Vec::new();
    grow(&mut white, even_sets.len() * odd_sets.len(), 0u64)?;
    // The white queens on even rows occupy all white even columns, and the black queens on even rows occupy all black
    // odd columns. Most such sets are not counted, so the search stops there.
    let even_rows = geometry.join([full(geometry.even_rows), 0]);
    let parts = |rows: u64| [rows & even_rows, rows & !even_rows];
    let is_counted = |columns| class.keeps_even_columns(geometry.by_parity(columns)[0], o);
    let search = |color| Search { n: geometry.n, color, cancel };
    search(Color::White).placements(parts(rows), is_counted, &mut |columns| white[index(columns)] += 1)?;
    let columns = even_sets.iter().flat_map(|&f| odd_sets.iter().map(move |&g| [f, g]));
    for (white, columns) in white.iter_mut().zip(columns).filter(|(white, _)| **white > 0) {
        let weight = term.weight * class.column_weight(columns, [term.e, o]);
        *white = white.checked_mul(weight).ok_or_else(|| Error::overflow(64))?;
    }
    let mut sum = 0;
    let is_counted = |columns| class.keeps_odd_columns(geometry.by_parity(all ^ columns)[1], o);
    search(Color::Black).placements(parts(all ^ rows), is_counted, &mut |columns| {
        sum += u128::from(white[index(all ^ columns)]);
    })?;
    Ok(sum)
}

/// A search for placements on the squares of one color.
pub(super) struct Search<'a> {
    pub(super) n: usize,
    /// The color of its squares. If row + column is even, counted from 0, a square is white.
    pub(super) color: Color,
    pub(super) cancel: &'a CancelToken,
}

/// Queens in some rows: their columns, diagonals (column - row + n - 1) and antidiagonals (column + row).
#[derive(Clone, Copy, Default)]
struct Placed {
    columns: u64,
    diagonals: u64,
    antidiagonals: u64,
}

/// The columns 0, 2, 4 and so on, as a bit mask. Rows and columns are counted from 0 here, even if n is odd.
const EVEN_COLUMNS: u64 = 0x5555_5555_5555_5555;

/// The maximum number of remaining rows for which a search by definition does not check for cancellation.
const UNCHECKED_ROWS_OF_COLOR: u32 = 4;

impl Search<'_> {
    /// Calls `visit` with the column set of every placement that has one queen in each row of the two sets. Placements
    /// are left out if `is_counted` is false for the columns of the queens in the first set.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub(super) fn placements(
        &self,
        [first, rest]: [u64; 2],
        is_counted: impl Fn(u64) -> bool,
        visit: &mut impl FnMut(u64),
    ) -> Result<(), Cancelled> {
        self.extend(first, Placed::default(), &mut |placed| {
            if !is_counted(placed.columns) {
                return Ok(());
            }
            // If both sets are small, neither search checks for cancellation.
            self.cancel.check()?;
            self.extend(rest, placed, &mut |placed| {
                visit(placed.columns);
                Ok(())
            })
        })
    }

    /// Visits every placement that consists of the queens of `placed` and one more in each of `rows`.
    fn extend(
        &self,
        rows: u64,
        placed: Placed,
        visit: &mut impl FnMut(Placed) -> Result<(), Cancelled>,
    ) -> Result<(), Cancelled> {
        if rows == 0 {
            return visit(placed);
        }
        if rows.count_ones() > UNCHECKED_ROWS_OF_COLOR {
            self.cancel.check()?;
        }
        let (row, below) = (rows.trailing_zeros() as usize, rows & (rows - 1));
        let squares = if row.is_multiple_of(2) == (self.color == Color::White) { EVEN_COLUMNS } else { !EVEN_COLUMNS };
        let Placed { columns, diagonals, antidiagonals } = placed;
        let (up, down) = (self.n - 1 - row, row);
        let mut free = ((1 << self.n) - 1) & squares & !(columns | diagonals >> up | antidiagonals >> down);
        while free != 0 {
            let queen = free & free.wrapping_neg();
            free ^= queen;
            let placed = Placed {
                columns: columns | queen,
                diagonals: diagonals | queen << up,
                antidiagonals: antidiagonals | queen << down,
            };
            self.extend(below, placed, visit)?;
        }
        Ok(())
    }
}
