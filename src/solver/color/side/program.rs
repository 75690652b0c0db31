//! Writes programs: the walks of one color over one set E of even rows.
//!
//! A walk does not depend on the odd rows O. So it is written once, and replayed on the packs of many O. A replay does
//! not search for free squares. That is the largest gain of the design (`../diary.md`).
//!
//! The *prefix* of a walk is not in the program: its queens are placed when keys are packed. The states above the last
//! two rows are the *trunk*. The last two rows have one of two forms (`parents.rs`, `groups.rs`). Both sort entries by
//! length, so loops have fixed lengths and their branches are predicted.

use std::iter::once;
use std::ops::Range;

use super::form::{Encoded, Form, Leaf, Parent};
use super::groups::Groups;
use super::parents::Parents;
use super::planes::{NO_PLANE, Planes};
use super::rows::Rows;
use crate::room::{push, reserve};
use crate::solver::color::split::{BoardRow, Geometry, Queens, SubBoard, Subset, elements, extend};
use crate::{CancelToken, Result};

/// With this many rows left or fewer, writing does not check for cancellation.
const UNCHECKED_ROWS: usize = 4;

/// The walks that a program is written for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Walks<'a> {
    pub(crate) geometry: Geometry,
    /// The sub-board of the walks.
    pub(crate) board: SubBoard,
    pub(crate) rows: &'a Rows,
    /// By column set of a leaf: its table row, or [`NOT_COUNTED`](super::NOT_COUNTED).
    pub(crate) row_of: &'a [u16],
    /// The most elements of a part of a walk.
    pub(crate) longest: u16,
}

/// Programs while they are written, one after the other. Each thread uses its draft again.
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

    /// The programs so far: for each one its walks, then its headers.
    #[cfg(test)]
    pub(crate) fn memory(&self) -> &[u16] {
        &self.sheet.encoded.memory
    }

    /// Returns the programs, and empties the draft.
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
            // The system shrinks memory of this size in place, and never refuses. The next draft allocates its own.
            std::mem::swap(&mut memory, written);
            memory.shrink_to_fit();
        }
        Ok(memory)
    }

    /// Drops all programs.
    pub(crate) fn clear(&mut self) {
        self.sheet.encoded.memory.clear();
    }

    /// Length from which [`take`](Self::take) gives the draft's memory away (2 MiB). Shorter programs are copied, and
    /// the draft keeps its memory. Without this limit each thread would keep 100 MiB at n = 28.
    const HANDED_OVER: usize = 1 << 20;
}

/// The memory of a draft that both forms use.
#[derive(Debug, Default)]
struct Sheet {
    encoded: Encoded,
    planes: Planes,
    /// The trunk of the walk that is written.
    trunk: Vec<[u16; 2]>,
}

impl Sheet {
    /// Adds a program in the form `F`. Returns where its headers are, or `None` if it does not fit: see
    /// [`Form::encode`]. When cancelled, the program is incomplete.
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

/// For each column of the last row but one: the columns of the last row that a queen there does not attack.
fn apart(rows: &[BoardRow]) -> [Subset; 16] {
    let mut apart = [0; 16];
    if let [.., row, last] = rows {
        for column in elements(row.free(Queens::NONE)) {
            apart[column] = last.free(row.place(Queens::NONE, column));
        }
    }
    apart
}

/// Writes the walks, prefix by prefix.
struct Writer<'a, F> {
    walks: &'a Walks<'a>,
    /// The rows below the prefix.
    rest: &'a [BoardRow],
    /// The result of [`apart()`].
    apart: [Subset; 16],
    sheet: &'a mut Sheet,
    form: &'a mut F,
    /// Whether all walks so far fit.
    fits: Result<bool>,
    cancel: &'a CancelToken,
}

/// The parent of a leaf if the walk has no row for a parent: the pack's own state.
const NO_PARENT: Parent = Parent { state: 0, column: 0, plane: NO_PLANE };

impl<F: Form> Writer<'_, F> {
    fn write(&mut self, prefix: Queens) {
        self.sheet.trunk.clear();
        if let Err(error) = self.form.clear().and_then(|()| self.form.make_room()) {
            self.fits = Err(error);
            return;
        }
        match self.rest {
            // The prefix is the whole walk, so the pack itself is the only leaf.
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

    /// Walks `rows`, two or more, below state number `state`. Returns whether there is a leaf.
    fn descend(&mut self, queens: Queens, rows: &[BoardRow], state: u16) -> bool {
        // The caller writes such a walk again with a longer prefix.
        if self.sheet.trunk.len() >= usize::from(self.walks.longest) {
            self.fits = Ok(false);
        }
        if self.fits != Ok(true) || rows.len() > UNCHECKED_ROWS && self.cancel.is_cancelled() {
            return false;
        }
        if let [row, last] = rows {
            if let Err(error) = self.form.make_room() {
                self.fits = Err(error);
                return false;
            }
            return self.finish(queens, [row, last], state);
        }
        let mut any = false;
        for column in elements(rows[0].free(queens)) {
            let before = self.sheet.trunk.len();
            let below = [state, self.sheet.planes.of(rows[0].number, column)];
            if let Err(error) = push(&mut self.sheet.trunk, below) {
                self.fits = Err(error);
                return false;
            }
            let below = self.descend(rows[0].place(queens, column), &rows[1..], (before + 1) as u16);
            if !below {
                self.sheet.trunk.truncate(before);
            }
            any |= below;
        }
        any
    }

    /// Walks the last two rows below state number `state`. Returns whether there is a leaf.
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

    /// Adds a leaf for each column of `free` in the last row. `columns` has the columns of the queens above. Returns
    /// whether there is a leaf that is counted.
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
