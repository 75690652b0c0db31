//! Families: units of work that share programs. A family is some neighbouring sets of odd rows O (by rank) and some
//! neighbouring sets of even rows E of one class.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::cell::LANES;
use super::geometry::{SubBoard, Subset, full};
use super::program::{Draft, NOT_COUNTED, Program, Rows, first_rows};
use super::symmetry::Class;
use super::tuning::Tuning;
use crate::CancelToken;

/// One color: what is walked and what stands in lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    White,
    Black,
}

impl Side {
    /// The side that the table is filled from: the color with fewer queens, the shorter walk.
    pub(super) fn filling(class: &Class) -> Self {
        let white = class.white_evens + class.white_odds;
        if 2 * white <= class.geometry.n { Self::White } else { Self::Black }
    }

    /// Queens on even rows.
    pub(super) fn queens(self, class: &Class) -> usize {
        match self {
            Self::White => class.white_evens,
            Self::Black => class.geometry.evens - class.white_evens,
        }
    }

    /// The side that fills and the side that sums.
    pub(super) fn both(class: &Class) -> [Self; 2] {
        let filling = Self::filling(class);
        [filling, filling.other()]
    }

    /// The other color.
    pub(super) fn other(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }

    /// The sub-board that is walked.
    pub(super) fn walked(self) -> SubBoard {
        match self {
            Self::White => SubBoard::EvenEven,
            Self::Black => SubBoard::EvenOdd,
        }
    }

    /// The sub-board whose placements stand in lanes.
    pub(super) fn in_lanes(self) -> SubBoard {
        match self {
            Self::White => SubBoard::OddOdd,
            Self::Black => SubBoard::OddEven,
        }
    }

    /// This color's part of a set of white rows or columns, of `size` in all.
    pub(super) fn part(self, white: Subset, size: usize) -> Subset {
        match self {
            Self::White => white,
            Self::Black => white ^ full(size),
        }
    }
}

/// Numbers for the column sets that a walk can end on: rows of a table.
#[derive(Debug)]
pub(super) struct Axis {
    side: Side,
    columns: usize,
    /// The row for each set of walked columns, [`NOT_COUNTED`] where it has none.
    row_of: Vec<u16>,
    /// The sets of white columns, row by row.
    pub(super) sets: Vec<Subset>,
}

impl Axis {
    fn new(side: Side, columns: usize, sets: Vec<Subset>) -> Self {
        let mut row_of = vec![NOT_COUNTED; 1 << columns];
        for (row, &set) in (0..).zip(&sets) {
            row_of[side.part(set, columns) as usize] = row;
        }
        Self { side, columns, row_of, sets }
    }

    /// The row of a set of white columns.
    pub(super) fn row(&self, set: Subset) -> u16 {
        let row = self.row_of[self.side.part(set, self.columns) as usize];
        assert_ne!(row, NOT_COUNTED, "a family keeps the column sets that its sets of odd rows keep");
        row
    }
}

/// The programs of one set of even rows, in one piece of memory: one thread asks for it and another gives it back, and
/// with many small pieces they waited for one another in the allocator (n = 18, 2 threads: 7 % of the time).
#[derive(Debug, Clone)]
pub(super) struct Programs {
    memory: Arc<[u16]>,
    /// Filling and summing side: how many rows the prefixes have, and where the program's headers are.
    sides: [(usize, Range<usize>); 2],
}

impl Programs {
    /// How many rows the prefixes have, and the program, on the filling side.
    pub(super) fn fill(&self) -> (usize, Program<'_>) {
        self.side(0)
    }

    /// The same on the summing side.
    pub(super) fn dot(&self) -> (usize, Program<'_>) {
        self.side(1)
    }

    fn side(&self, number: usize) -> (usize, Program<'_>) {
        let (depth, headers) = &self.sides[number];
        (*depth, Program::new(&self.memory, headers.clone()))
    }
}

/// What the units of a family share.
#[derive(Debug)]
pub(super) struct Family {
    pub(super) class: Arc<Class>,
    pub(super) filling: Side,
    /// Column sets F that some O of the family counts.
    pub(super) even_columns: Axis,
    /// Column sets G that some O of the family counts.
    pub(super) odd_columns: Axis,
    depths: [usize; 2],
    pub(super) tuning: Tuning,
    order: Arc<Vec<usize>>,
    programs: Vec<Mutex<Option<Programs>>>,
}

impl Family {
    /// The family of the O up to `highest` in rank, with `even_sets` sets E.
    pub(super) fn new(
        class: &Arc<Class>,
        order: &Arc<Vec<usize>>,
        highest: Subset,
        even_sets: usize,
        tuning: Tuning,
    ) -> Self {
        let (evens, odds) = (class.geometry.evens, class.geometry.odds);
        let keep_even = class.evens.iter().copied().filter(|&f| class.keeps_even_columns(f, highest)).collect();
        let keep_odd = class.odds.iter().copied().filter(|&g| class.odd_columns(g, highest) > 0).collect();
        let filling = Side::filling(class);
        Self {
            filling,
            even_columns: Axis::new(Side::White, evens, keep_even),
            odd_columns: Axis::new(Side::Black, odds, keep_odd),
            depths: tuning.depths(class),
            tuning,
            class: Arc::clone(class),
            order: Arc::clone(order),
            programs: std::iter::repeat_with(Mutex::default).take(even_sets).collect(),
        }
    }

    /// The column sets that a side's walks end on.
    pub(super) fn rows_axis(&self, side: Side) -> &Axis {
        match side {
            Side::White => &self.even_columns,
            Side::Black => &self.odd_columns,
        }
    }

    /// The programs for these sets E, each with its number in the family: written by the first thread that needs them.
    /// `None` when cancelled.
    pub(super) fn programs(
        &self,
        sets: &[(usize, Subset, u64)],
        draft: &mut Draft,
        cancel: &CancelToken,
    ) -> Option<Vec<Programs>> {
        // Threads that need the same ones share the writing: each leaves out what another is at and comes back for it.
        let mut programs: Vec<_> = sets
            .iter()
            .map(|&(at, e, _)| match self.programs[at].try_lock() {
                Ok(place) => self.write(place, e, draft, cancel),
                Err(_) => None,
            })
            .collect();
        for (programs, &(at, e, _)) in programs.iter_mut().zip(sets) {
            if programs.is_none() {
                let place = self.programs[at].lock().unwrap_or_else(PoisonError::into_inner);
                *programs = self.write(place, e, draft, cancel);
            }
        }
        programs.into_iter().collect()
    }

    /// What is at this place, put there where nothing is; `None` when cancelled.
    fn write(
        &self,
        mut place: MutexGuard<'_, Option<Programs>>,
        e: Subset,
        draft: &mut Draft,
        cancel: &CancelToken,
    ) -> Option<Programs> {
        if place.is_none() {
            draft.clear();
            let sides = self.sides().map(|(side, depth)| self.program(side, e, depth, draft, cancel));
            if cancel.is_cancelled() {
                return None;
            }
            *place = Some(Programs { memory: draft.memory().into(), sides });
        }
        place.clone()
    }

    /// The side that fills and the one that sums, with the rows their prefixes have where programs fit their format.
    fn sides(&self) -> [(Side, usize); 2] {
        [(self.filling, self.depths[0]), (self.filling.other(), self.depths[1])]
    }

    /// The rows of both sides' prefixes for E: sets with the same ones share packs.
    pub(super) fn prefixes(&self, e: Subset) -> [Subset; 2] {
        self.sides().map(|(side, depth)| first_rows(side.part(e, self.class.geometry.evens), depth, &self.order))
    }

    /// Bytes of a table, where rows of the summing side's have so many cells.
    pub(super) fn table_bytes(&self, blocks: usize) -> usize {
        self.summed_rows() * blocks * LANES
    }

    /// Rows of a table as it is filled.
    pub(super) fn filled_rows(&self) -> usize {
        self.rows_axis(self.filling).sets.len()
    }

    /// Rows of a table as it is summed.
    pub(super) fn summed_rows(&self) -> usize {
        self.rows_axis(self.filling.other()).sets.len()
    }

    /// How a side's walk for E is divided, with prefixes of so many rows.
    pub(super) fn rows(&self, side: Side, e: Subset, depth: usize) -> Rows {
        Rows::new(side.part(e, self.class.geometry.evens), depth, &self.order)
    }

    /// Adds a side's program for E to the draft, with prefixes of at least so many rows; returns how many they have,
    /// and where its headers are.
    fn program(
        &self,
        side: Side,
        e: Subset,
        depth: usize,
        draft: &mut Draft,
        cancel: &CancelToken,
    ) -> (usize, Range<usize>) {
        let geometry = self.class.geometry;
        let row_of = &self.rows_axis(side).row_of;
        let mut depth = depth;
        loop {
            let rows = self.rows(side, e, depth);
            // Walks of many rows on large boards need a longer prefix to stay within the format's 16 bits.
            match draft.add(geometry, side.walked(), &rows, row_of, cancel) {
                Some(headers) => return (depth, headers),
                None => {
                    assert!(!rows.rest.is_empty(), "a program of prefixes alone is within 8 GiB");
                    depth += 1;
                }
            }
        }
    }
}

/// The even rows, those in the middle first: they cross the most lines, so that few placements survive them.
pub(super) fn row_order(rows: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows).collect();
    order.sort_by_key(|&row| (2 * row + 1).abs_diff(rows));
    order
}

/// Sorts sets of even rows so that those with the same first rows in `order` are neighbours, on either side.
pub(super) fn sort_by_rows(sets: &mut [Subset], order: &[usize]) {
    sets.sort_by_key(|&set| std::cmp::Reverse(order.iter().fold(0u32, |key, &row| key << 1 | (set >> row & 1))));
}
