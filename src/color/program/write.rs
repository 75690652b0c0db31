//! Writes programs: searches the subtrees of one color for one E, and groups their leaves by table row.

use std::ops::Range;

use super::groups::Groups;
use super::{HEADER, MAX_GROUP, group_length};
use crate::color::pack::{NO_PLANE, PlaneNumbers};
use crate::color::plan::WalkRows;
use crate::color::split::{BoardRow, Queens, SIDE, Subset, UNCHECKED_SUB_BOARD_ROWS, elements, extend, pair};
use crate::memory::{make_room, push, reserve};
use crate::{CancelToken, Error, Result};

/// Returns `number` as programs store it. It numbers or counts the states, endings or groups of a subtree.
///
/// # Errors
/// [`Error::Bug`] if the number does not fit in 16 bits. No known subtree comes close (`../proof.md`).
pub(super) fn in_16_bits(number: usize) -> Result<u16> {
    let problem = || "a subtree of a program has more parts than 16 bits can number".to_owned();
    u16::try_from(number).map_err(|_| Error::Bug { unit: None, problem: problem() })
}

/// Programs that are being written, one after the other. Each thread reuses its draft.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    /// The programs so far: the subtrees of each program, followed by its starts.
    memory: Vec<u16>,
    /// The starts of the program that is being written.
    starts: Vec<u16>,
    subtree: SubtreeDraft,
}

/// The subtree that is being written: it is searched as a whole, and then encoded.
#[derive(Debug, Default)]
struct SubtreeDraft {
    plane_numbers: PlaneNumbers,
    trunk: Vec<[u16; 2]>,
    groups: Groups,
}

impl Draft {
    /// Length, in numbers, from which [`finish`](Self::finish) hands over the draft's memory (2 MiB). Shorter programs
    /// are copied, and the draft keeps its memory. Without this limit, each thread would keep 100 MiB at n = 28.
    const HANDED_OVER: usize = 1 << 20;

    /// Adds a program of the walks on `rows`, and returns where its starts are. `table_row_of` holds the table row of
    /// each column set that walks end on, or [`NOT_COUNTED`](super::NOT_COUNTED).
    ///
    /// # Errors
    /// [`Error::Memory`], [`Error::Cancelled`]; [`Error::Bug`] if a subtree has more parts than 16 bits can number, or
    /// the draft has more than 8 GiB.
    pub(crate) fn add(
        &mut self,
        rows: WalkRows<'_>,
        table_row_of: &[u16],
        cancel: &CancelToken,
    ) -> Result<Range<usize>> {
        self.starts.clear();
        let [above, rest] = [rows.prefix, rows.rest].map(|some| Vec::from_iter(rows.of(some)));
        let apart = apart(&rest);
        extend(&above, Queens::NONE, cancel, &mut |prefix| {
            self.subtree.plane_numbers.renumber(prefix, rows);
            Search { table_row_of, apart: &apart, subtree: &mut self.subtree, cancel }.search(prefix, &rest)?;
            self.encode(&rest)
        })?;
        let at = self.memory.len()..self.memory.len() + self.starts.len();
        reserve(&mut self.memory, at.len())?;
        self.memory.extend_from_slice(&self.starts);
        Ok(at)
    }

    /// Returns the programs and empties the draft.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(crate) fn finish(&mut self) -> Result<Vec<u16>> {
        let mut memory = Vec::new();
        if self.memory.len() < Self::HANDED_OVER {
            reserve(&mut memory, self.memory.len())?;
            memory.append(&mut self.memory);
        } else {
            // Allocators usually shrink memory of this size in place. If one copies it instead and is refused memory,
            // the process aborts. The next draft allocates memory of its own.
            std::mem::swap(&mut memory, &mut self.memory);
            memory.shrink_to_fit();
        }
        Ok(memory)
    }

    /// Drops all programs.
    pub(crate) fn clear(&mut self) {
        self.memory.clear();
    }

    /// Adds the searched subtree to the programs. `rows` are its rows.
    fn encode(&mut self, rows: &[BoardRow]) -> Result<()> {
        let SubtreeDraft { plane_numbers, trunk, groups } = &mut self.subtree;
        let plane = |row: Option<&BoardRow>, column| row.map_or(NO_PLANE, |row| plane_numbers.of(row.number, column));
        let (above, last) = match rows {
            [.., above, last] => (Some(above), Some(last)),
            rows => (None, rows.last()),
        };
        groups.count_leaves(1 + trunk.len(), |at| [plane(above, at / SIDE), plane(last, at % SIDE)])?;
        let counts = groups.count_groups();
        self.begin_subtree(counts)?;
        self.subtree.groups.write(counts, &mut self.memory);
        Ok(())
    }

    /// Adds the header, the trunk and the endings of the searched subtree, and reserves memory for its groups. `groups`
    /// holds the number of groups with one leaf, with two, and so on.
    fn begin_subtree(&mut self, groups: [usize; MAX_GROUP]) -> Result<()> {
        let SubtreeDraft { trunk, groups: Groups { endings, .. }, .. } = &self.subtree;
        let states = trunk.len() + endings.len();
        // The search and `count_leaves` have checked the number of the last state and of the last ending.
        let mut header = [0; HEADER];
        for (to, number) in header.iter_mut().zip([trunk.len(), endings.len()].into_iter().chain(groups)) {
            *to = in_16_bits(number)?;
        }
        let at = self.memory.len();
        let problem = || "a program has more numbers than 32 bits can count".to_owned();
        let start = u32::try_from(at).map_err(|_| Error::Bug { unit: None, problem: problem() })?;
        make_room(&mut self.starts, 2)?;
        self.starts.extend([start as u16, (start >> 16) as u16]);
        let of_groups = groups.into_iter().zip(1..).map(|(groups, leaves)| groups * group_length(leaves));
        let length = HEADER + 2 * states + of_groups.sum::<usize>();
        if self.memory.capacity() - at < length {
            // Memory grows by at least a quarter, so that programs are seldom moved, and only a little of it stays
            // unused.
            reserve(&mut self.memory, length.max(at / 4))?;
        }
        self.memory.extend(header);
        self.memory.extend_from_slice(trunk.as_flattened());
        self.memory.extend_from_slice(endings.as_flattened());
        Ok(())
    }
}

/// Returns, for each column of the last row but one, the columns of the last row that a queen there does not attack.
fn apart(rows: &[BoardRow]) -> [Subset; SIDE] {
    let mut apart = [0; SIDE];
    if let [.., row, last] = rows {
        for column in elements(row.free(Queens::NONE)) {
            apart[column] = last.free(row.place(Queens::NONE, column));
        }
    }
    apart
}

/// Searches the subtree of a prefix.
struct Search<'a> {
    table_row_of: &'a [u16],
    /// The result of [`apart()`].
    apart: &'a [Subset; SIDE],
    subtree: &'a mut SubtreeDraft,
    cancel: &'a CancelToken,
}

impl Search<'_> {
    /// Searches the subtree of `prefix`, whose other rows are `rows`.
    fn search(&mut self, prefix: Queens, rows: &[BoardRow]) -> Result<()> {
        let SubtreeDraft { trunk, groups, .. } = &mut *self.subtree;
        trunk.clear();
        groups.clear(self.table_row_of.len())?;
        match rows {
            // The prefix is the whole walk, so the pack itself is the only leaf.
            [] => {
                groups.add(0, 0, self.table_row_of[prefix.columns as usize]);
            }
            [last] => {
                self.add_leaves(prefix.columns, 0, last.free(prefix), 0);
            }
            rows => {
                self.descend(prefix, rows, 0)?;
            }
        }
        Ok(())
    }

    /// Walks `rows`, of which there are at least two, below state number `state`. Returns whether there is a leaf.
    fn descend(&mut self, queens: Queens, rows: &[BoardRow], state: u16) -> Result<bool> {
        if rows.len() > UNCHECKED_SUB_BOARD_ROWS {
            self.cancel.check()?;
        }
        if let [row, last] = rows {
            self.subtree.groups.make_room()?;
            return Ok(self.walk_last_two(queens, [row, last], state));
        }
        let mut any = false;
        for column in elements(rows[0].free(queens)) {
            let before = self.subtree.trunk.len();
            let below = [state, self.subtree.plane_numbers.of(rows[0].number, column)];
            push(&mut self.subtree.trunk, below)?;
            if self.descend(rows[0].place(queens, column), &rows[1..], in_16_bits(before + 1)?)? {
                any = true;
            } else {
                self.subtree.trunk.truncate(before);
            }
        }
        Ok(any)
    }

    /// Walks the last two rows below state number `state`. Returns whether there is a leaf.
    #[inline(always)]
    fn walk_last_two(&mut self, queens: Queens, [row, last]: [&BoardRow; 2], state: u16) -> bool {
        let before = self.subtree.groups.length;
        let free_in_last = last.free(queens);
        for column in elements(row.free(queens)) {
            // `% SIDE` replaces a bounds check: columns are below it anyway.
            let free = free_in_last & self.apart[column % SIDE];
            self.add_leaves(queens.columns | 1 << column, column, free, state);
        }
        self.subtree.groups.length > before
    }

    /// Adds a leaf for each column of `free` in the last row. `columns` are the columns of the queens above, and
    /// `above` is the column of the last of them.
    #[inline(always)]
    fn add_leaves(&mut self, columns: Subset, above: usize, free: Subset, state: u16) {
        for column in elements(free) {
            let table_row = self.table_row_of[(columns | 1 << column) as usize];
            self.subtree.groups.add(state, pair(above, column), table_row);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If the vector grew by itself, a refused request would end the process.
    #[test]
    fn the_memory_of_a_subtree_is_reserved_as_a_whole() {
        let mut draft = Draft::default();
        draft.subtree.trunk = vec![[0, 3]; 100];
        draft.subtree.groups.endings = vec![[4, 5]; 50];
        assert_eq!(draft.begin_subtree([2, 0, 1, 0, 0, 0, 0]), Ok(()));
        let groups = 2 * group_length(1) + group_length(3);
        assert_eq!(draft.memory.capacity() - draft.memory.len(), groups);
    }

    /// A panic would end a process that is built with `panic = "abort"`.
    #[test]
    fn a_part_that_16_bits_cannot_number_is_an_error() {
        let is_bug = |result: Result<()>| matches!(result, Err(Error::Bug { unit: None, .. }));
        let most = usize::from(u16::MAX);
        let draft = |trunk: usize| {
            let mut draft = Draft::default();
            draft.subtree.trunk = vec![[0, 3]; trunk];
            draft
        };
        assert_eq!(draft(most).begin_subtree([most, 0, 0, 0, 0, 0, 0]), Ok(()));
        assert!(is_bug(draft(most + 1).begin_subtree([0; MAX_GROUP])));
        assert!(is_bug(draft(0).begin_subtree([0, 0, most + 1, 0, 0, 0, 0])));
        let mut draft = draft(most);
        let SubtreeDraft { trunk, groups, .. } = &mut draft.subtree;
        groups.clear(1).unwrap();
        groups.add(0, 0, 0);
        assert!(is_bug(groups.count_leaves(1 + trunk.len(), |_| [3, 4])));
    }
}
