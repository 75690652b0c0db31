//! The plain sum: the color split by its definition, without lanes or packs. It is the oracle of `color`.
//!
//! For each coloring of the rows it lists the white placements on the white rows, and counts them in a table by column
//! set. Then it lists the black placements on the other rows. For each one it adds the table's count for the columns
//! that the placement leaves free.

use std::collections::HashMap;
use std::ops::Range;

use super::ColorPlan;
use super::plan::{Class, Term, Unit};
use super::split::Subset;
use crate::count::Tally;
use crate::solver::{Plan, Worker};
use crate::splitmix::SplitMix64;
use crate::{CancelToken, Error, Result};

/// With this many rows left or fewer, a search does not check for cancellation.
const UNCHECKED_ROWS: u32 = 8;

/// A bit for each even row or column.
const EVENS: u64 = 0x5555_5555_5555_5555;

/// The units of [`ColorPlan`](super::ColorPlan), counted by the plain sum. It shares with the fast code the terms of a
/// unit and their weights, but nothing that counts.
pub(super) struct PlainUnits(pub(super) ColorPlan);

/// Nanoseconds for each queen that a search places, on the machine of docs/measuring.md.
const QUEEN_NANOSECONDS: f64 = 8.0;

/// Nanoseconds for a placement that is looked up in a table of `entries`: more where the table leaves the caches.
fn table_nanoseconds(entries: f64) -> f64 {
    15.0 + 10.0 * (entries.max(1.0).log2() - 15.0).max(0.0)
}

/// Number of random paths from which the cost of a unit is estimated.
const DIVES: usize = 400;

impl PlainUnits {
    /// The white odd rows of a unit, its class and its terms.
    fn terms(&self, unit: usize) -> (Subset, &Class, Vec<Term>) {
        let Unit { family, o, .. } = self.0.units[unit];
        let family = &self.0.families[family];
        (o, &family.class, family.terms(o).collect())
    }

    /// Estimates the searches of a unit by random paths (Knuth, "Estimating the efficiency of backtrack programs",
    /// Mathematics of Computation 29, 1975).
    fn searches(&self, unit: usize) -> Searches {
        let (o, class, terms) = self.terms(unit);
        let n = class.geometry.n;
        let mut random = SplitMix64::new(unit as u64);
        let [mut queens, mut white, mut black] = [0.0; 3];
        for _ in 0..if terms.is_empty() { 0 } else { DIVES } {
            let rows = class.geometry.join(terms[random.below(terms.len())].e, o);
            for (rows, color, placements) in [(rows, 0, &mut white), (full(n) ^ rows, 1, &mut black)] {
                let (placed, complete) = dive(n, rows, color, &mut random);
                queens += placed / DIVES as f64;
                *placements += complete / DIVES as f64;
            }
        }
        Searches { terms: terms.len() as f64, queens, white, black }
    }
}

/// The searches of a unit: the number of its terms, and what a term has on average.
struct Searches {
    terms: f64,
    /// Queens placed.
    queens: f64,
    /// White placements.
    white: f64,
    /// Black placements.
    black: f64,
}

impl Plan for PlainUnits {
    fn units(&self) -> usize {
        self.0.units()
    }

    fn name(&self, unit: usize) -> String {
        self.0.name(unit)
    }

    fn families(&self) -> Vec<Range<usize>> {
        self.0.families()
    }

    /// Seconds.
    fn cost(&self, unit: usize) -> f64 {
        let Searches { terms, queens, white, black } = self.searches(unit);
        1e-9 * terms * (QUEEN_NANOSECONDS * queens + table_nanoseconds(white) * (white + black))
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(self)
    }
}

impl Worker for &PlainUnits {
    fn count(&mut self, unit: usize, cancel: &CancelToken) -> Result<Tally> {
        let (o, class, terms) = self.terms(unit);
        count_terms(class, o, &terms, cancel)
    }
}

/// Counts some terms with the white odd rows `o`.
///
/// # Errors
/// [`Error::Overflow`].
pub(super) fn count_terms(class: &Class, o: Subset, terms: &[Term], cancel: &CancelToken) -> Result<Tally> {
    let mut tally = Tally::default();
    for &Term { e, weight, .. } in terms {
        let column_weight = |columns| class.column_weight(class.geometry.part(columns), [e, o]);
        add_term(class.geometry.n, class.geometry.join(e, o), weight, column_weight, cancel, &mut tally)?;
        if cancel.is_cancelled() {
            break;
        }
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
) -> Result<()> {
    let (mut table, mut room): (HashMap<u64, u64>, _) = (HashMap::new(), Ok(()));
    let nodes = placements(n, white, 0, cancel, &mut |columns| {
        if room.is_ok() {
            room = table.try_reserve(1);
        }
        if room.is_ok() {
            *table.entry(columns).or_default() += 1;
        }
    });
    room.map_err(|_| Error::Memory { bytes: (size_of::<[u64; 2]>() * table.len()) as u64 })?;
    table.retain(|&columns, count| {
        // A count of single placements stays far below 2^60, and no weight is above 4.
        *count *= column_weight(columns);
        *count > 0
    });
    let mut sum = Some(0u128);
    let black = placements(n, full(n) ^ white, 1, cancel, &mut |columns| {
        let fitting = u128::from(table.get(&(full(n) ^ columns)).copied().unwrap_or(0));
        sum = sum.and_then(|sum| sum.checked_add(fitting));
    });
    let weighted = sum.and_then(|sum| sum.checked_mul(u128::from(row_weight)));
    let solutions = weighted.and_then(|sum| sum.checked_add(tally.solutions));
    tally.solutions = solutions.ok_or(Error::Overflow { bits: 128 })?;
    tally.work.nodes += nodes + black;
    Ok(())
}

/// Calls `visit` with the column set of every placement with one queen in each of `rows`, on squares of one color.
/// Color 0 is white (row + column is even), 1 is black. Returns the number of queens placed. When cancelled, some
/// placements are left out.
pub(super) fn placements(n: usize, rows: u64, color: usize, cancel: &CancelToken, visit: &mut impl FnMut(u64)) -> u64 {
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
) -> u64 {
    if rows == 0 {
        visit(columns);
        return 0;
    }
    if rows.count_ones() > UNCHECKED_ROWS && cancel.is_cancelled() {
        return 0;
    }
    let (below, gap) = below(rows);
    let mut free = free(n, rows, color, columns, lines);
    let mut nodes = 0;
    while free != 0 {
        let queen = free & free.wrapping_neg();
        free ^= queen;
        let lines = [(lines[0] | queen) << gap, (lines[1] | queen) >> gap];
        nodes += 1 + extend(n, below, color, columns | queen, lines, cancel, visit);
    }
    nodes
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

/// Estimates from one random path how many queens [`placements`] places, and how many placements it finds. The average
/// of many estimates is exact.
fn dive(n: usize, mut rows: u64, color: usize, random: &mut SplitMix64) -> (f64, f64) {
    let (mut columns, mut lines) = (0, [0, 0]);
    let (mut ways, mut nodes) = (1.0, 0.0);
    while rows != 0 {
        let mut free = free(n, rows, color, columns, lines);
        if free == 0 {
            return (nodes, 0.0);
        }
        ways *= f64::from(free.count_ones());
        nodes += ways;
        for _ in 0..random.below(free.count_ones() as usize) {
            free &= free - 1;
        }
        let queen = free & free.wrapping_neg();
        let (rest, gap) = below(rows);
        (rows, columns, lines) = (rest, columns | queen, [(lines[0] | queen) << gap, (lines[1] | queen) >> gap]);
    }
    (nodes, ways)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Size;
    use crate::solver::Isa;
    use crate::solver::color::{COLOR, COLOR_FROM_0};

    #[test]
    fn the_plain_sum_of_every_unit_is_what_the_fast_code_counts() {
        let cancel = CancelToken::new();
        for n in 0..=11 {
            let plan = || COLOR.color_plan(Size::new(n).unwrap(), Isa::Portable, &CancelToken::new()).unwrap();
            let (fast, plain) = (plan(), PlainUnits(plan()));
            assert_eq!((&plain as &dyn Plan).fingerprint(), (&fast as &dyn Plan).fingerprint());
            let (mut by_fast, mut by_plain) = (fast.worker(), plain.worker());
            for unit in 0..fast.units() {
                let [fast, plain] = [&mut by_fast, &mut by_plain].map(|by| by.count(unit, &cancel).unwrap().solutions);
                assert_eq!(fast, plain, "n = {n}, unit {unit}");
            }
        }
    }

    /// The prediction only has to tell hours from minutes.
    #[test]
    fn the_predicted_queens_of_a_unit_are_those_it_places() {
        let cancel = CancelToken::new();
        let plain = PlainUnits(COLOR.color_plan(Size::new(12).unwrap(), Isa::Portable, &cancel).unwrap());
        for unit in 0..plain.units() {
            let nodes = (&plain).count(unit, &CancelToken::new()).unwrap().work.nodes as f64;
            let Searches { terms, queens, .. } = plain.searches(unit);
            let predicted = terms * queens;
            assert!(
                (0.5..2.0).contains(&(predicted / nodes)),
                "unit {unit}: {predicted} queens, and it places {nodes}"
            );
        }
    }

    /// Seconds of a core that units took on a busy Xeon of two cores. Those of 23 and 24 have large tables.
    #[test]
    fn the_predicted_seconds_of_a_unit_are_those_that_it_takes() {
        for (n, unit, seconds) in
            [(23, 20_954, 0.126), (23, 33_527, 10.0), (24, 5210, 16.5), (24, 13_895, 10.8), (25, 99_235, 2.03)]
        {
            // The units of odd boards were those of plan version 2.
            let cancel = CancelToken::new();
            let plain = PlainUnits(COLOR_FROM_0.color_plan(Size::new(n).unwrap(), Isa::Portable, &cancel).unwrap());
            let predicted = plain.cost(unit);
            assert!((0.6..1.6).contains(&(predicted / seconds)), "n = {n}, unit {unit}: {predicted} s for {seconds} s");
        }
    }
}
