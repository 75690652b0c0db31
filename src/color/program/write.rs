//! Writes programs: searches the walks of one side and one E, and groups their leaves by table row.

use std::ops::Range;

use super::groups::Groups;
use super::{HEADER, MAX_GROUP, group_length};
use crate::color::pack::{NO_PLANE, Planes};
use crate::color::plan::Rows;
use crate::color::split::{BoardRow, Geometry, Queens, SubBoard, Subset, elements, extend};
use crate::memory::{make_room, push, reserve};
use crate::{CancelToken, Error, Result};

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
    /// The most states and endings of a walk, and the most groups with equally many leaves.
    pub(crate) longest: u16,
}

/// Programs while they are written, one after the other. Each thread uses its draft again.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    /// The programs so far: for each one its walks, then its headers.
    memory: Vec<u16>,
    /// The headers of the program that is written.
    headers: Vec<u16>,
    planes: Planes,
    /// The trunk of the walk that is written.
    trunk: Vec<[u16; 2]>,
    groups: Groups,
}

impl Draft {
    /// Length from which [`take`](Self::take) gives the draft's memory away (2 MiB). Shorter programs are copied, and
    /// the draft keeps its memory. Without this limit each thread would keep 100 MiB at n = 28.
    const HANDED_OVER: usize = 1 << 20;

    /// Adds a program. Returns where its headers are, or `None` if a part of a walk is longer than
    /// [`Walks::longest`], or begins beyond 32 bits.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory), [`Error::Cancelled`](crate::Error::Cancelled).
    pub(crate) fn add(&mut self, walks: &Walks<'_>, cancel: &CancelToken) -> Result<Option<Range<usize>>> {
        let Walks { geometry, board, rows, .. } = *walks;
        let before = self.memory.len();
        self.headers.clear();
        let [above, rest] = [&rows.prefix, &rows.rest].map(|rows| BoardRow::all(geometry, board, rows));
        let mut writer = Writer { walks, rest: &rest, apart: apart(&rest), draft: self, fits: true, cancel };
        extend(&above, Queens::NONE, cancel, &mut |prefix| {
            if writer.fits {
                writer.draft.planes.renumber(geometry, board, prefix, &rows.open);
                writer.write(prefix)?;
            }
            Ok::<_, Error>(())
        })?;
        if !writer.fits {
            self.memory.truncate(before);
            return Ok(None);
        }
        let at = self.memory.len()..self.memory.len() + self.headers.len();
        reserve(&mut self.memory, at.len())?;
        self.memory.extend_from_slice(&self.headers);
        Ok(Some(at))
    }

    #[cfg(test)]
    pub(crate) fn memory(&self) -> &[u16] {
        &self.memory
    }

    /// Returns the programs, and empties the draft.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn take(&mut self) -> Result<Vec<u16>> {
        let mut memory = Vec::new();
        if self.memory.len() < Self::HANDED_OVER {
            reserve(&mut memory, self.memory.len())?;
            memory.append(&mut self.memory);
        } else {
            // The system shrinks memory of this size in place, and never refuses. The next draft allocates its own.
            std::mem::swap(&mut memory, &mut self.memory);
            memory.shrink_to_fit();
        }
        Ok(memory)
    }

    /// Drops all programs.
    pub(crate) fn clear(&mut self) {
        self.memory.clear();
    }

    /// Adds the header, the trunk and the endings of the walk at hand, and reserves memory for its groups. `groups` has the
    /// number of groups with one leaf, with two, and so on. Returns false, and adds nothing, if the walk does not fit.
    fn begin(&mut self, groups: [usize; MAX_GROUP], longest: u16) -> Result<bool> {
        let states = self.trunk.len() + self.groups.endings.len();
        let largest = groups.into_iter().fold(states, usize::max);
        let (Ok(start), true) = (u32::try_from(self.memory.len()), largest <= usize::from(longest)) else {
            return Ok(false);
        };
        make_room(&mut self.headers, HEADER)?;
        let [trunk, endings] = [self.trunk.len() as u16, self.groups.endings.len() as u16];
        self.headers.extend([start as u16, (start >> 16) as u16, trunk, endings]);
        self.headers.extend(groups.map(|groups| groups as u16));
        let of_groups = groups.into_iter().zip(1..).map(|(groups, leaves)| groups * group_length(leaves));
        let length = 2 * states + of_groups.sum::<usize>();
        if self.memory.capacity() - self.memory.len() < length {
            // Memory grows by a quarter. So little of it stays unused, and programs are seldom moved.
            let more = length.max(self.memory.len() / 4);
            reserve(&mut self.memory, more)?;
        }
        self.memory.extend_from_slice(self.trunk.as_flattened());
        self.memory.extend_from_slice(self.groups.endings.as_flattened());
        Ok(true)
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
struct Writer<'a> {
    walks: &'a Walks<'a>,
    /// The rows below the prefix.
    rest: &'a [BoardRow],
    /// The result of [`apart()`].
    apart: [Subset; 16],
    draft: &'a mut Draft,
    /// Whether all walks so far fit.
    fits: bool,
    cancel: &'a CancelToken,
}

impl Writer<'_> {
    fn write(&mut self, prefix: Queens) -> Result<()> {
        let Draft { trunk, groups, .. } = &mut *self.draft;
        trunk.clear();
        groups.clear(self.walks.row_of.len())?;
        match self.rest {
            // The prefix is the whole walk, so the pack itself is the only leaf.
            [] => {
                groups.take(0, 0, self.walks.row_of[prefix.columns as usize]);
            }
            [last] => {
                self.take(prefix.columns, 0, last.free(prefix), 0);
            }
            rest => {
                self.descend(prefix, rest, 0)?;
            }
        }
        if self.fits {
            self.encode()?;
        }
        Ok(())
    }

    /// Walks `rows`, two or more, below state number `state`. Returns whether there is a leaf.
    fn descend(&mut self, queens: Queens, rows: &[BoardRow], state: u16) -> Result<bool> {
        // The caller writes such a walk again with a longer prefix.
        self.fits &= self.draft.trunk.len() < usize::from(self.walks.longest);
        if !self.fits {
            return Ok(false);
        }
        if rows.len() > UNCHECKED_ROWS {
            self.cancel.check()?;
        }
        if let [row, last] = rows {
            self.draft.groups.make_room()?;
            return Ok(self.finish(queens, [row, last], state));
        }
        let mut any = false;
        for column in elements(rows[0].free(queens)) {
            let before = self.draft.trunk.len();
            let below = [state, self.draft.planes.of(rows[0].number, column)];
            push(&mut self.draft.trunk, below)?;
            if self.descend(rows[0].place(queens, column), &rows[1..], (before + 1) as u16)? {
                any = true;
            } else {
                self.draft.trunk.truncate(before);
            }
        }
        Ok(any)
    }

    /// Walks the last two rows below state number `state`. Returns whether there is a leaf.
    #[inline(always)]
    fn finish(&mut self, queens: Queens, [row, last]: [&BoardRow; 2], state: u16) -> bool {
        let before = self.draft.groups.taken;
        let free_in_last = last.free(queens);
        for column in elements(row.free(queens)) {
            let free = free_in_last & self.apart[column & 15];
            self.take(queens.columns | 1 << column, column, free, state);
        }
        self.draft.groups.taken > before
    }

    /// Adds a leaf for each column of `free` in the last row. `columns` has the columns of the queens above, and
    /// `above` is the column in the last row but one.
    #[inline(always)]
    fn take(&mut self, columns: Subset, above: usize, free: Subset, state: u16) {
        for column in elements(free) {
            let row = self.walks.row_of[(columns | 1 << column) as usize];
            self.draft.groups.take(state, 16 * above + column, row);
        }
    }

    /// Adds the walk that was searched to the draft, if it fits.
    fn encode(&mut self) -> Result<()> {
        let Draft { planes, groups, trunk, .. } = &mut *self.draft;
        let plane = |row: Option<&BoardRow>, column| row.map_or(NO_PLANE, |row| planes.of(row.number, column));
        let (above, last) = match self.rest {
            [.., above, last] => (Some(above), Some(last)),
            rest => (None, rest.last()),
        };
        groups.number(1 + trunk.len(), |at| [plane(above, at / 16), plane(last, at % 16)])?;
        let counts = groups.count();
        self.fits = self.draft.begin(counts, self.walks.longest)?;
        if self.fits {
            self.draft.groups.place(counts, &mut self.draft.memory);
        }
        Ok(())
    }
}
