//! The format of a grouped program, whose leaves are sorted by the table row that they meet.
//!
//! Of the rows below a prefix the last two are walked apart from those above: a *state* is what the queens above leave
//! alive, an *ending* is the planes of the last two squares in one, and a leaf is the and-not of the two. Many leaves meet
//! the same row of the table, with the same columns in another order: they are a *group*, whose counts are added before
//! they meet the table once.
//!
//! ```text
//!  header   | start, low | start, high | trunk | endings | one | two | ... | seven |
//!             where in memory its      states   endings   groups of so many leaves
//!             walk begins
//!
//!  walk     | trunk             | endings           | groups of one leaf      | of two leaves ...
//!           | above plane | ... | plane plane | ... | row state ending | ...  | row state ending state ending | ...
//!
//!  above, plane    as in the other format
//!  state, ending   a number: 0 is the pack's own state, ALL_KEYS; then come those of the trunk, then the endings
//!  row             the row of the table that all leaves of the group meet
//! ```

use std::ops::Range;

use super::format::make_room;
use crate::Result;

/// Leaves that are counted together; more that meet the same row are several groups. No lane counts more than 8 keys a
/// leaf, so that a group's counts are signed bytes.
pub(crate) const MAX_GROUP: usize = 7;

const HEADER: usize = 4 + MAX_GROUP;

/// Numbers that a group of so many leaves takes.
const fn length(leaves: usize) -> usize {
    1 + 2 * leaves
}

/// The grouped walks of one set of rows, prefix by prefix.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GroupedProgram<'a> {
    memory: &'a [u16],
    headers: &'a [[u16; HEADER]],
}

/// The grouped walk for one prefix.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GroupedWalk<'a> {
    /// Pairs of (number of the state above, plane).
    pub(crate) trunk: &'a [[u16; 2]],
    /// The two planes of each ending.
    pub(crate) endings: &'a [[u16; 2]],
    /// With 1, 2, 3, ... leaves: the row of the table, then for each leaf the numbers of its state and its ending.
    pub(crate) groups: [&'a [u16]; MAX_GROUP],
}

impl GroupedWalk<'_> {
    /// Whether there is no leaf.
    pub(crate) fn is_empty(&self) -> bool {
        self.groups.iter().all(|groups| groups.is_empty())
    }

    /// How many states (the trunk's and the pack's own), endings and leaves it has.
    pub(crate) fn nodes(&self) -> [u64; 3] {
        let leaves: usize =
            self.groups.iter().zip(1..).map(|(groups, leaves)| groups.len() / length(leaves) * leaves).sum();
        [1 + self.trunk.len() as u64, self.endings.len() as u64, leaves as u64]
    }
}

impl<'a> GroupedProgram<'a> {
    /// The program whose headers are there in this memory.
    #[inline(always)]
    pub(crate) fn new(memory: &'a [u16], headers: Range<usize>) -> Self {
        Self { memory, headers: memory[headers].as_chunks().0 }
    }

    /// The walk for the prefix of this number, in the order of [`extend`](crate::solver::color::split::extend).
    #[inline(always)]
    pub(crate) fn walk(&self, prefix: usize) -> GroupedWalk<'a> {
        let [low, high, trunk, endings, of_groups @ ..] = self.headers[prefix];
        let rest = &self.memory[(usize::from(high) << 16 | usize::from(low))..];
        let (trunk, rest) = rest.split_at(2 * usize::from(trunk));
        let (endings, mut rest) = rest.split_at(2 * usize::from(endings));
        let mut groups = [&rest[..0]; MAX_GROUP];
        for (i, part) in groups.iter_mut().enumerate() {
            (*part, rest) = rest.split_at(usize::from(of_groups[i]) * length(i + 1));
        }
        GroupedWalk { trunk: trunk.as_chunks().0, endings: endings.as_chunks().0, groups }
    }

    /// Prefixes in all.
    #[cfg(test)]
    pub(crate) fn prefixes(&self) -> usize {
        self.headers.len()
    }
}

/// What is below the trunk of the walk for one prefix, as it is written.
#[derive(Debug, Default)]
pub(super) struct WrittenGroups {
    endings: Vec<[u16; 2]>,
    /// For each two columns of the last two rows, one more than the number of their ending, or 0.
    ending_of: Vec<u16>,
    /// Where in that there is a number.
    columns: Vec<usize>,
    rows: Vec<Row>,
    /// For each row of the table, one more than its place in `rows`, or 0.
    place_of: Vec<u16>,
    leaves: Vec<Leaf>,
}

/// A row of the table that leaves meet.
#[derive(Debug, Clone, Copy)]
struct Row {
    row: u16,
    leaves: usize,
    /// Where in memory its next leaf goes, and how many go there until the next one is in another group.
    next: usize,
    left: usize,
    /// Where the leaves of its next group of [`MAX_GROUP`] go.
    full: usize,
}

#[derive(Debug, Clone, Copy)]
struct Leaf {
    /// Its row's place in `rows`.
    place: u16,
    state: u16,
    ending: u16,
}

impl WrittenGroups {
    pub(super) fn clear(&mut self) {
        self.endings.clear();
        for at in self.columns.drain(..) {
            self.ending_of[at] = 0;
        }
        for row in self.rows.drain(..) {
            self.place_of[usize::from(row.row)] = 0;
        }
        self.leaves.clear();
        self.ending_of.resize(16 * 16, 0);
        self.place_of.resize(1 << 16, 0);
    }

    /// The number, among endings, of the one with these columns and planes.
    #[inline(always)]
    pub(super) fn ending(&mut self, columns: [usize; 2], planes: [u16; 2]) -> u16 {
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
    pub(super) fn push(&mut self, row: u16, state: u16, ending: u16) {
        let place = &mut self.place_of[usize::from(row)];
        if *place == 0 {
            self.rows.push(Row { row, leaves: 0, next: 0, left: 0, full: 0 });
            *place = self.rows.len() as u16;
        }
        let place = *place - 1;
        self.rows[usize::from(place)].leaves += 1;
        self.leaves.push(Leaf { place, state, ending });
    }

    /// Adds the walk with this trunk to the memory of a program, and its header; says whether it fits the format, in
    /// which no part is longer than `longest`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(super) fn encode(
        &mut self,
        trunk: &[[u16; 2]],
        longest: u16,
        memory: &mut Vec<u16>,
        headers: &mut Vec<u16>,
    ) -> Result<bool> {
        let mut groups = [0usize; MAX_GROUP];
        for row in &self.rows {
            groups[MAX_GROUP - 1] += row.leaves / MAX_GROUP;
            if row.leaves % MAX_GROUP > 0 {
                groups[row.leaves % MAX_GROUP - 1] += 1;
            }
        }
        let numbers = 1 + trunk.len() + self.endings.len();
        let largest = groups.into_iter().fold(numbers, usize::max);
        let (Ok(start), true) = (u32::try_from(memory.len()), largest <= usize::from(longest)) else {
            return Ok(false);
        };
        headers.extend([start as u16, (start >> 16) as u16, trunk.len() as u16, self.endings.len() as u16]);
        headers.extend(groups.map(|groups| groups as u16));
        let of_groups: usize = groups.into_iter().zip(1..).map(|(groups, leaves)| groups * length(leaves)).sum();
        let all = 2 * (trunk.len() + self.endings.len()) + of_groups;
        make_room(memory, all)?;
        memory.extend_from_slice(trunk.as_flattened());
        memory.extend_from_slice(self.endings.as_flattened());
        let mut next = [memory.len(); MAX_GROUP];
        for leaves in 1..MAX_GROUP {
            next[leaves] = next[leaves - 1] + groups[leaves - 1] * length(leaves);
        }
        memory.resize(memory.len() + of_groups, 0);
        for row in &mut self.rows {
            row.full = next[MAX_GROUP - 1] + 1;
            for _ in 0..row.leaves / MAX_GROUP {
                memory[next[MAX_GROUP - 1]] = row.row;
                next[MAX_GROUP - 1] += length(MAX_GROUP);
            }
            row.left = row.leaves % MAX_GROUP;
            if row.left > 0 {
                let next = &mut next[row.left - 1];
                memory[*next] = row.row;
                row.next = *next + 1;
                *next += length(row.left);
            }
        }
        let first_ending = 1 + trunk.len() as u16;
        for &Leaf { place, state, ending } in &self.leaves {
            let row = &mut self.rows[usize::from(place)];
            if row.left == 0 {
                (row.next, row.left) = (row.full, MAX_GROUP);
                row.full += length(MAX_GROUP);
            }
            memory[row.next..][..2].copy_from_slice(&[state, first_ending + ending]);
            row.next += 2;
            row.left -= 1;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_decoded() {
        let (mut memory, mut headers, mut written) = (vec![7, 7, 7], Vec::new(), WrittenGroups::default());
        let trunk = [[0, 3], [1, 4]];
        written.clear();
        let endings = [written.ending([1, 2], [5, 8]), written.ending([1, 3], [5, 9])];
        assert_eq!((endings, written.ending([1, 2], [5, 8])), ([0, 1], 0));
        // Nine leaves meet row 4, one row 2, and fourteen row 3: two full groups.
        for state in 0..9 {
            written.push(4, state % 3, endings[0]);
        }
        written.push(2, 2, endings[1]);
        for leaf in 0..14 {
            written.push(3, leaf % 3, endings[1]);
        }
        assert!(written.encode(&trunk, u16::MAX, &mut memory, &mut headers).unwrap());
        // What was written for one walk is not there in the next.
        written.clear();
        assert!(written.encode(&[], u16::MAX, &mut memory, &mut headers).unwrap());
        let at = memory.len()..memory.len() + headers.len();
        memory.extend(headers);
        let program = GroupedProgram::new(&memory, at);
        let walk = program.walk(0);
        assert_eq!((walk.trunk, walk.endings), (&trunk[..], &[[5, 8], [5, 9]][..]));
        assert_eq!(walk.groups[0], [2, 2, 4]);
        assert_eq!(walk.groups[1], [4, 0, 3, 1, 3]);
        assert!(walk.groups[2..MAX_GROUP - 1].iter().all(|groups| groups.is_empty()));
        let full: Vec<u16> = walk.groups[MAX_GROUP - 1].chunks(length(MAX_GROUP)).map(|group| group[0]).collect();
        assert_eq!(full, [4, 3, 3]);
        assert_eq!((walk.nodes(), walk.is_empty()), ([3, 2, 24], false));
        assert_eq!((program.walk(1).nodes(), program.walk(1).is_empty()), ([1, 0, 0], true));
    }

    /// Trap: states and endings are numbered together.
    #[test]
    fn what_does_not_fit_is_not_written() {
        let (mut memory, mut headers, mut written) = (Vec::new(), Vec::new(), WrittenGroups::default());
        let trunk = [[0, 3]; 0xffff];
        written.clear();
        let ending = written.ending([0, 0], [5, 8]);
        written.push(0, 1, ending);
        assert!(!written.encode(&trunk[1..], u16::MAX, &mut memory, &mut headers).unwrap());
        assert!(memory.is_empty() && headers.is_empty());
        assert!(written.encode(&trunk[2..], u16::MAX, &mut memory, &mut headers).unwrap());
        assert_eq!(memory[memory.len() - 3..], [0, 1, 0xfffe]);
    }
}
