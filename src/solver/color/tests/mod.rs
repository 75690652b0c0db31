//! The packed walk against the plain color split, table entry by table entry; the plain one against a count that knows
//! nothing but which queens attack each other; and the traps that such code falls into.

mod entries;
mod largest;
mod oracle;
mod programs;
mod terms;

use std::collections::HashMap;
use std::sync::Arc;

use super::Color;
use super::count::{Task, UnitCounter};
use super::plain::placements;
use super::plan::{Class, Family, Term};
use super::shared::SharedFamily;
use super::split::{Side, Subset, elements};
use super::tuning::Tuning;
use crate::count::Work;
use crate::solver::{Isa, Solver};
use crate::splitmix::SplitMix64;
use crate::{CancelToken, Error, Result};

fn plain(n: usize, rows: u64, color: usize) -> HashMap<u64, u64> {
    let mut found = HashMap::new();
    placements(n, rows, color, &CancelToken::new(), &mut |columns| *found.entry(columns).or_default() += 1);
    found
}

/// A set of rows or columns from its parts.
fn join(evens: Subset, odds: Subset) -> u64 {
    elements(evens).map(|i| 1 << (2 * i)).sum::<u64>() | elements(odds).map(|i| 1 << (2 * i + 1)).sum::<u64>()
}

/// White placements, and black ones by the columns they leave to white, for one coloring of the rows.
fn colors(n: usize, e: Subset, o: Subset) -> [HashMap<u64, u64>; 2] {
    let (white, all) = (join(e, o), (1 << n) - 1);
    let black = plain(n, all ^ white, 1).into_iter().map(|(columns, count)| (all ^ columns, count)).collect();
    [plain(n, white, 0), black]
}

/// The even and the odd part of a set of rows or columns.
fn parts(set: u64) -> (Subset, Subset) {
    (0..32).fold((0, 0), |(evens, odds), i| {
        (evens | ((set >> (2 * i) & 1) as Subset) << i, odds | ((set >> (2 * i + 1) & 1) as Subset) << i)
    })
}

/// A counter that has listed the placements of O, for the family that this O alone makes.
fn counter(class: &Arc<Class>, o: Subset, isa: Isa, tuning: Tuning) -> (SharedFamily, UnitCounter) {
    let family = SharedFamily::new(&Family::of_class(class, o), [o].into_iter(), isa, tuning);
    let mut counter = UnitCounter::default();
    counter.begin(Task { family: &family, cancel: &CancelToken::new() }, o).unwrap();
    (family, counter)
}

/// The term of E, of weight 1.
fn only(e: Subset) -> [Term; 1] {
    [Term { number: 0, evens: e, weight: 1 }]
}

/// One term, summed.
fn term(counter: &mut UnitCounter, family: &SharedFamily, e: Subset) -> Result<u128> {
    let task = Task { family, cancel: &CancelToken::new() };
    counter.sum_terms(task, &only(e), &mut Work::default()).map(|sums| sums[0])
}

/// Row set, lane set and entry of the table as it was filled last.
fn entries(counter: &UnitCounter, family: &SharedFamily) -> Vec<(Subset, Subset, u32)> {
    let rows = &family.rows_axis(family.filling).sets;
    let sides = &counter.sides;
    let stride = sides.fill.lists.blocks();
    let mut entries = Vec::new();
    for (row, &row_set) in rows.iter().enumerate() {
        for (lane, &lane_set) in sides.fill.lists.column_sets.iter().enumerate() {
            let at = row * stride + lane / 64;
            let byte =
                |byte: usize| u32::from(sides.filled[byte * rows.len() * stride + at].0[lane % 64]) << (8 * byte);
            entries.push((row_set, lane_set, (0..sides.entry_bytes).map(byte).sum()));
        }
    }
    entries
}

/// White's placements and Black's, the filling side's first.
fn by_side(family: &SharedFamily, [white, black]: [HashMap<u64, u64>; 2]) -> [HashMap<u64, u64>; 2] {
    if family.filling == Side::White { [white, black] } else { [black, white] }
}

/// Terms that are counted.
fn some_terms(n: usize, random: &mut SplitMix64, terms: usize) -> Vec<(Arc<Class>, Subset, Subset)> {
    let mut classes: Vec<Arc<Class>> = Class::all(n).into_iter().map(Arc::new).collect();
    // The larger boards' largest classes: those with queens on all four sub-boards.
    if n > 14 {
        classes.retain(|class| (n / 4..=n.div_ceil(4)).contains(&class.white_evens));
    }
    let draw = || {
        let class = &classes[random.below(classes.len())];
        let o = class.odds[random.below(class.odds.len())];
        (Arc::clone(class), class.evens[random.below(class.evens.len())], o)
    };
    std::iter::repeat_with(draw).filter(|(class, e, o)| class.row_weight(*e, *o) > 0).take(terms).collect()
}

/// The instruction sets that the machine has, of those that the color split has code for.
pub(super) fn available() -> impl Iterator<Item = Isa> {
    Color.instruction_sets().iter().copied().filter(|isa| isa.is_available())
}
