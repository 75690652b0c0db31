//! Which lists a walk merges, and what it counts on its last rows.
//!
//! A walk has a list for each set of columns on which its queens so far can stand. Each key of a list represents a
//! placement of these queens together with a placement on the other sub-board. Each further row merges lists: the list
//! of a column set is the union, over its columns c, of the keys in the list of the set without c that do not attack
//! the square in column c. Walks on the same rows therefore share all lists, whatever the order of their columns.

use std::cmp::Reverse;

use nqueens::internal::{Class, Color, Geometry, SubBoard, Subset, Term, elements, subsets};

use crate::card::Trouble;

/// The number of last rows of a walk whose queens are counted in pairs, without lists of their own.
pub(crate) const TAIL: usize = 2;

/// The number of lanes that are counted together.
pub(crate) const BLOCK: usize = 64;

/// The rows of a walk, in the order in which they are merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MergedWalk {
    /// The number of its term.
    pub(crate) term: usize,
    /// The numbers of its rows, in merge order.
    pub(crate) rows: Vec<usize>,
}

/// The lists that several walks with equally many rows merge, and the ends that they count.
#[derive(Debug)]
pub(crate) struct Shape {
    /// One merge for each merged row.
    pub(crate) merges: Vec<Merge>,
    /// For each list of the last merge: its columns, and the number of its end.
    pub(crate) endings: Vec<(Subset, usize)>,
    /// One end for each sequence of merged rows.
    pub(crate) ends: Vec<WalkEnd>,
}

/// The sources from which the lists of one more row are merged.
#[derive(Debug)]
pub(crate) struct Merge {
    /// The number of sources of each list.
    pub(crate) per_list: usize,
    /// The sources of all lists, one list after the other.
    pub(crate) sources: Vec<Source>,
}

/// A list of the previous merge, and the lines of the square that is added to its keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Source {
    /// The number of the list.
    pub(crate) list: u32,
    /// The lines of the square.
    pub(crate) lines: u64,
}

/// The last rows of walks that share lists.
#[derive(Debug)]
pub(crate) struct WalkEnd {
    /// The bits of the diagonal and the antidiagonal of the first square, for each row that a tail uses. The bits of
    /// the square in column c are higher by c.
    pub(crate) rows: Vec<[u32; 2]>,
    /// The last two rows of each walk.
    pub(crate) tails: Vec<Tail>,
}

/// The last two rows of one walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tail {
    /// The number of its term.
    pub(crate) term: usize,
    /// The positions of the two rows in [`WalkEnd::rows`].
    pub(crate) rows: [usize; 2],
    /// The distance between the two rows.
    pub(crate) distance: usize,
}

impl Merge {
    /// Returns the number of lists that this merge makes.
    pub(crate) fn lists(&self) -> usize {
        self.sources.len() / self.per_list
    }
}

impl Shape {
    /// Returns the shape of these walks on `board`. The walks must be sorted by their rows. The last `tail` rows of
    /// each walk, 0 or [`TAIL`], are not merged.
    ///
    /// # Errors
    /// [`Trouble::Memory`] if the sources do not fit in memory.
    pub(crate) fn new(geometry: Geometry, board: SubBoard, walks: &[MergedWalk], tail: usize) -> Result<Self, Trouble> {
        let columns = geometry.columns(board);
        let merged = walks.first().map_or(0, |walk| walk.rows.len() - tail);
        let (mut merges, mut numbers, mut sets) = (Vec::new(), vec![0u32; 1 << columns], subsets(columns, 0));
        for depth in 1..=merged {
            let below = sets.len();
            (0..).zip(&sets).for_each(|(number, &set)| numbers[set as usize] = number);
            sets = subsets(columns, depth);
            let mut sources = Vec::new();
            for (parent, walks) in walks.chunk_by(|a, b| a.rows[..depth - 1] == b.rows[..depth - 1]).enumerate() {
                for walks in walks.chunk_by(|a, b| a.rows[..depth] == b.rows[..depth]) {
                    let row = walks[0].rows[depth - 1];
                    reserve(&mut sources, depth * sets.len())?;
                    sources.extend(
                        sets.iter().flat_map(|&set| elements(set).map(move |column| (set ^ 1 << column, column))).map(
                            |(rest, column)| Source {
                                list: (parent * below) as u32 + numbers[rest as usize],
                                lines: geometry.lines(board, row, column),
                            },
                        ),
                    );
                }
            }
            merges.push(Merge { per_list: depth, sources });
        }
        let ends = walks.chunk_by(|a, b| a.rows[..merged] == b.rows[..merged]);
        let ends: Vec<WalkEnd> = ends.map(|walks| WalkEnd::new(geometry, board, walks, merged)).collect();
        let mut endings = Vec::new();
        reserve(&mut endings, ends.len() * sets.len())?;
        endings.extend((0..ends.len()).flat_map(|end| sets.iter().map(move |&set| (set, end))));
        Ok(Self { merges, endings, ends })
    }
}

impl WalkEnd {
    /// Returns the last rows of walks whose first `merged` rows are equal.
    fn new(geometry: Geometry, board: SubBoard, walks: &[MergedWalk], merged: usize) -> Self {
        let mut open: Vec<usize> = walks.iter().flat_map(|walk| walk.rows[merged..].iter().copied()).collect();
        open.sort_unstable();
        open.dedup();
        let number = |row: usize| open.partition_point(|&other| other < row);
        let tails = walks.iter().filter_map(|&MergedWalk { term, ref rows }| match rows[merged..] {
            [a, b] => Some(Tail { term, rows: [number(a), number(b)], distance: a.abs_diff(b) }),
            _ => None,
        });
        let tails = tails.collect();
        let rows = open.iter().map(|&row| {
            let lines = geometry.lines(board, row, 0);
            [lines.trailing_zeros(), 63 - lines.leading_zeros()]
        });
        Self { rows: rows.collect(), tails }
    }
}

/// Returns the lanes of a color, most keys first, as the number of the list and its set of white columns. Lists without
/// keys, and lists that symmetry drops for O, do not become lanes.
pub(crate) fn lanes(
    class: &Class,
    color: Color,
    o: Subset,
    shape: &Shape,
    ranges: &[[u32; 2]],
) -> Vec<(usize, Subset)> {
    let columns = class.geometry.columns(color.listed());
    let sets = shape.endings.iter().map(|&(set, _)| color.own(set, columns)).enumerate();
    let kept = sets.zip(ranges).filter(|&((_, set), &[_, count])| count > 0 && class.keeps_lane(color, set, o));
    let mut lanes: Vec<_> = kept.map(|(lane, &[_, count])| (Reverse(count), lane)).collect();
    lanes.sort_unstable();
    lanes.into_iter().map(|(_, lane)| lane).collect()
}

/// Returns the walks of a color for these terms, sorted by their rows. A term's number is its position in `terms`.
pub(crate) fn walks(class: &Class, color: Color, terms: &[Term]) -> Vec<MergedWalk> {
    let rows = |e| {
        let set = color.own(e, class.geometry.even_rows);
        class.row_order.iter().copied().filter(|row| set >> row & 1 == 1).collect()
    };
    let walks = terms.iter().enumerate().map(|(term, &Term { e, .. })| MergedWalk { term, rows: rows(e) });
    let mut walks: Vec<MergedWalk> = walks.collect();
    walks.sort_unstable_by(|a, b| a.rows.cmp(&b.rows));
    walks
}

fn reserve<T>(elements: &mut Vec<T>, more: usize) -> Result<(), Trouble> {
    elements.try_reserve_exact(more).map_err(|_| Trouble::Memory)
}
