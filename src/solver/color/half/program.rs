//! Writes down what the walks of one color do for one set of even rows. That is done once and replayed on the packs of
//! many sets of odd rows, on which it does not depend.
//!
//! A walk's first queens, its *prefix*, are part of the packs. Of the remaining rows, the last two are walked as
//! *parents* with their *children*, the leaves, four at most together; what is above them is the *trunk*. A replay
//! computes the trunk's words into memory and then, parent by parent in registers, the leaves. Parents are sorted by
//! their number of children, so that loops have fixed lengths and the processor has nothing to mispredict: against a
//! walk that looks for free squares as it goes, this is where most of the time was won (`../diary.md`).

use std::ops::Range;

use super::format::{MAX_CHILDREN, NOT_COUNTED, Written};
use super::groups::WrittenGroups;
use super::planes::{NO_PLANE, Planes};
use super::rows::Rows;
use crate::solver::color::room::reserve;
use crate::solver::color::split::{BoardRow, Geometry, Queens, SubBoard, Subset, elements, extend};
use crate::{CancelToken, Result};

/// Rows below which writing does not ask whether it was cancelled.
const UNCHECKED_ROWS: usize = 4;

/// How what is below the trunk is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Parents with their children: a [`Program`](super::Program).
    Parents,
    /// Leaves grouped by the table row they meet: a [`GroupedProgram`](super::GroupedProgram).
    Groups,
}

/// What programs are to be like.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Format {
    pub(crate) form: Form,
    /// No part of a walk is longer.
    pub(crate) longest: u16,
}

/// Programs being written, one after the other; its memory is kept by each thread.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    memory: Vec<u16>,
    /// The headers of the program at hand.
    headers: Vec<u16>,
    planes: Planes,
    /// The trunk of the walk at hand, and what is below it.
    trunk: Vec<[u16; 2]>,
    parents: Written,
    groups: WrittenGroups,
    /// The leaves of the parent at hand, at most one for each column: plane and table row.
    children: [[u16; 2]; 16],
    leaves: usize,
}

impl Draft {
    /// What was added: for each program its walks, then its headers.
    #[cfg(test)]
    pub(crate) fn memory(&self) -> &[u16] {
        &self.memory
    }

    /// The same, to be kept: the draft is empty then.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn take(&mut self) -> Result<Vec<u16>> {
        let mut memory = Vec::new();
        if self.memory.len() < Self::HANDED_OVER {
            reserve(&mut memory, self.memory.len())?;
            memory.append(&mut self.memory);
        } else {
            // Memory of this size can be cut to length where it is; the next draft takes other one.
            std::mem::swap(&mut memory, &mut self.memory);
            memory.shrink_to_fit();
        }
        Ok(memory)
    }

    /// Drops what was added.
    pub(crate) fn clear(&mut self) {
        self.memory.clear();
    }

    /// Programs of so many numbers (2 MiB) are handed over with the memory that they were written to; smaller ones are
    /// copied, so that this is kept. At n = 28 each thread would keep 100 MiB otherwise.
    const HANDED_OVER: usize = 1 << 20;

    /// Adds the program for the walks over `rows`, in this format, and says where its headers are; `row_of` has a leaf's
    /// row of the table at its column set, [`NOT_COUNTED`] where it is not counted. `None` where some part of a walk is
    /// longer than the format's longest; when cancelled, what it adds is to be dropped.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn add(
        &mut self,
        geometry: Geometry,
        board: SubBoard,
        rows: &Rows,
        row_of: &[u16],
        format: Format,
        cancel: &CancelToken,
    ) -> Result<Option<Range<usize>>> {
        let before = self.memory.len();
        self.headers.clear();
        let [above, rest] = [&rows.prefix, &rows.rest].map(|rows| BoardRow::all(geometry, board, rows));
        let apart = apart(&rest);
        let mut writer = Writer { rest: &rest, apart, row_of, format, draft: self, fits: Ok(true), cancel };
        extend(&above, Queens::NONE, cancel, &mut |prefix| {
            if writer.fits == Ok(true) && !cancel.is_cancelled() {
                writer.draft.planes.renumber(geometry, board, prefix, &rows.open);
                writer.write(prefix);
            }
        });
        if !writer.fits? {
            self.memory.truncate(before);
            return Ok(None);
        }
        let headers = self.memory.len()..self.memory.len() + self.headers.len();
        reserve(&mut self.memory, headers.len())?;
        self.memory.extend_from_slice(&self.headers);
        Ok(Some(headers))
    }
}

/// For each column of the last row but one, the columns of the last row that a queen there does not attack.
fn apart(rows: &[BoardRow]) -> [Subset; 16] {
    let mut apart = [0; 16];
    if let [.., row, last] = rows {
        for column in elements(row.free(Queens::NONE)) {
            apart[column] = last.free(row.place(Queens::NONE, column));
        }
    }
    apart
}

struct Writer<'a> {
    rest: &'a [BoardRow],
    /// See [`apart`].
    apart: [Subset; 16],
    row_of: &'a [u16],
    format: Format,
    draft: &'a mut Draft,
    /// Whether no part so far is too long.
    fits: Result<bool>,
    cancel: &'a CancelToken,
}

impl Writer<'_> {
    fn write(&mut self, prefix: Queens) {
        self.draft.trunk.clear();
        match self.format.form {
            Form::Parents => self.draft.parents.clear(),
            Form::Groups => self.draft.groups.clear(),
        }
        match (self.rest, self.format.form) {
            // The whole walk is in the prefix: the pack itself is the only leaf.
            ([], Form::Parents) => {
                self.draft.leaves = 0;
                self.push_child(prefix.columns, NO_PLANE);
                self.push_parents(0, NO_PLANE);
            }
            ([], Form::Groups) => {
                self.push_leaf(prefix.columns, 0, [0, 0], [NO_PLANE, NO_PLANE]);
            }
            // One row is left and none for parents: the pack's own state stands in for the only one.
            ([last], Form::Parents) => {
                self.find_children(prefix.columns, last.free(prefix), last.number);
                self.push_parents(0, NO_PLANE);
            }
            ([last], Form::Groups) => {
                self.push_leaves(prefix.columns, last.free(prefix), last.number, 0, [0, NO_PLANE]);
            }
            (rest, _) => {
                self.descend(prefix, rest, 0);
            }
        }
        if self.fits == Ok(true) {
            let Draft { trunk, parents, groups, memory, headers, .. } = &mut *self.draft;
            self.fits = match self.format.form {
                Form::Parents => parents.encode(trunk, self.format.longest, memory, headers),
                Form::Groups => groups.encode(trunk, self.format.longest, memory, headers),
            };
        }
    }

    /// Walks the rows below state number `state`, two at least; says whether there was a leaf.
    fn descend(&mut self, queens: Queens, rows: &[BoardRow], state: u16) -> bool {
        // A walk this large is written again with a longer prefix; state numbers of what is left no longer matter.
        if self.draft.trunk.len() >= usize::from(self.format.longest) {
            self.fits = Ok(false);
        }
        if self.fits != Ok(true) || rows.len() > UNCHECKED_ROWS && self.cancel.is_cancelled() {
            return false;
        }
        if let [row, last] = rows {
            return self.finish(queens, row, last, state);
        }
        let mut any = false;
        for column in elements(rows[0].free(queens)) {
            let before = self.draft.trunk.len();
            self.draft.trunk.push([state, self.draft.planes.of(rows[0].number, column)]);
            let below = self.descend(rows[0].place(queens, column), &rows[1..], (before + 1) as u16);
            if !below {
                self.draft.trunk.truncate(before);
            }
            any |= below;
        }
        any
    }

    /// Walks the last two rows, below state number `state`; says whether there was a leaf.
    #[inline(always)]
    fn finish(&mut self, queens: Queens, row: &BoardRow, last: &BoardRow, state: u16) -> bool {
        let mut any = false;
        let free_in_last = last.free(queens);
        for column in elements(row.free(queens)) {
            let columns = queens.columns | 1 << column;
            let free = free_in_last & self.apart[column & 15];
            let plane = self.draft.planes.of(row.number, column);
            any |= match self.format.form {
                Form::Parents => {
                    self.find_children(columns, free, last.number);
                    self.push_parents(state, plane);
                    self.draft.leaves > 0
                }
                Form::Groups => self.push_leaves(columns, free, last.number, state, [column as u16, plane]),
            };
        }
        any
    }

    /// Adds the leaves in these free columns of the last row, below queens in `columns`; the one in the row before has
    /// this column and this plane. Says whether there was one.
    #[inline(always)]
    fn push_leaves(&mut self, columns: Subset, free: Subset, last: usize, state: u16, parent: [u16; 2]) -> bool {
        let mut any = false;
        let [above, plane] = parent;
        for column in elements(free) {
            let planes = [plane, self.draft.planes.of(last, column)];
            any |= self.push_leaf(columns | 1 << column, state, [usize::from(above), column], planes);
        }
        any
    }

    /// Adds a leaf with all these columns, if they are counted; says whether they are.
    #[inline(always)]
    fn push_leaf(&mut self, columns: Subset, state: u16, last: [usize; 2], planes: [u16; 2]) -> bool {
        let row = self.row_of[columns as usize];
        if row != NOT_COUNTED {
            let ending = self.draft.groups.ending(last, planes);
            self.draft.groups.push(row, state, ending);
        }
        row != NOT_COUNTED
    }

    /// The leaves in these free columns of the last row, below queens in `columns`.
    #[inline(always)]
    fn find_children(&mut self, columns: Subset, free: Subset, last: usize) {
        self.draft.leaves = 0;
        for column in elements(free) {
            self.push_child(columns | 1 << column, self.draft.planes.of(last, column));
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
        let parent = [state, plane];
        let (all, rest) = children[..*leaves].as_chunks::<MAX_CHILDREN>();
        for &[a, b, c, d] in all {
            parents.push([parent, a, b, c, d]);
        }
        match *rest {
            [a] => parents.push([parent, a]),
            [a, b] => parents.push([parent, a, b]),
            [a, b, c] => parents.push([parent, a, b, c]),
            _ => {}
        }
    }
}
