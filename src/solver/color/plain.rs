//! `color-plain`: the color split as it is defined. Against `bitmask`, the two colors are searched apart and meet in a
//! table. It is the oracle of the packed walk: no symmetry, no lanes, no packs.
//!
//! For each coloring of the rows the white queens are searched alone, on the white squares of the white rows, and
//! counted in a table by the column set they use; then the black ones, each multiplied with the entry of the columns it
//! leaves.

use std::collections::HashMap;

use crate::board::{Size, Solution};
use crate::count::Tally;
use crate::solver::{Isa, Plan, Solver, Worker, forecast};
use crate::{CancelToken, Error, Result};

/// The solver.
pub(in crate::solver) struct ColorPlain;

impl Solver for ColorPlain {
    fn name(&self) -> &'static str {
        "color-plain"
    }

    fn about(&self) -> &'static str {
        "white and black queens searched apart for each coloring of the rows, joined in a table"
    }

    fn plan(&self, size: Size, _isa: Isa) -> Box<dyn Plan> {
        Box::new(OddRows { n: size.get() })
    }

    fn predicted_seconds(&self, size: Size, _isa: Isa) -> f64 {
        forecast::interpolate(&LOG_SECONDS, size)
    }
}

/// Base-10 logarithms of its seconds on one core at the sizes 0, 2, 4, ..., 18; the last slope goes on.
const LOG_SECONDS: [f64; 10] = [-6.0, -6.0, -5.6, -5.0, -4.2, -3.4, -2.5, -1.5, -0.1, 1.25];

/// Rows below which a search does not ask whether it was cancelled.
const UNCHECKED_ROWS: u32 = 8;

/// Even rows and columns, counted from 0.
const EVENS: u64 = 0x5555_5555_5555_5555;

/// A unit is a coloring of the odd rows, its number the white ones among them, with all colorings of the even rows.
struct OddRows {
    n: usize,
}

impl Plan for OddRows {
    fn units(&self) -> usize {
        1 << (self.n / 2)
    }

    fn name(&self, unit: usize) -> String {
        format!("white odd rows {unit:x}")
    }

    fn cost(&self, _unit: usize) -> f64 {
        1.0
    }

    fn locate(&self, solution: &Solution) -> Option<(usize, u64)> {
        let is_white = |&(row, &column): &(usize, &u8)| row % 2 == 1 && usize::from(column) % 2 == 1;
        let white = solution.columns().iter().enumerate().filter(is_white);
        Some((white.map(|(row, _)| 1 << (row / 2)).sum(), 1))
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(self)
    }
}

impl Worker for &OddRows {
    fn count(&mut self, unit: usize, cancel: &CancelToken) -> Result<Tally> {
        let (n, odds) = (self.n, unit);
        let all = (1 << n) - 1;
        let spread =
            |set: usize, first: usize| (0..n / 2 + 1).map(|i| (set as u64 >> i & 1) << (2 * i + first)).sum::<u64>();
        let mut tally = Tally::default();
        // As many white even rows as white odd ones, one more for odd n (proof.md).
        let is_possible = |evens: &usize| evens.count_ones() as usize == odds.count_ones() as usize + n % 2;
        for evens in (0..1usize << n.div_ceil(2)).filter(is_possible) {
            let white = spread(evens, 0) | spread(odds, 1);
            let mut table: HashMap<u64, u64> = HashMap::new();
            let nodes = placements(n, white, 0, cancel, &mut |columns| *table.entry(columns).or_default() += 1);
            let mut solutions = Some(tally.solutions);
            let black = placements(n, all ^ white, 1, cancel, &mut |columns| {
                let fitting = u128::from(table.get(&(all ^ columns)).copied().unwrap_or(0));
                solutions = solutions.and_then(|sum| sum.checked_add(fitting));
            });
            tally.solutions = solutions.ok_or(Error::Overflow { bits: 128 })?;
            tally.work.nodes += nodes + black;
            if cancel.is_cancelled() {
                break;
            }
        }
        Ok(tally)
    }
}

/// Calls `visit` with the column set of every placement of one queen in each of `rows`, on squares of one color (0
/// white, row + column even; 1 black); returns the queens placed on the way. When cancelled, some are left out.
pub(super) fn placements(n: usize, rows: u64, color: usize, cancel: &CancelToken, visit: &mut impl FnMut(u64)) -> u64 {
    extend(n, rows, color, 0, [0, 0], cancel, visit)
}

/// The lines are as seen from the first of `rows`.
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
    let row = rows.trailing_zeros() as usize;
    let below = rows & (rows - 1);
    let gap = if below == 0 { 0 } else { below.trailing_zeros() as usize - row };
    let squares = if (row + color).is_multiple_of(2) { EVENS } else { !EVENS };
    let mut free = ((1 << n) - 1) & squares & !(columns | lines[0] | lines[1]);
    let mut nodes = 0;
    while free != 0 {
        let queen = free & free.wrapping_neg();
        free ^= queen;
        let lines = [(lines[0] | queen) << gap, (lines[1] | queen) >> gap];
        nodes += 1 + extend(n, below, color, columns | queen, lines, cancel, visit);
    }
    nodes
}
