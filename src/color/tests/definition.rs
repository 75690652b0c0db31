//! The sum by definition: the color split without lanes or packs. Tests compare `color` with it.
//!
//! For each coloring of the rows it lists the white placements on the white rows, and counts them in a table by column
//! set. Then it lists the black placements on the other rows. For each one it adds the table's count for the columns
//! that the placement leaves free.

use std::collections::HashMap;

use crate::Error;
use crate::cancel::{CancelToken, Cancelled};
use crate::color::plan::{Class, Term};
use crate::color::split::Subset;
use crate::color::tests::join;
use crate::tally::Tally;

/// With this many rows left or fewer, a search does not check for cancellation.
const UNCHECKED_COLOR_ROWS: u32 = 8;

/// A bit for each even row or column.
const EVENS: u64 = 0x5555_5555_5555_5555;

/// Counts some terms with the white odd rows `o`.
///
/// # Errors
/// [`Error::Bug`].
pub(super) fn count_terms(class: &Class, o: Subset, terms: &[Term], cancel: &CancelToken) -> Result<Tally, Error> {
    let mut tally = Tally::default();
    for &Term { e, weight, .. } in terms {
        let column_weight = |columns| class.column_weight(class.geometry.by_parity(columns), [e, o]);
        add_term(class.geometry.n, join(class.geometry.n, e, o), weight, column_weight, cancel, &mut tally)?;
    }
    Ok(tally)
}

/// All rows or columns of a board.
fn full(n: usize) -> u64 {
    (1 << n) - 1
}

/// Adds the count of the row coloring `white` to a tally. The count is `row_weight` times the sum over all column
/// colorings of: white placements * black placements * column weight.
fn add_term(
    n: usize,
    white: u64,
    row_weight: u64,
    column_weight: impl Fn(u64) -> u64,
    cancel: &CancelToken,
    tally: &mut Tally,
) -> Result<(), Error> {
    let mut table: HashMap<u64, u64> = HashMap::new();
    let nodes = placements(n, white, 0, cancel, &mut |columns| *table.entry(columns).or_default() += 1)?;
    table.retain(|&columns, count| {
        // A count of single placements stays far below 2^60, and no weight is above 4.
        *count *= column_weight(columns);
        *count > 0
    });
    let mut sum = Some(0u128);
    let black = placements(n, full(n) ^ white, 1, cancel, &mut |columns| {
        let fitting = u128::from(table.get(&(full(n) ^ columns)).copied().unwrap_or(0));
        sum = sum.and_then(|sum| sum.checked_add(fitting));
    })?;
    let weighted = sum.and_then(|sum| sum.checked_mul(u128::from(row_weight)));
    let solutions = weighted.and_then(|sum| sum.checked_add(tally.solutions));
    tally.solutions = solutions.ok_or_else(|| Error::overflow(128))?;
    tally.work.nodes += nodes + black;
    Ok(())
}

/// Calls `visit` with the column set of every placement with one queen in each of `rows`, on squares of one color.
/// Color 0 is white (row + column is even), 1 is black. Returns the number of queens placed.
///
/// # Errors
/// [`Cancelled`].
pub(super) fn placements(
    n: usize,
    rows: u64,
    color: usize,
    cancel: &CancelToken,
    visit: &mut impl FnMut(u64),
) -> Result<u64, Cancelled> {
    extend(n, rows, color, 0, [0, 0], cancel, visit)
}

/// [`placements`] below `columns`. `lines` are the attacked diagonals and antidiagonals, as columns of the first of
/// `rows`.
fn extend(
    n: usize,
    rows: u64,
    color: usize,
    columns: u64,
    lines: [u64; 2],
    cancel: &CancelToken,
    visit: &mut impl FnMut(u64),
) -> Result<u64, Cancelled> {
    if rows == 0 {
        visit(columns);
        return Ok(0);
    }
    if rows.count_ones() > UNCHECKED_COLOR_ROWS {
        cancel.check()?;
    }
    let (below, gap) = below(rows);
    let mut free = free(n, rows, color, columns, lines);
    let mut nodes = 0;
    while free != 0 {
        let queen = free & free.wrapping_neg();
        free ^= queen;
        let lines = [(lines[0] | queen) << gap, (lines[1] | queen) >> gap];
        nodes += 1 + extend(n, below, color, columns | queen, lines, cancel, visit)?;
    }
    Ok(nodes)
}

/// The rows without the first, and the distance from the first row to the second.
fn below(rows: u64) -> (u64, u32) {
    let below = rows & (rows - 1);
    (below, if below == 0 { 0 } else { below.trailing_zeros() - rows.trailing_zeros() })
}

/// The squares of one color in the first of `rows` that no queen attacks.
fn free(n: usize, rows: u64, color: usize, columns: u64, lines: [u64; 2]) -> u64 {
    let squares = if (rows.trailing_zeros() as usize + color).is_multiple_of(2) { EVENS } else { !EVENS };
    full(n) & squares & !(columns | lines[0] | lines[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Size;
    use crate::color::{ColorPlan, Packs, UnitTuning};
    use crate::solver::{Isa, Plan};

    #[test]
    fn the_sum_by_definition_of_every_unit_is_what_the_fast_code_counts() {
        let cancel = CancelToken::new();
        for n in 0..=11 {
            let size = Size::new(n).unwrap();
            let packs = Packs::new(size, Isa::Portable);
            let plan = ColorPlan::new(size, UnitTuning::new(n), packs, &cancel).unwrap();
            let mut worker = plan.worker();
            for (number, unit) in plan.units.all.iter().enumerate() {
                let family = &plan.units.families[unit.family];
                let terms: Vec<Term> = family.terms(unit.o).collect();
                let expected = count_terms(&family.class, unit.o, &terms, &cancel).unwrap();
                assert_eq!(
                    worker.count(number, &cancel).unwrap().solutions,
                    expected.solutions,
                    "n = {n}, unit {number}"
                );
            }
        }
    }
}
