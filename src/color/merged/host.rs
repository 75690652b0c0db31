//! Merged packs in plain Rust: a second formulation of the color split. It checks the fast code, and it is what the
//! kernels of the GPU are compared with.
//!
//! It shares with the fast code the terms, their weights and the lines of squares, but nothing that counts: no program,
//! no prefix, no table of bytes. `shape.rs` says which lists are merged.

use super::shape::{BLOCK, Merge, MergedWalk, Shape, TAIL, Tail, WalkEnd, lanes, walks};
use crate::color::plan::{Class, Term};
use crate::color::split::{Color, Sides, Subset, elements, full};
use crate::memory::{grow, push, refill, reserve};
use crate::tally::{Tally, Work};
use crate::{CancelToken, Error, Result};

/// Lists of keys, each divided into lanes.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Lists {
    /// Number of lanes of each list.
    pub lanes: usize,
    /// The keys of all lanes of all lists.
    pub keys: Vec<u64>,
    /// Where the keys of a lane of a list begin, and how many there are: `[list * lanes + lane]`.
    pub ranges: Vec<[u32; 2]>,
}

impl Lists {
    /// The keys of one lane of one list.
    pub fn keys(&self, list: usize, lane: usize) -> &[u64] {
        let [start, count] = self.ranges[list * self.lanes + lane];
        &self.keys[start as usize..][..count as usize]
    }
}

/// A lane of a list has fewer keys. [`pairs`] counts each of them at most twice, in 32 bits.
const MOST_KEYS: usize = 1 << 31;

const _: () = assert!(2 * (MOST_KEYS as u64 - 1) <= u32::MAX as u64);

/// Merges the lists of one more row from those of the rows before.
///
/// # Errors
/// [`Error::Memory`].
pub fn merge(below: &Lists, row: &Merge) -> Result<Lists> {
    let mut above = Lists { lanes: below.lanes, ..Lists::default() };
    reserve(&mut above.ranges, row.lists() * below.lanes)?;
    let mut end = 0;
    for sources in row.sources.chunks_exact(row.per_list) {
        for lane in 0..below.lanes {
            let start = end;
            for source in sources {
                let keys = below.keys(source.list as usize, lane);
                // Doubles, so that the list does not move for each source.
                if above.keys.len() < end + keys.len() {
                    let length = (end + keys.len()).max(2 * end);
                    grow(&mut above.keys, length, 0)?;
                }
                // The processor would mispredict a branch on what fits.
                for &key in keys {
                    above.keys[end] = key | source.lines;
                    end += usize::from(key & source.lines == 0);
                }
            }
            assert!(end - start < MOST_KEYS, "the counts of a lane have 32 bits, and its keys would take 16 GiB");
            above.ranges.push([start as u32, (end - start) as u32]);
        }
    }
    assert!(u32::try_from(end).is_ok(), "the keys of a block of lanes are numbered in 32 bits, and would take 32 GiB");
    above.keys.truncate(end);
    Ok(above)
}

/// The list of one color on the odd rows O, in blocks of lanes.
#[derive(Debug)]
struct ColorList {
    color: Color,
    blocks: Vec<Lists>,
    /// The set of white columns of each lane. The first lane has most keys.
    sets: Vec<Subset>,
}

/// Lists the placements of a color on the odd rows O, by merging one row after the other.
///
/// # Errors
/// [`Error::Memory`].
fn list_color(class: &Class, color: Color, o: Subset, cancel: &CancelToken) -> Result<ColorList> {
    let (geometry, board) = (class.geometry, color.listed());
    let walk = MergedWalk { term: 0, rows: elements(color.own(o, geometry.odds)).collect() };
    let shape = Shape::new(geometry, board, &[walk], 0)?;
    let mut lists = Lists { lanes: 1, keys: vec![0], ranges: vec![[0, 1]] };
    for row in &shape.merges {
        cancel.check()?;
        lists = merge(&lists, row)?;
    }
    let kept = lanes(class, color, o, &shape, &lists.ranges);
    let blocks = kept.chunks(BLOCK).map(|lanes| {
        let mut block = Lists { lanes: lanes.len(), ..Lists::default() };
        for &(list, _) in lanes {
            let (start, keys) = (block.keys.len(), lists.keys(list, 0));
            reserve(&mut block.keys, keys.len())?;
            block.keys.extend_from_slice(keys);
            block.ranges.push([start as u32, keys.len() as u32]);
        }
        Ok(block)
    });
    Ok(ColorList { color, blocks: blocks.collect::<Result<_>>()?, sets: kept.iter().map(|&(_, set)| set).collect() })
}

/// The keys of a slice that do not attack a square: a bit for each key of 64 lanes, 32 keys of each lane.
pub type Fitting = [u32; BLOCK];

/// A number of keys for each lane of a block.
pub type Counts = [u32; BLOCK];

/// Finds the keys of one list that fit each square: for each slice of 32 keys of each lane, each row and each free column.
/// Returns the number of slices.
///
/// # Errors
/// [`Error::Memory`].
pub fn fittings(lists: &Lists, list: usize, end: &WalkEnd, free: Subset, fittings: &mut Vec<Fitting>) -> Result<usize> {
    fittings.clear();
    let slices = (0..lists.lanes).map(|lane| lists.keys(list, lane).len().div_ceil(32)).max().unwrap_or(0);
    for slice in 0..slices {
        let (mut alive, mut attacked) = ([0; BLOCK], [[0; BLOCK]; 64]);
        for lane in 0..lists.lanes {
            for (at, &key) in lists.keys(list, lane).iter().skip(32 * slice).take(32).enumerate() {
                alive[lane] |= 1u32 << at;
                let mut lines = key;
                while lines != 0 {
                    attacked[lines.trailing_zeros() as usize][lane] |= 1u32 << at;
                    lines &= lines - 1;
                }
            }
        }
        for &[diagonal, antidiagonal] in &end.rows {
            for column in elements(free) {
                let [a, b] = [diagonal, antidiagonal].map(|line| &attacked[line as usize + column]);
                push(fittings, std::array::from_fn(|lane| alive[lane] & !(a[lane] | b[lane])))?;
            }
        }
    }
    Ok(slices)
}

/// Counts the pairs of queens on the last two rows. Calls `visit` with the columns of the pairs, and for each lane the
/// number of keys that fit a pair: each key counts once for each order of the two columns that it fits.
pub fn pairs(fittings: &[Fitting], end: &WalkEnd, free: Subset, tail: &Tail, mut visit: impl FnMut(Subset, &Counts)) {
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

/// Walks one side. Calls `visit` with the term, the row (the lane of the other side that has the columns of the walk),
/// the block, and the counts of its lanes. Returns the number of keys that were merged.
fn walk_color(
    class: &Class,
    sides: [&ColorList; 2],
    terms: &[Term],
    cancel: &CancelToken,
    mut visit: impl FnMut(usize, usize, usize, &Counts),
) -> Result<u64> {
    let (geometry, [own, other]) = (class.geometry, sides);
    let board = own.color.walked();
    let size = geometry.columns(board);
    let mut row_of = vec![None; 1 << size];
    other.sets.iter().enumerate().for_each(|(row, &set)| row_of[own.color.own(set, size) as usize] = Some(row));
    let all = walks(class, own.color, terms);
    let (mut keys, mut fitting) = (0, Vec::new());
    let tail = if all[0].rows.len() < TAIL { 0 } else { TAIL };
    // Walks with equal rows before the tail share lists.
    for together in all.chunk_by(|a, b| a.rows[..a.rows.len() - tail] == b.rows[..b.rows.len() - tail]) {
        let shape = Shape::new(geometry, board, together, tail)?;
        let end = &shape.ends[0];
        for (block, listed) in own.blocks.iter().enumerate() {
            let mut merged = None;
            for row in &shape.merges {
                cancel.check()?;
                let lists = merge(merged.as_ref().unwrap_or(listed), row)?;
                keys += lists.keys.len() as u64;
                merged = Some(lists);
            }
            let lists = merged.as_ref().unwrap_or(listed);
            for (number, &(columns, _)) in shape.endings.iter().enumerate() {
                if tail == 0 {
                    let keys = |lane| if lane < lists.lanes { lists.keys(number, lane).len() as u32 } else { 0 };
                    let counts = std::array::from_fn(keys);
                    for walk in together {
                        row_of[columns as usize].iter().for_each(|&row| visit(walk.term, row, block, &counts));
                    }
                    continue;
                }
                let free = full(size) ^ columns;
                if fittings(lists, number, end, free, &mut fitting)? == 0 {
                    continue;
                }
                for tail in &end.tails {
                    pairs(&fitting, end, free, tail, |pair, counts| {
                        if let Some(row) = row_of[(columns | pair) as usize] {
                            visit(tail.term, row, block, counts);
                        }
                    });
                }
            }
        }
    }
    Ok(keys)
}

/// The largest entry of a table. It counts placements of the filling side on given rows and columns: the permutations
/// of at most 15 queens on two sub-boards, where the numbers of queens differ by one at most.
const LARGEST_ENTRY: u32 = factorial(7) * factorial(8);

/// The largest column weight.
const LARGEST_WEIGHT: u32 = 4;

/// Weighted entries fit 32 bits, and their products with counts fit 64.
const _: () = assert!(LARGEST_ENTRY <= u32::MAX / LARGEST_WEIGHT);

const fn factorial(n: u32) -> u32 {
    if n == 0 { 1 } else { n * factorial(n - 1) }
}

/// Bytes of the tables of terms that are counted together.
const BYTES_TOGETHER: usize = 64 << 20;

/// Counts the terms of a unit with the odd rows `o`.
///
/// # Errors
/// [`Error::Memory`], [`Error::Bug`], [`Error::Cancelled`].
pub(crate) fn count(class: &Class, o: Subset, terms: &[Term], cancel: &CancelToken) -> Result<Tally> {
    let mut tally = Tally::default();
    let Sides { filling, summing } = class.sides();
    let (filling, summing) = (list_color(class, filling, o, cancel)?, list_color(class, summing, o, cancel)?);
    let [lanes, stride] = [filling.sets.len(), summing.blocks.len() * BLOCK];
    let length = lanes * stride;
    let mut tables = Vec::new();
    for terms in terms.chunks((BYTES_TOGETHER / size_of::<u32>() / length.max(1)).max(1)) {
        // Turned while it is filled: rows are lanes of the filling side.
        refill(&mut tables, (0..terms.len() * length).map(|_| 0u32))?;
        let filled = walk_color(class, [&filling, &summing], terms, cancel, |term, row, block, counts| {
            let table = &mut tables[term * length..][..length];
            for (lane, count) in (block * BLOCK..lanes).zip(counts) {
                table[lane * stride + row] += count;
            }
        })?;
        for (table, term) in tables.chunks_exact_mut(length.max(1)).zip(terms) {
            for (row, &a) in table.chunks_exact_mut(stride).zip(&filling.sets) {
                for (entry, &b) in row.iter_mut().zip(&summing.sets).filter(|(entry, _)| **entry > 0) {
                    let columns = if filling.color == Color::White { [b, a] } else { [a, b] };
                    *entry *= class.column_weight(columns, [term.e, o]) as u32;
                }
            }
        }
        let mut sums = vec![0u128; terms.len()];
        let summed = walk_color(class, [&summing, &filling], terms, cancel, |term, row, block, counts| {
            let entries = &tables[term * length + row * stride + block * BLOCK..];
            let products = entries.iter().zip(counts).map(|(&a, &b)| u64::from(a) * u64::from(b));
            sums[term] += products.map(u128::from).sum::<u128>();
        })?;
        for (sum, term) in sums.into_iter().zip(terms) {
            let weighted = sum.checked_mul(term.weight.into()).ok_or_else(|| Error::overflow(128))?;
            tally.add(Tally::new(weighted, Work::of_nodes(0)))?;
        }
        tally.work.add(Work::of_nodes(filled + summed));
    }
    Ok(tally)
}
