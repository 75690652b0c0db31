//! Counts units by definition: it lists the placements of each color one by one, without sub-boards, lanes, packs or programs.
//! It shares units and weights with the fast code, but nothing that lists or counts placements. So it checks that code on
//! boards of any size, but not the weights.

use super::plan::{Class, CountTerms, Term, Units};
use super::split::Subset;
use crate::cancel::Cancelled;
use crate::memory::grow;
use crate::solver::Worker;
use crate::tally::{Tally, Work};
use crate::{CancelToken, Error, Result};

/// A bit for each even row or column, counted from 0.
const EVENS: u64 = 0x5555_5555_5555_5555;

/// With this many rows left or fewer, a search does not ask whether it was cancelled.
const UNCHECKED_ROWS: u32 = 4;

/// Counts units by definition.
#[derive(Debug, Clone, Copy)]
pub(super) struct Definition;

impl CountTerms for Definition {
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

/// The sum of a term over all column colorings: white placements times black placements times weights.
///
/// # Errors
/// [`Error::Memory`], [`Error::Cancelled`].
pub(super) fn sum(class: &Class, o: Subset, term: Term, cancel: &CancelToken) -> Result<u128> {
    let Class { geometry, even_sets, odd_sets, .. } = class;
    let (rows, all) = (geometry.join([term.e, o]), (1 << geometry.n) - 1);
    // The place of a white column set in the list of all.
    let [evens, odds] = [(even_sets, geometry.evens), (odd_sets, geometry.odds)].map(|(sets, size)| {
        let mut places = vec![0; 1 << size];
        sets.iter().zip(0..).for_each(|(&set, place)| places[set as usize] = place);
        places
    });
    let place = |columns: u64| {
        let [f, g] = geometry.by_parity(columns);
        evens[f as usize] * odd_sets.len() + odds[g as usize]
    };
    let mut white = Vec::new();
    grow(&mut white, even_sets.len() * odd_sets.len(), 0u64)?;
    placements(geometry.n, rows, 0, cancel, &mut |columns| white[place(columns)] += 1)?;
    let columns = even_sets.iter().flat_map(|&f| odd_sets.iter().map(move |&g| [f, g]));
    for (white, columns) in white.iter_mut().zip(columns).filter(|(white, _)| **white > 0) {
        *white *= term.weight * class.column_weight(columns, [term.e, o]);
    }
    let mut sum = 0;
    placements(geometry.n, all ^ rows, 1, cancel, &mut |columns| sum += u128::from(white[place(all ^ columns)]))?;
    Ok(sum)
}

/// Calls `visit` with the column set of every placement with one queen in each of `rows`, on squares of one color. Color 0
/// is white (row + column is even, counted from 0), 1 is black.
///
/// # Errors
/// [`Cancelled`].
pub(super) fn placements(
    n: usize,
    rows: u64,
    color: u32,
    cancel: &CancelToken,
    visit: &mut impl FnMut(u64),
) -> Result<(), Cancelled> {
    let none = Placed { columns: 0, lines: [0, 0] };
    Search { n, color, cancel }.extend(rows, none, visit)
}

/// What does not change during a search.
struct Search<'a> {
    n: usize,
    color: u32,
    cancel: &'a CancelToken,
}

/// Queens in some rows.
#[derive(Clone, Copy)]
struct Placed {
    columns: u64,
    /// The diagonals and the antidiagonals that they attack, as columns of the next row.
    lines: [u64; 2],
}

impl Search<'_> {
    /// Visits every placement that has the queens of `placed` and one more in each of `rows`.
    fn extend(&self, rows: u64, placed: Placed, visit: &mut impl FnMut(u64)) -> Result<(), Cancelled> {
        if rows == 0 {
            visit(placed.columns);
            return Ok(());
        }
        if rows.count_ones() > UNCHECKED_ROWS {
            self.cancel.check()?;
        }
        let (row, below) = (rows.trailing_zeros(), rows & (rows - 1));
        let gap = if below == 0 { 0 } else { below.trailing_zeros() - row };
        let squares = if (row + self.color).is_multiple_of(2) { EVENS } else { !EVENS };
        let Placed { columns, lines: [diagonals, antidiagonals] } = placed;
        let mut free = ((1 << self.n) - 1) & squares & !(columns | diagonals | antidiagonals);
        while free != 0 {
            let queen = free & free.wrapping_neg();
            free ^= queen;
            let lines = [(diagonals | queen) << gap, (antidiagonals | queen) >> gap];
            self.extend(below, Placed { columns: columns | queen, lines }, visit)?;
        }
        Ok(())
    }
}
