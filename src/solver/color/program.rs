//! What a walk does on one side of a color for one set of even rows, written down once and replayed on the packs of
//! many sets of odd rows: the placements on the remaining rows do not depend on those.
//!
//! A walk's first queens, its *prefix*, are part of the packs. Of the remaining rows, the last two are walked as
//! *parents* with their *children*, the leaves, four at most together; what is above them is the *trunk*. A replay
//! computes the trunk's words into memory and then, parent by parent in registers, the leaves. Parents are sorted by
//! their number of children, so that loops have fixed lengths and the processor has nothing to mispredict: against a
//! walk that looks for free squares as it goes, this is where most of the time was won (README.md).

use std::ops::Range;

use super::geometry::{Geometry, SubBoard, Subset, elements};
use super::placements::{extend, free_columns};
use crate::CancelToken;

/// The plane without a bit: and-not with it changes nothing. Stands in for rows that are not there.
pub(super) const NO_PLANE: u16 = 0;
/// The plane of all keys of the pack.
pub(super) const ALL_KEYS: u16 = 1;
/// The numbers of each word's lanes among those of its two blocks, where packs are picked
/// ([`super::isa::Lanes::pick`]).
pub(super) const NUMBERS: u16 = 2;
/// Planes of squares come after those.
pub(super) const FIRST_SQUARE: u16 = 3;

/// Stands for the table row of a column set that is not counted.
pub(super) const NOT_COUNTED: u16 = u16::MAX;

/// Rows below which writing does not ask whether it was cancelled.
const UNCHECKED_ROWS: usize = 4;

/// Children that are handled together: their format is fixed, one loop for each number of them.
pub(super) const MAX_CHILDREN: usize = 4;

/// Numbers of the planes of a pack: one for every square of the remaining rows that the prefix leaves free.
#[derive(Debug, Clone)]
pub(super) struct Planes {
    number: [u16; 16 * 16],
    squares: Vec<(u8, u8)>,
}

impl Planes {
    pub(super) fn new() -> Self {
        Self { number: [NO_PLANE; 16 * 16], squares: Vec::new() }
    }

    /// Numbers the planes for this prefix and these remaining rows.
    pub(super) fn renumber(&mut self, geometry: Geometry, board: SubBoard, prefix: Prefix, rows: &[usize]) {
        for (row, column) in self.squares.drain(..) {
            self.number[16 * usize::from(row) + usize::from(column)] = NO_PLANE;
        }
        for &row in rows {
            let free = free_columns(geometry, board, row, prefix.columns, prefix.key);
            for column in elements(free) {
                self.number[16 * row + column] = FIRST_SQUARE + self.squares.len() as u16;
                self.squares.push((row as u8, column as u8));
            }
        }
    }

    /// The plane of a square that the prefix leaves free.
    fn of(&self, row: usize, column: usize) -> u16 {
        self.number[16 * row + column]
    }

    /// The squares with a plane, in the order of their numbers, from [`FIRST_SQUARE`] on.
    pub(super) fn squares(&self) -> &[(u8, u8)] {
        &self.squares
    }

    /// Planes in all.
    pub(super) fn count(&self) -> usize {
        usize::from(FIRST_SQUARE) + self.squares.len()
    }
}

/// The first queens of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Prefix {
    pub(super) columns: Subset,
    pub(super) key: u64,
}

impl Prefix {
    pub(super) const EMPTY: Self = Self { columns: 0, key: 0 };

    /// The prefix with one queen more.
    pub(super) fn with(self, geometry: Geometry, board: SubBoard, row: usize, column: usize) -> Self {
        Self { columns: self.columns | 1 << column, key: self.key | geometry.lines(board, row, column) }
    }
}

/// How the rows of a walk are divided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rows {
    /// The rows of the prefix.
    pub(super) prefix: Vec<usize>,
    /// The rows that remain, of this walk only.
    pub(super) rest: Vec<usize>,
    /// All rows that may remain for a walk with this prefix: what packs have planes for.
    pub(super) open: Vec<usize>,
}

impl Rows {
    /// Divides a set of rows: its first `depth` ones in `order` are the prefix.
    pub(super) fn new(set: Subset, depth: usize, order: &[usize]) -> Self {
        let mut rows = order.iter().copied().filter(|&row| set >> row & 1 == 1);
        let prefix: Vec<usize> = rows.by_ref().take(depth).collect();
        let rest: Vec<usize> = rows.collect();
        let decided =
            prefix.last().map_or(0, |last| 1 + order.iter().position(|row| row == last).expect("it comes from there"));
        let open = if rest.is_empty() { Vec::new() } else { order[decided..].to_vec() };
        Self { prefix, rest, open }
    }

    /// Whether walks over these rows and over those replay on the same packs.
    pub(super) fn shares_packs(&self, other: &Self) -> bool {
        self.prefix == other.prefix && self.open == other.open
    }
}

/// The rows of a set's prefix: its first `depth` ones in `order`.
pub(super) fn first_rows(set: Subset, depth: usize, order: &[usize]) -> Subset {
    order.iter().filter(|&&row| set >> row & 1 == 1).take(depth).fold(0, |rows, row| rows | 1 << row)
}

/// The walks of one set of rows, prefix by prefix.
#[derive(Debug, Clone, Copy)]
pub(super) struct Program<'a> {
    memory: &'a [u16],
    headers: &'a [Header],
}

/// Of the walk for one prefix: where it begins in memory (its lower and its upper half), states of its trunk, parents
/// with 1, 2, 3, 4 children, and nothing: 16 bytes in all (with 14, n = 17 took 2 % longer).
type Header = [u16; 4 + MAX_CHILDREN];

/// The walk for one prefix.
#[derive(Debug, Clone, Copy)]
pub(super) struct Walk<'a> {
    /// Pairs of (index of the state above, plane); state 0 is the pack's [`ALL_KEYS`], the next ones those of the
    /// trunk.
    pub(super) trunk: &'a [[u16; 2]],
    /// With 1, 2, 3, 4 children: index of a state, plane, then for each child its plane and its row of the table.
    pub(super) parents: [&'a [u16]; MAX_CHILDREN],
}

impl Walk<'_> {
    /// Whether there is no leaf.
    pub(super) fn is_empty(&self) -> bool {
        self.parents.iter().all(|parents| parents.is_empty())
    }

    /// States (trunk and root), parents, leaves.
    pub(super) fn nodes(&self) -> [u64; 3] {
        let parents = (0..MAX_CHILDREN).map(|i| self.parents[i].len() / (2 * (i + 2)));
        let leaves = parents.clone().enumerate().map(|(i, parents)| (i + 1) * parents).sum::<usize>();
        [1 + self.trunk.len() as u64, parents.sum::<usize>() as u64, leaves as u64]
    }
}

impl<'a> Program<'a> {
    /// The program with its headers there in [`Draft::memory`], or in a copy of that.
    #[inline(always)]
    pub(super) fn new(memory: &'a [u16], headers: Range<usize>) -> Self {
        Self { memory, headers: memory[headers].as_chunks().0 }
    }

    /// The walk for the prefix of this number, in the order of [`extend`].
    #[inline(always)]
    pub(super) fn walk(&self, prefix: usize) -> Walk<'a> {
        let [low, high, trunk, of_parents @ .., _] = self.headers[prefix];
        let rest = &self.memory[(usize::from(high) << 16 | usize::from(low))..];
        let (trunk, mut rest) = rest.split_at(2 * usize::from(trunk));
        let mut parents = [&rest[..0]; MAX_CHILDREN];
        for (i, part) in parents.iter_mut().enumerate() {
            (*part, rest) = rest.split_at(usize::from(of_parents[i]) * 2 * (i + 2));
        }
        Walk { trunk: trunk.as_chunks().0, parents }
    }

    /// Prefixes in all.
    #[cfg(test)]
    pub(super) fn prefixes(&self) -> usize {
        self.headers.len()
    }
}

/// Programs being written, one after the other; its memory is kept by each thread.
#[derive(Debug)]
pub(super) struct Draft {
    memory: Vec<u16>,
    headers: Vec<Header>,
    planes: Planes,
    /// The walk at hand, in the parts of a [`Walk`].
    trunk: Vec<[u16; 2]>,
    parents: [Vec<[u16; 2]>; MAX_CHILDREN],
    /// The leaves of the parent at hand, at most one for each column: plane and table row.
    children: [[u16; 2]; 16],
    leaves: usize,
}

impl Draft {
    pub(super) fn new() -> Self {
        Self {
            memory: Vec::new(),
            headers: Vec::new(),
            planes: Planes::new(),
            trunk: Vec::new(),
            parents: Default::default(),
            children: [[0; 2]; 16],
            leaves: 0,
        }
    }

    /// What was added: for each program its walks, then its headers.
    pub(super) fn memory(&self) -> &[u16] {
        &self.memory
    }

    /// Drops the programs.
    pub(super) fn clear(&mut self) {
        self.memory.clear();
    }

    /// Adds the program for the walks over `rows` and says where its headers are; `row_of` has a leaf's row of the
    /// table at its column set, [`NOT_COUNTED`] where it is not counted. `None` where some walk is too large for the
    /// format; when cancelled, what it adds is to be dropped.
    pub(super) fn add(
        &mut self,
        geometry: Geometry,
        board: SubBoard,
        rows: &Rows,
        row_of: &[u16],
        cancel: &CancelToken,
    ) -> Option<Range<usize>> {
        let before = self.memory.len();
        self.headers.clear();
        let mut writer = Writer { geometry, board, rest: &rows.rest, row_of, draft: self, fits: true, cancel };
        extend(geometry, board, &rows.prefix, Prefix::EMPTY, cancel, &mut |prefix| {
            if writer.fits && !cancel.is_cancelled() {
                writer.draft.planes.renumber(geometry, board, prefix, &rows.open);
                writer.write(prefix);
            }
        });
        if !writer.fits {
            self.memory.truncate(before);
            return None;
        }
        let headers = self.memory.len()..self.memory.len() + self.headers.as_flattened().len();
        self.memory.extend_from_slice(self.headers.as_flattened());
        Some(headers)
    }
}

struct Writer<'a> {
    geometry: Geometry,
    board: SubBoard,
    rest: &'a [usize],
    row_of: &'a [u16],
    draft: &'a mut Draft,
    /// Whether all numbers so far fit 16 bits.
    fits: bool,
    cancel: &'a CancelToken,
}

impl Writer<'_> {
    fn write(&mut self, prefix: Prefix) {
        self.draft.trunk.clear();
        self.draft.parents.iter_mut().for_each(Vec::clear);
        match self.rest {
            // The whole walk is in the prefix: the pack itself is the only leaf.
            [] => {
                self.draft.leaves = 0;
                self.push_child(prefix.columns, NO_PLANE);
                self.push_parents(0, NO_PLANE);
            }
            // No parents: the root stands in for the one.
            [last] => {
                self.find_children(prefix, *last);
                self.push_parents(0, NO_PLANE);
            }
            rest => {
                self.descend(prefix, rest, 0);
            }
        }
        let Draft { trunk, parents, memory, headers, .. } = &mut *self.draft;
        let lengths: [usize; MAX_CHILDREN] = std::array::from_fn(|i| parents[i].len() / (i + 2));
        let largest = lengths.into_iter().max().max(Some(trunk.len())).unwrap_or(0);
        let start = u32::try_from(memory.len());
        let (Ok(start), true) = (start, self.fits && largest <= usize::from(u16::MAX)) else {
            self.fits = false;
            return;
        };
        let [one, two, three, four] = lengths.map(|length| length as u16);
        headers.push([start as u16, (start >> 16) as u16, trunk.len() as u16, one, two, three, four, 0]);
        memory.extend_from_slice(trunk.as_flattened());
        for parents in parents {
            memory.extend_from_slice(parents.as_flattened());
        }
    }

    /// Walks the rows below state number `state`; says whether there was a leaf.
    fn descend(&mut self, prefix: Prefix, rows: &[usize], state: u16) -> bool {
        let mut any = false;
        let row = rows[0];
        // A walk this large is written again with a longer prefix; state numbers of what is left no longer matter.
        self.fits &= self.draft.trunk.len() < usize::from(u16::MAX);
        if !self.fits || rows.len() > UNCHECKED_ROWS && self.cancel.is_cancelled() {
            return any;
        }
        for column in elements(free_columns(self.geometry, self.board, row, prefix.columns, prefix.key)) {
            let next = prefix.with(self.geometry, self.board, row, column);
            let plane = self.draft.planes.of(row, column);
            if let [_, last] = rows {
                self.find_children(next, *last);
                any |= self.draft.leaves > 0;
                self.push_parents(state, plane);
            } else {
                let before = self.draft.trunk.len();
                self.draft.trunk.push([state, plane]);
                let below = self.descend(next, &rows[1..], (before + 1) as u16);
                if !below {
                    self.draft.trunk.truncate(before);
                }
                any |= below;
            }
        }
        any
    }

    /// The leaves in the last row.
    #[inline(always)]
    fn find_children(&mut self, prefix: Prefix, row: usize) {
        self.draft.leaves = 0;
        for column in elements(free_columns(self.geometry, self.board, row, prefix.columns, prefix.key)) {
            self.push_child(prefix.columns | 1 << column, self.draft.planes.of(row, column));
        }
    }

    #[inline(always)]
    fn push_child(&mut self, columns: Subset, plane: u16) {
        let row = self.row_of[columns as usize];
        let Draft { children, leaves, .. } = &mut *self.draft;
        children[*leaves] = [plane, row];
        *leaves += usize::from(row != NOT_COUNTED);
    }

    #[inline(always)]
    fn push_parents(&mut self, state: u16, plane: u16) {
        let Draft { children, leaves, parents, .. } = &mut *self.draft;
        let [one, two, three, four] = parents;
        // Lengths that are known need no call to copy.
        let (all, rest) = children[..*leaves].as_chunks::<MAX_CHILDREN>();
        for some in all {
            push(four, [state, plane], some);
        }
        match rest {
            [a] => push(one, [state, plane], &[*a]),
            [a, b] => push(two, [state, plane], &[*a, *b]),
            [a, b, c] => push(three, [state, plane], &[*a, *b, *c]),
            _ => {}
        }
    }
}

#[inline(always)]
fn push<const CHILDREN: usize>(parents: &mut Vec<[u16; 2]>, parent: [u16; 2], children: &[[u16; 2]; CHILDREN]) {
    parents.reserve(1 + CHILDREN);
    parents.push(parent);
    parents.extend_from_slice(children);
}
