//! Tests of the color split. Table entries are compared with the sum by definition. The sum by definition is compared
//! with a search that knows only which queens attack each other. Other tests cover known traps.

mod attacks;
mod definition;
mod entries;
mod largest;
mod programs;
mod shipped;
mod terms;

use std::collections::HashMap;
use std::sync::Arc;

use definition::placements;

use super::ColorSplit;
use super::plan::{Class, Family, Term};
use super::split::{Color, Geometry, Sides, Subset, elements};
use super::tuning::{PackTuning, Sparse, UnitTuning};
use crate::color::family::SharedFamily;
use crate::color::unit::{Task, UnitCounter};
use crate::solver::{Isa, Solver};
use crate::splitmix::SplitMix64;
use crate::tally::Work;
use crate::{CancelToken, Error, Result};

fn by_definition(n: usize, rows: u64, color: u32) -> HashMap<u64, u64> {
    let mut found = HashMap::new();
    placements(n, rows, color, &mut |columns| *found.entry(columns).or_default() += 1);
    found
}

/// Joins sets of even and of odd rows, or of columns, of a board of size n.
pub(super) fn join(n: usize, evens: Subset, odds: Subset) -> u64 {
    let first = Geometry::new(n).first;
    let spread = |set: Subset, first: usize| elements(set).fold(0, |all, i| all | 1 << (2 * i + first));
    spread(evens, first) | spread(odds, 1 - first)
}

/// For one coloring of the rows, the number of white placements and of black placements by set of white columns.
fn colors(n: usize, e: Subset, o: Subset) -> [HashMap<u64, u64>; 2] {
    let (white, all) = (join(n, e, o), (1 << n) - 1);
    let black = by_definition(n, all ^ white, 1).into_iter().map(|(columns, count)| (all ^ columns, count)).collect();
    [by_definition(n, white, 0), black]
}

/// The sum of a term over all column colorings: white placements times black placements times column weight.
fn sum_by_definition(class: &Class, [e, o]: [Subset; 2], [white, black]: &[HashMap<u64, u64>; 2]) -> u128 {
    let product = |(&columns, &white): (&u64, &u64)| {
        let weight = class.column_weight(class.geometry.by_parity(columns), [e, o]);
        u128::from(white * black.get(&columns).copied().unwrap_or(0) * weight)
    };
    white.iter().map(product).sum()
}

/// A family with the only set O `o`, and a counter that has listed its placements.
fn counter(class: &Arc<Class>, o: Subset, isa: Isa, tuning: PackTuning) -> (SharedFamily, UnitCounter) {
    let family = Family { class: Arc::clone(class), highest: o, range: 0..class.even_sets.len() };
    let family = SharedFamily::new(&family, [o].into_iter(), isa, tuning).unwrap();
    let mut counter = UnitCounter::default();
    counter.begin(Task { family: &family, is_last: false, cancel: &CancelToken::new() }, o).unwrap();
    (family, counter)
}

/// A term with `e` and weight 1.
fn only(e: Subset) -> [Term; 1] {
    [Term { number: 0, e, weight: 1 }]
}

/// Sums one term.
fn term(counter: &mut UnitCounter, family: &SharedFamily, e: Subset) -> Result<u128> {
    let task = Task { family, is_last: false, cancel: &CancelToken::new() };
    counter.sum_terms(task, &only(e), &mut Work::default()).map(|sums| sums[0])
}

/// The entries of the last filled table: (column set of the row, column set of the lane, entry).
fn entries(counter: &UnitCounter, family: &SharedFamily) -> Vec<(Subset, Subset, u32)> {
    let rows = &family.rows_axis(family.class.filling()).sets;
    let (list, filled) = (&counter.filling.list, &counter.filled[0]);
    let stride = list.blocks();
    let mut entries = Vec::new();
    for (row, &row_set) in rows.iter().enumerate() {
        for (lane, &lane_set) in list.column_sets.iter().enumerate() {
            let at = row * stride + lane / 64;
            let byte =
                |byte: usize| u32::from(filled.cells[byte * rows.len() * stride + at].0[lane % 64]) << (8 * byte);
            entries.push((row_set, lane_set, (0..filled.entry_bytes).map(byte).sum()));
        }
    }
    entries
}

/// The counts of the filling side, then those of the summing side.
fn by_side(family: &SharedFamily, [white, black]: [HashMap<u64, u64>; 2]) -> [HashMap<u64, u64>; 2] {
    if family.class.filling() == Color::White { [white, black] } else { [black, white] }
}

/// Draws terms whose row weight is not 0.
fn some_terms(n: usize, random: &mut SplitMix64, terms: usize) -> Vec<(Arc<Class>, Subset, Subset)> {
    let mut classes: Vec<Arc<Class>> = Class::all(n, UnitTuning::new(n)).map(Arc::new).collect();
    // Large boards: only classes near the middle, with queens on all four sub-boards.
    if n > 14 {
        classes.retain(|class| (n / 4..=n.div_ceil(4)).contains(&class.white_evens));
    }
    let draw = || {
        let class = &classes[random.below(classes.len())];
        let o = class.odd_sets[random.below(class.odd_sets.len())];
        (Arc::clone(class), class.even_sets[random.below(class.even_sets.len())], o)
    };
    std::iter::repeat_with(draw).filter(|(class, e, o)| class.row_weight(*e, *o) > 0).take(terms).collect()
}

/// The instruction sets of this machine that the color split has code for.
pub(super) fn available() -> impl Iterator<Item = Isa> {
    ColorSplit.instruction_sets().iter().copied().filter(|isa| isa.is_available())
}
