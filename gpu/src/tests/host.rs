//! Merged packs in plain Rust, with which the kernels are compared. A test compares them with the processor's code.

use nqueens::internal::{Class, Color, Sides, Subset, Term, elements, full};

use crate::shape::{BLOCK, Merge, MergedWalk, Shape, TAIL, Tail, WalkEnd, lanes, walks};

/// Lists of keys, each divided into lanes.
#[derive(Debug, Default)]
pub(super) struct Lists {
    /// Number of lanes of each list.
    pub(super) lanes: usize,
    /// The keys of all lanes of all lists.
    pub(super) keys: Vec<u64>,
    /// Where the keys of a lane of a list begin, and how many there are: `[list * lanes + lane]`.
    pub(super) ranges: Vec<[u32; 2]>,
}

impl Lists {
    /// The keys of one lane of one list.
    fn keys(&self, list: usize, lane: usize) -> &[u64] {
        let [start, count] = self.ranges[list * self.lanes + lane];
        &self.keys[start as usize..][..count as usize]
    }

    fn push(&mut self, lane: impl Iterator<Item = u64>) {
        let start = self.keys.len();
        self.keys.extend(lane);
        self.ranges.push([start, self.keys.len() - start].map(|number| number as u32));
    }
}

/// Merges the lists of one more row from those of the rows before.
fn merge(below: &Lists, row: &Merge) -> Lists {
    let mut above = Lists { lanes: below.lanes, ..Lists::default() };
    for sources in row.sources.chunks_exact(row.per_list) {
        for lane in 0..below.lanes {
            above.push(sources.iter().flat_map(|source| {
                let keys = below.keys(source.list as usize, lane).iter();
                keys.filter(|&key| key & source.lines == 0).map(|key| key | source.lines)
            }));
        }
    }
    above
}

/// The list of one color on the odd rows O, in blocks of lanes.
struct ColorList {
    color: Color,
    blocks: Vec<Lists>,
    /// The set of white columns of each lane. The first lane has most keys.
    sets: Vec<Subset>,
}

/// Lists the placements of a color on the odd rows O, by merging one row after the other.
fn list_color(class: &Class, color: Color, o: Subset) -> ColorList {
    let (geometry, board) = (class.geometry, color.listed());
    let walk = MergedWalk { term: 0, rows: elements(color.own(o, geometry.odds)).collect() };
    let shape = Shape::new(geometry, board, &[walk], 0).unwrap();
    let start = Lists { lanes: 1, keys: vec![0], ranges: vec![[0, 1]] };
    let lists = shape.merges.iter().fold(start, |lists, row| merge(&lists, row));
    let kept = lanes(class, color, o, &shape, &lists.ranges);
    let block = |lanes: &[(usize, Subset)]| {
        let mut block = Lists { lanes: lanes.len(), ..Lists::default() };
        lanes.iter().for_each(|&(list, _)| block.push(lists.keys(list, 0).iter().copied()));
        block
    };
    ColorList {
        color,
        blocks: kept.chunks(BLOCK).map(block).collect(),
        sets: kept.iter().map(|&(_, set)| set).collect(),
    }
}

/// The keys of a slice that do not attack a square: a bit for each key of 64 lanes, 32 keys of each lane.
pub(super) type Fitting = [u32; BLOCK];

/// A number of keys for each lane of a block.
type Counts = [u32; BLOCK];

/// Finds the keys of one list that fit each square: for each slice of 32 keys of each lane, each row and each free column.
pub(super) fn fittings(lists: &Lists, list: usize, end: &WalkEnd, free: Subset) -> Vec<Fitting> {
    let mut fittings = Vec::new();
    let slices = (0..lists.lanes).map(|lane| lists.keys(list, lane).len().div_ceil(32)).max().unwrap_or(0);
    for slice in 0..slices {
        let (mut alive, mut attacked) = ([0; BLOCK], [[0; BLOCK]; 64]);
        for lane in 0..lists.lanes {
            for (at, &key) in lists.keys(list, lane).iter().skip(32 * slice).take(32).enumerate() {
                alive[lane] |= 1u32 << at;
                let lines = (0..64).filter(|line| key >> line & 1 == 1);
                lines.for_each(|line| attacked[line][lane] |= 1u32 << at);
            }
        }
        for &[diagonal, antidiagonal] in &end.rows {
            for column in elements(free) {
                let [a, b] = [diagonal, antidiagonal].map(|line| &attacked[line as usize + column]);
                fittings.push(std::array::from_fn(|lane| alive[lane] & !(a[lane] | b[lane])));
            }
        }
    }
    fittings
}

/// Counts the pairs of queens on the last two rows. Calls `visit` with the columns of the pairs, and for each lane the
/// number of keys that fit a pair: each key counts once for each order of the two columns that it fits.
pub(super) fn pairs(
    fittings: &[Fitting],
    end: &WalkEnd,
    free: Subset,
    tail: &Tail,
    mut visit: impl FnMut(Subset, &Counts),
) {
    let columns = free.count_ones() as usize;
    for (i, first) in elements(free).enumerate() {
        for (j, second) in elements(free).enumerate().skip(i + 1).filter(|&(_, second)| second - first != tail.distance)
        {
            let mut counts = [0; BLOCK];
            for slice in fittings.chunks_exact(end.rows.len() * columns) {
                let [a, b] = tail.rows.map(|row| &slice[row * columns..][..columns]);
                for (lane, count) in counts.iter_mut().enumerate() {
                    *count += (a[i][lane] & b[j][lane]).count_ones() + (a[j][lane] & b[i][lane]).count_ones();
                }
            }
            visit(1 << first | 1 << second, &counts);
        }
    }
}

/// Walks one side. Calls `visit` with the term, the row (the lane of the other side that has the columns of the walk), the
/// lane, and its count.
fn walk_color(
    class: &Class,
    [own, other]: [&ColorList; 2],
    terms: &[Term],
    mut visit: impl FnMut(usize, usize, usize, u32),
) {
    let (geometry, board) = (class.geometry, own.color.walked());
    let size = geometry.columns(board);
    let row_of = |columns: Subset| other.sets.iter().position(|&set| own.color.own(set, size) == columns);
    let mut visit = |term, columns, block, counts: &Counts| {
        let Some(row) = row_of(columns) else { return };
        let lanes = (BLOCK * block..own.sets.len()).zip(counts);
        lanes.for_each(|(lane, &count)| visit(term, row, lane, count));
    };
    for walk in walks(class, own.color, terms) {
        let tail = if walk.rows.len() < TAIL { 0 } else { TAIL };
        let shape = Shape::new(geometry, board, std::slice::from_ref(&walk), tail).unwrap();
        for (block, listed) in own.blocks.iter().enumerate() {
            let merged =
                shape.merges.iter().fold(None, |lists, row| Some(merge(lists.as_ref().unwrap_or(listed), row)));
            let lists = merged.as_ref().unwrap_or(listed);
            for (number, &(columns, end)) in shape.endings.iter().enumerate() {
                let (end, free) = (&shape.ends[end], full(size) ^ columns);
                if end.tails.is_empty() {
                    let keys = |lane| if lane < lists.lanes { lists.keys(number, lane).len() as u32 } else { 0 };
                    visit(walk.term, columns, block, &std::array::from_fn(keys));
                }
                for tail in &end.tails {
                    pairs(&fittings(lists, number, end, free), end, free, tail, |pair, counts| {
                        visit(walk.term, columns | pair, block, counts);
                    });
                }
            }
        }
    }
}

/// Counts the terms of a unit with the odd rows `o`.
pub(super) fn count(class: &Class, o: Subset, terms: &[Term]) -> u128 {
    let Sides { filling, summing } = class.sides();
    let [filling, summing] = [filling, summing].map(|color| list_color(class, color, o));
    let mut tables = vec![vec![vec![0u64; summing.sets.len()]; filling.sets.len()]; terms.len()];
    walk_color(class, [&filling, &summing], terms, |term, row, lane, count| {
        tables[term][lane][row] += u64::from(count)
    });
    let mut sum = 0;
    walk_color(class, [&summing, &filling], terms, |term, row, lane, count| {
        let (a, b) = (filling.sets[row], summing.sets[lane]);
        let columns = if filling.color == Color::White { [b, a] } else { [a, b] };
        let weight = terms[term].weight * class.column_weight(columns, [terms[term].e, o]);
        sum += u128::from(tables[term][row][lane] * u64::from(count) * weight);
    });
    sum
}
