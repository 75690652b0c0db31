//! Groups the leaves of a subtree by table row while its program is written. This is a counting sort:
//! [`Groups::count_leaves`] counts the leaves of each row, [`Groups::count_groups`] finds how many groups of each
//! length there are, and [`Groups::write`] writes each leaf to its place.

use super::write::in_16_bits;
use super::{MAX_GROUP, NOT_COUNTED, group_length};
use crate::Result;
use crate::color::split::SIDE;
use crate::memory::{grow, push};

/// The endings and leaves of the subtree that is being written.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// The leaves, followed by room for more.
    leaves: Vec<Leaf>,
    /// Number of leaves.
    pub(super) length: usize,
    pub(super) endings: Vec<[u16; 2]>,
    /// For each value of [`Leaf::columns`]: the number of the ending, or 0 if it has none yet.
    ending_of: Vec<u16>,
    /// The table rows of the leaves, each of them once.
    table_rows: Vec<u16>,
    /// For each table row: where its leaves go.
    rows: Vec<RowLeaves>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Leaf {
    table_row: u16,
    state: u16,
    /// The [`pair`] of the columns of the last two queens.
    columns: u16,
}

/// Where the leaves of a table row go. Offsets count from the first group of the subtree, and 32 bits are enough for
/// any subtree.
#[derive(Debug, Clone, Copy, Default)]
struct RowLeaves {
    /// Number of leaves of the row.
    leaves: u32,
    /// How many of them are written.
    written: u32,
    /// Where the row's shorter group begins, if it has one.
    short: u32,
    /// Where its first full group begins, which has [`MAX_GROUP`] leaves. The others follow it.
    full: u32,
}

impl RowLeaves {
    /// Returns where the next leaf goes: first into the shorter group, then into the full groups.
    #[inline(always)]
    fn next_place(&self) -> u32 {
        let most = MAX_GROUP as u32;
        match self.written.checked_sub(self.leaves % most) {
            None => self.short + 1 + 2 * self.written,
            Some(leaf) => self.full + leaf / most * group_length(MAX_GROUP) as u32 + 1 + 2 * (leaf % most),
        }
    }
}

impl Groups {
    /// Begins a subtree, whose table rows have numbers below `limit`.
    pub(super) fn clear(&mut self, limit: usize) -> Result<()> {
        for table_row in self.table_rows.drain(..) {
            self.rows[usize::from(table_row)].leaves = 0;
        }
        self.length = 0;
        self.endings.clear();
        self.ending_of.clear();
        grow(&mut self.ending_of, SIDE * SIDE, 0)?;
        grow(&mut self.rows, limit, RowLeaves::default())?;
        self.make_room()
    }

    /// Makes room for the leaves below one state: at most one for each pair of columns.
    pub(super) fn make_room(&mut self) -> Result<()> {
        grow(&mut self.leaves, self.length + SIDE * SIDE, Leaf::default())
    }

    /// Adds a leaf if its table row is counted. The code does not branch on that, because the branch would be
    /// mispredicted.
    #[inline(always)]
    pub(super) fn add(&mut self, state: u16, columns: usize, table_row: u16) {
        self.leaves[self.length] = Leaf { table_row, state, columns: columns as u16 };
        self.length += usize::from(table_row != NOT_COUNTED);
    }

    /// Counts the leaves of each table row, and numbers the endings from `first` on. `planes` returns the two planes of
    /// the ending with these columns.
    pub(super) fn count_leaves(&mut self, first: usize, planes: impl Fn(usize) -> [u16; 2]) -> Result<()> {
        let Self { leaves, length, endings, ending_of, table_rows, rows } = self;
        for leaf in &leaves[..*length] {
            let columns = usize::from(leaf.columns);
            let number = &mut ending_of[columns];
            if *number == 0 {
                *number = in_16_bits(first + endings.len())?;
                push(endings, planes(columns))?;
            }
            let row = &mut rows[usize::from(leaf.table_row)];
            if row.leaves == 0 {
                push(table_rows, leaf.table_row)?;
            }
            row.leaves += 1;
        }
        Ok(())
    }

    /// Returns the number of groups with one leaf, with two, and so on.
    pub(super) fn count_groups(&self) -> [usize; MAX_GROUP] {
        let mut groups = [0; MAX_GROUP];
        for &table_row in &self.table_rows {
            let leaves = self.rows[usize::from(table_row)].leaves as usize;
            groups[MAX_GROUP - 1] += leaves / MAX_GROUP;
            if !leaves.is_multiple_of(MAX_GROUP) {
                groups[leaves % MAX_GROUP - 1] += 1;
            }
        }
        groups
    }

    /// Appends the groups to `memory`, which has room for them. `groups` is the result of
    /// [`count_groups`](Self::count_groups). The first leaves of a table row go into its shorter group, if it has one,
    /// and the others into its full groups.
    pub(super) fn write(&mut self, groups: [usize; MAX_GROUP], memory: &mut Vec<u16>) {
        let (start, mut length) = (memory.len(), 0);
        // For each number of leaves, where the next group goes.
        let mut next_group = [0; MAX_GROUP];
        for ((next, groups), leaves) in next_group.iter_mut().zip(groups).zip(1..) {
            *next = length as u32;
            length += groups * group_length(leaves);
        }
        memory.resize(start + length, 0);
        let memory = &mut memory[start..];
        for &table_row in &self.table_rows {
            let row = &mut self.rows[usize::from(table_row)];
            let (full_groups, rest) = (row.leaves / MAX_GROUP as u32, row.leaves % MAX_GROUP as u32);
            (row.written, row.full) = (0, next_group[MAX_GROUP - 1]);
            for _ in 0..full_groups {
                memory[next_group[MAX_GROUP - 1] as usize] = table_row;
                next_group[MAX_GROUP - 1] += group_length(MAX_GROUP) as u32;
            }
            if rest > 0 {
                let group = &mut next_group[rest as usize - 1];
                memory[*group as usize] = table_row;
                row.short = *group;
                *group += group_length(rest as usize) as u32;
            }
        }
        for &Leaf { table_row, state, columns } in &self.leaves[..self.length] {
            let row = &mut self.rows[usize::from(table_row)];
            memory[row.next_place() as usize..][..2].copy_from_slice(&[state, self.ending_of[usize::from(columns)]]);
            row.written += 1;
        }
    }
}
