//! Programs by groups: leaves are sorted by table row.
//!
//! A *state* is the keys that the queens above the last two rows leave alive. An *ending* combines the planes of two
//! squares, one on each of the last two rows. A leaf is a state and-not an ending.
//!
//! Many leaves have one column set, in different orders, and so one table row. Up to seven of them form a *group*. A
//! replay adds the counts of a group's leaves first, and reads or changes the table row once.
//!
//! ```text
//!  entry    | row | state ending | state ending | ...
//!
//!  row             the table row of all leaves of the group
//!  state, ending   numbers: 0 is the pack's own state, ALL_KEYS. Then come the trunk's states, then the endings
//! ```

use super::form::{Encoded, Form, Leaf, NOT_COUNTED, Parent, Walk, entry_length};
use crate::Result;
use crate::room::{grow, make_room};

/// The most leaves of a group. A leaf counts at most 8 keys in a byte, so a group's counts are at most 56: below
/// [`MAX_COUNT`](crate::solver::simd::MAX_COUNT).
pub(crate) const MAX_GROUP: usize = 7;

/// An entry begins with its table row.
const LEAD: usize = 1;

/// Returns how many numbers a group with `leaves` leaves has.
const fn length(leaves: usize) -> usize {
    entry_length(LEAD, leaves)
}

/// The walk for one prefix: its entries are groups.
pub(crate) type GroupsWalk<'a> = Walk<'a, LEAD, MAX_GROUP>;

/// The form "by groups", with the endings and leaves of the walk that is written.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    endings: Vec<[u16; 2]>,
    /// By the columns of the last two rows: the number of the ending plus 1, or 0 if there is none yet.
    ending_of: Vec<u16>,
    /// The indices of `ending_of` that are not 0.
    columns: Vec<usize>,
    rows: Vec<Row>,
    /// By table row: its index in `rows` plus 1, or 0 if no leaf has it yet.
    index_of: Vec<u16>,
    leaves: Vec<GroupLeaf>,
}

/// A table row with leaves.
#[derive(Debug, Clone, Copy)]
struct Row {
    row: u16,
    leaves: usize,
    /// Where the next leaf goes in memory.
    next: usize,
    /// Leaves still missing from the current group.
    left: usize,
    /// Where the leaves of the next full group ([`MAX_GROUP`]) go.
    full: usize,
}

#[derive(Debug, Clone, Copy)]
struct GroupLeaf {
    /// The index of its table row in `rows`.
    index: u16,
    state: u16,
    ending: u16,
}

impl Groups {
    /// Returns the number of the ending with these columns and planes. Adds the ending if it is new.
    #[inline(always)]
    fn ending(&mut self, columns: [usize; 2], planes: [u16; 2]) -> u16 {
        let at = 16 * columns[0] + columns[1];
        let number = &mut self.ending_of[at];
        if *number == 0 {
            self.endings.push(planes);
            self.columns.push(at);
            *number = self.endings.len() as u16;
        }
        *number - 1
    }

    /// Adds a leaf.
    #[inline(always)]
    fn push(&mut self, row: u16, state: u16, ending: u16) {
        let index = &mut self.index_of[usize::from(row)];
        if *index == 0 {
            self.rows.push(Row { row, leaves: 0, next: 0, left: 0, full: 0 });
            *index = self.rows.len() as u16;
        }
        let index = *index - 1;
        self.rows[usize::from(index)].leaves += 1;
        self.leaves.push(GroupLeaf { index, state, ending });
    }

    /// Returns the number of groups with one leaf, with two, and so on.
    fn count_groups(&self) -> [usize; MAX_GROUP] {
        let mut groups = [0; MAX_GROUP];
        for row in &self.rows {
            groups[MAX_GROUP - 1] += row.leaves / MAX_GROUP;
            if row.leaves % MAX_GROUP > 0 {
                groups[row.leaves % MAX_GROUP - 1] += 1;
            }
        }
        groups
    }

    /// Writes the table row of each group, and sets where the leaves of each row go. `next` says where the groups with
    /// one leaf begin in memory, those with two, and so on.
    fn place_rows(&mut self, mut next: [usize; MAX_GROUP], memory: &mut [u16]) {
        for row in &mut self.rows {
            let full = &mut next[MAX_GROUP - 1];
            row.full = *full + 1;
            for _ in 0..row.leaves / MAX_GROUP {
                memory[*full] = row.row;
                *full += length(MAX_GROUP);
            }
            row.left = row.leaves % MAX_GROUP;
            if row.left > 0 {
                let next = &mut next[row.left - 1];
                memory[*next] = row.row;
                row.next = *next + 1;
                *next += length(row.left);
            }
        }
    }

    /// Writes the leaves into their groups.
    fn place_leaves(&mut self, first_ending: u16, memory: &mut [u16]) {
        for &GroupLeaf { index, state, ending } in &self.leaves {
            let row = &mut self.rows[usize::from(index)];
            if row.left == 0 {
                (row.next, row.left) = (row.full, MAX_GROUP);
                row.full += length(MAX_GROUP);
            }
            memory[row.next..][..2].copy_from_slice(&[state, first_ending + ending]);
            row.next += 2;
            row.left -= 1;
        }
    }
}

impl Form for Groups {
    type Walk<'a> = GroupsWalk<'a>;

    fn clear(&mut self) -> Result<()> {
        self.endings.clear();
        for at in self.columns.drain(..) {
            self.ending_of[at] = 0;
        }
        for row in self.rows.drain(..) {
            self.index_of[usize::from(row.row)] = 0;
        }
        self.leaves.clear();
        grow(&mut self.ending_of, 16 * 16, 0)?;
        grow(&mut self.index_of, 1 << 16, 0)
    }

    fn make_room(&mut self) -> Result<()> {
        make_room(&mut self.endings, 256)?;
        make_room(&mut self.columns, 256)?;
        make_room(&mut self.rows, 256)?;
        make_room(&mut self.leaves, 256)
    }

    #[inline(always)]
    fn take(&mut self, parent: Parent, leaves: impl Iterator<Item = Leaf>) -> bool {
        let mut any = false;
        for leaf in leaves.filter(|leaf| leaf.row != NOT_COUNTED) {
            let ending = self.ending([parent.column, leaf.column], [parent.plane, leaf.plane]);
            self.push(leaf.row, parent.state, ending);
            any = true;
        }
        any
    }

    fn encode(&mut self, trunk: &[[u16; 2]], longest: u16, to: &mut Encoded) -> Result<bool> {
        let groups = self.count_groups();
        if !to.begin::<LEAD, MAX_GROUP>(trunk, &self.endings, groups, longest)? {
            return Ok(false);
        }
        let memory = &mut to.memory;
        let mut next = [memory.len(); MAX_GROUP];
        for leaves in 1..MAX_GROUP {
            next[leaves] = next[leaves - 1] + groups[leaves - 1] * length(leaves);
        }
        memory.resize(next[MAX_GROUP - 1] + groups[MAX_GROUP - 1] * length(MAX_GROUP), 0);
        self.place_rows(next, memory);
        self.place_leaves(1 + trunk.len() as u16, memory);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::super::form::{Program, Read};
    use super::*;

    #[test]
    fn what_is_encoded_is_decoded() {
        let (mut encoded, mut written) = (Encoded { memory: vec![7, 7, 7], headers: Vec::new() }, Groups::default());
        let trunk = [[0, 3], [1, 4]];
        written.clear().unwrap();
        let endings = [written.ending([1, 2], [5, 8]), written.ending([1, 3], [5, 9])];
        assert_eq!((endings, written.ending([1, 2], [5, 8])), ([0, 1], 0));
        // Row 4 has nine leaves, row 2 has one, row 3 has fourteen: two full groups.
        for state in 0..9 {
            written.push(4, state % 3, endings[0]);
        }
        written.push(2, 2, endings[1]);
        for leaf in 0..14 {
            written.push(3, leaf % 3, endings[1]);
        }
        assert!(written.encode(&trunk, u16::MAX, &mut encoded).unwrap());
        // The next walk has no leaves of the walk before.
        written.clear().unwrap();
        assert!(written.encode(&[], u16::MAX, &mut encoded).unwrap());
        let at = encoded.memory.len()..encoded.memory.len() + encoded.headers.len();
        encoded.memory.append(&mut encoded.headers);
        let program: Program<'_, Groups> = Program::new(&encoded.memory, at);
        let walk = program.walk(0);
        assert_eq!((walk.trunk, walk.endings), (&trunk[..], &[[5, 8], [5, 9]][..]));
        assert_eq!(walk.entries[0], [2, 2, 4]);
        assert_eq!(walk.entries[1], [4, 0, 3, 1, 3]);
        assert!(walk.entries[2..MAX_GROUP - 1].iter().all(|groups| groups.is_empty()));
        let full: Vec<u16> = walk.entries[MAX_GROUP - 1].chunks(length(MAX_GROUP)).map(|group| group[0]).collect();
        assert_eq!(full, [4, 3, 3]);
        assert_eq!((walk.nodes(), walk.is_empty()), (3 + 2 + 24, false));
        assert_eq!((program.walk(1).nodes(), program.walk(1).is_empty()), (1, true));
    }

    /// Trap: states and endings are numbered together.
    #[test]
    fn what_does_not_fit_is_not_written() {
        let (mut encoded, mut written, trunk) = (Encoded::default(), Groups::default(), [[0, 3]; 0xffff]);
        written.clear().unwrap();
        let ending = written.ending([0, 0], [5, 8]);
        written.push(0, 1, ending);
        assert!(!written.encode(&trunk, u16::MAX, &mut encoded).unwrap());
        assert!(encoded.memory.is_empty() && encoded.headers.is_empty());
        assert!(written.encode(&trunk[1..], u16::MAX, &mut encoded).unwrap());
        assert_eq!(encoded.memory[encoded.memory.len() - 3..], [0, 1, 0xffff]);
    }
}
