//! Writes down what the walks of one color do for one set of even rows. That is done once and replayed on the packs of
//! many sets of odd rows, on which it does not depend.
//!
//! A walk's first queens, its *prefix*, are part of the packs. The states above the last two rows are the *trunk*. The
//! last two rows are written in one of two forms: `parents.rs`, `groups.rs`. Both sort what they write by length, so that
//! a replay's loops have fixed lengths and the processor has nothing to mispredict. Against a walk that looks for free
//! squares as it goes, most of the time was won by this (`../diary.md`).

use std::iter::once;
use std::ops::Range;

use super::form::{Encoded, Form, Leaf, Parent};
use super::groups::Groups;
use super::parents::Parents;
use super::planes::{NO_PLANE, Planes};
use super::rows::Rows;
use crate::solver::color::room::reserve;
use crate::solver::color::split::{BoardRow, Geometry, Queens, SubBoard, Subset, elements, extend};
use crate::{CancelToken, Result};

/// Rows below which writing does not ask whether it was cancelled.
const UNCHECKED_ROWS: usize = 4;

/// What a program is to be written for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Walks<'a> {
    pub(crate) geometry: Geometry,
    /// The sub-board that is walked.
    pub(crate) board: SubBoard,
    pub(crate) rows: &'a Rows,
    /// By the column set of a leaf: its row of the table, or [`NOT_COUNTED`](super::NOT_COUNTED).
    pub(crate) row_of: &'a [u16],
    /// No part of a walk is longer.
    pub(crate) longest: u16,
}

/// Programs being written, one after the other; its memory is kept by each thread.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    sheet: Sheet,
    parents: Parents,
    groups: Groups,
}

impl Draft {
    /// Adds a program by parents: see [`Sheet::add`].
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn add_by_parents(&mut self, walks: &Walks<'_>, cancel: &CancelToken) -> Result<Option<Range<usize>>> {
        self.sheet.add(&mut self.parents, walks, cancel)
    }

    /// Adds a program by groups: see [`Sheet::add`].
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn add_by_groups(&mut self, walks: &Walks<'_>, cancel: &CancelToken) -> Result<Option<Range<usize>>> {
        self.sheet.add(&mut self.groups, walks, cancel)
    }

    /// What was added: for each program its walks, then its headers.
    #[cfg(test)]
    pub(crate) fn memory(&self) -> &[u16] {
        &self.sheet.encoded.memory
    }

    /// What was added, to be kept: the draft is empty then.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn take(&mut self) -> Result<Vec<u16>> {
        let written = &mut self.sheet.encoded.memory;
        let mut memory = Vec::new();
        if written.len() < Self::HANDED_OVER {
            reserve(&mut memory, written.len())?;
            memory.append(written);
        } else {
            // Memory of this size can be cut to length where it is; the next draft takes other one.
            std::mem::swap(&mut memory, written);
            memory.shrink_to_fit();
        }
        Ok(memory)
    }

    /// Drops what was added.
    pub(crate) fn clear(&mut self) {
        self.sheet.encoded.memory.clear();
    }

    /// Programs from this number of numbers on (2 MiB) are handed over with the memory that they were written to. Smaller
    /// ones are copied, so that this memory is kept. At n = 28 each thread would keep 100 MiB otherwise.
    const HANDED_OVER: usize = 1 << 20;
}

/// What programs of both forms are written with.
#[derive(Debug, Default)]
struct Sheet {
    encoded: Encoded,
    planes: Planes,
    /// The trunk of the walk at hand.
    trunk: Vec<[u16; 2]>,
}

impl Sheet {
    /// Adds a program in some form; returns where its headers are. `None` where some part of a walk is longer than
    /// `walks.longest`. When cancelled, what it adds is to be dropped.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    fn add<F: Form>(&mut self, form: &mut F, walks: &Walks<'_>, cancel: &CancelToken) -> Result<Option<Range<usize>>> {
        let Walks { geometry, board, rows, .. } = *walks;
        let before = self.encoded.memory.len();
        self.encoded.headers.clear();
        let [above, rest] = [&rows.prefix, &rows.rest].map(|rows| BoardRow::all(geometry, board, rows));
        let apart = apart(&rest);
        let mut writer = Writer { walks, rest: &rest, apart, sheet: self, form, fits: Ok(true), cancel };
        extend(&above, Queens::NONE, cancel, &mut |prefix| {
            if writer.fits == Ok(true) && !cancel.is_cancelled() {
                writer.sheet.planes.renumber(geometry, board, prefix, &rows.open);
                writer.write(prefix);
            }
        });
        let fits = writer.fits?;
        let Encoded { memory, headers } = &mut self.encoded;
        if !fits {
            memory.truncate(before);
            return Ok(None);
        }
        let at = memory.len()..memory.len() + headers.len();
        reserve(memory, at.len())?;
        memory.extend_from_slice(headers);
        Ok(Some(at))
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

/// Writes the walk for one prefix after the other.
struct Writer<'a, F> {
    walks: &'a Walks<'a>,
    /// The rows below the prefix.
    rest: &'a [BoardRow],
    /// See [`apart`].
    apart: [Subset; 16],
    sheet: &'a mut Sheet,
    form: &'a mut F,
    /// Whether no part so far is too long.
    fits: Result<bool>,
    cancel: &'a CancelToken,
}

/// Stands for the parent where no row is left for one: the pack's own state.
const NO_PARENT: Parent = Parent { state: 0, column: 0, plane: NO_PLANE };

impl<F: Form> Writer<'_, F> {
    fn write(&mut self, prefix: Queens) {
        self.sheet.trunk.clear();
        self.form.clear();
        match self.rest {
            // The whole walk is in the prefix: the pack itself is the only leaf.
            [] => {
                let row = self.walks.row_of[prefix.columns as usize];
                self.form.take(NO_PARENT, once(Leaf { column: 0, plane: NO_PLANE, row }));
            }
            [last] => {
                self.take(NO_PARENT, prefix.columns, last.free(prefix), last);
            }
            rest => {
                self.descend(prefix, rest, 0);
            }
        }
        if self.fits == Ok(true) {
            let Sheet { encoded, trunk, .. } = &mut *self.sheet;
            self.fits = self.form.encode(trunk, self.walks.longest, encoded);
        }
    }

    /// Walks the rows below state number `state`, two at least; returns whether there was a leaf.
    fn descend(&mut self, queens: Queens, rows: &[BoardRow], state: u16) -> bool {
        // A walk this large is written again with a longer prefix; state numbers of what is left no longer matter.
        if self.sheet.trunk.len() >= usize::from(self.walks.longest) {
            self.fits = Ok(false);
        }
        if self.fits != Ok(true) || rows.len() > UNCHECKED_ROWS && self.cancel.is_cancelled() {
            return false;
        }
        if let [row, last] = rows {
            return self.finish(queens, [row, last], state);
        }
        let mut any = false;
        for column in elements(rows[0].free(queens)) {
            let before = self.sheet.trunk.len();
            self.sheet.trunk.push([state, self.sheet.planes.of(rows[0].number, column)]);
            let below = self.descend(rows[0].place(queens, column), &rows[1..], (before + 1) as u16);
            if !below {
                self.sheet.trunk.truncate(before);
            }
            any |= below;
        }
        any
    }

    /// Walks the last two rows, below state number `state`; returns whether there was a leaf.
    #[inline(always)]
    fn finish(&mut self, queens: Queens, [row, last]: [&BoardRow; 2], state: u16) -> bool {
        let mut any = false;
        let free_in_last = last.free(queens);
        for column in elements(row.free(queens)) {
            let parent = Parent { state, column, plane: self.sheet.planes.of(row.number, column) };
            let free = free_in_last & self.apart[column & 15];
            any |= self.take(parent, queens.columns | 1 << column, free, last);
        }
        any
    }

    /// Adds the leaves in `free` columns of the last row, below a parent with queens in `columns`; returns whether there
    /// was one.
    #[inline(always)]
    fn take(&mut self, parent: Parent, columns: Subset, free: Subset, last: &BoardRow) -> bool {
        let (planes, row_of) = (&self.sheet.planes, self.walks.row_of);
        let leaf = |column| Leaf {
            column,
            plane: planes.of(last.number, column),
            row: row_of[(columns | 1 << column) as usize],
        };
        self.form.take(parent, elements(free).map(leaf))
    }
}
