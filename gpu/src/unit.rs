//! Counts a unit on a card: lists both colors, fills tables, turns them, and multiplies.
//!
//! All large buffers are made before the first unit. If the tables of all terms do not fit, the terms are counted in
//! batches. If the lists of several walks do not fit, the number of walks is halved; if the lists of a single walk do
//! not fit, the number of lanes is halved.

use std::ops::Range;

use nqueens::CancelToken;
use nqueens::internal::{Class, Color, Sides, Subset, Term, elements, full};
use nqueens::tally::Tally;
use wgpu::Buffer;

use crate::card::{Card, Kernel, MOST_GROUPS, Report, Trouble};
use crate::shape::{BLOCK, Merge, MergedWalk, Shape, TAIL, lanes, walks};

/// The positions of the numbers in a report.
const TAKEN: usize = 0;
const WRITTEN: usize = 1;
const WRONG: usize = 1;
const IS_FULL: usize = 2;
const LEAVES: usize = 3;
const TOO_LARGE: usize = 3;

/// Marks a column set without a table row.
const NO_ROW: u32 = u32::MAX;

/// How many numbers of 32 bits make up the sum of a lane.
pub(crate) const SUM_NUMBERS: usize = 3;

/// Returns the sums of the lanes that these numbers make up.
pub(crate) fn sums_of_lanes(numbers: &[u32]) -> impl Iterator<Item = u128> {
    numbers
        .chunks_exact(SUM_NUMBERS)
        .map(|numbers| numbers.iter().rev().fold(0, |sum, &number| sum << 32 | u128::from(number)))
}

/// A card with its large buffers.
#[derive(Debug)]
pub(crate) struct Counter {
    pub(crate) card: Card,
    /// The keys and ranges of two merges, one of which is read while the other is written.
    merges: [Merged; 2],
    fittings: Buffer,
    filled: Buffer,
    turned: Buffer,
    /// The number of walks to merge together, as far as memory has allowed so far.
    together: usize,
    /// How often a leaf was compared with a slice of 32 keys: once for each slice of each lane and each choice of two
    /// columns.
    pub(crate) leaf_slices: u64,
}

/// The lists that a merge made on a card.
#[derive(Debug)]
struct Merged {
    keys: Buffer,
    ranges: Buffer,
}

/// The list of one color on the odd rows O.
struct Listed {
    color: Color,
    keys: Buffer,
    /// The position of the first key and the number of keys of each lane.
    ranges: Vec<[u32; 2]>,
    /// The set of white columns of each lane.
    sets: Vec<Subset>,
}

impl Listed {
    /// Returns the number of lanes of a table, including padding.
    fn stride(&self) -> usize {
        self.sets.len().next_multiple_of(BLOCK)
    }
}

/// The destination of a walk's counts.
#[derive(Debug, Clone, Copy)]
enum Sink<'a> {
    Fill,
    Dot { sums: &'a Buffer },
}

/// The data that all walks of one side share.
#[derive(Clone, Copy)]
struct Walked<'a> {
    own: &'a Listed,
    /// The number of rows of a table.
    rows: usize,
    row_of: &'a Buffer,
    row_of_set: &'a [u32],
    sink: Sink<'a>,
}

fn pairs(numbers: Vec<u32>) -> Vec<[u32; 2]> {
    numbers.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect()
}

impl Counter {
    /// Makes the large buffers of a card, and makes them smaller until the card grants them.
    pub(crate) fn new(mut card: Card) -> Result<Self, Trouble> {
        loop {
            let numbers = card.room / 4;
            let all = || -> Result<_, Trouble> {
                let merge = || -> Result<_, Trouble> {
                    Ok(Merged { keys: card.buffer(numbers)?, ranges: card.buffer(numbers / 2)? })
                };
                Ok(([merge()?, merge()?], card.buffer(numbers)?, card.buffer(numbers)?, card.buffer(numbers)?))
            };
            match all() {
                Ok((merges, fittings, filled, turned)) => {
                    return Ok(Self { card, merges, fittings, filled, turned, together: usize::MAX, leaf_slices: 0 });
                }
                Err(Trouble::Memory) if card.room > 1 << 16 => card.room /= 2,
                Err(trouble) => return Err(trouble),
            }
        }
    }

    /// Counts the terms of a unit with the odd rows `o`.
    pub(crate) fn count(
        &mut self,
        class: &Class,
        o: Subset,
        terms: &[Term],
        cancel: &CancelToken,
    ) -> Result<Tally, Trouble> {
        let Sides { filling, summing } = &class.sides;
        let filling = self.list(class, filling.color, o, cancel)?;
        let summing = self.list(class, summing.color, o, cancel)?;
        let mut tally = Tally::default();
        if filling.sets.is_empty() || summing.sets.is_empty() {
            return Ok(tally);
        }
        let length = filling.stride() * summing.stride();
        let together = (self.card.room / 4 / length).min(MOST_GROUPS);
        if together == 0 || summing.sets.len() > MOST_GROUPS || filling.sets.len() > MOST_GROUPS {
            return Err(Trouble::Memory);
        }
        for terms in terms.chunks(together) {
            let sums = self.sum(class, [&filling, &summing], o, terms, cancel)?;
            for (sum, term) in sums.into_iter().zip(terms) {
                // Multiplied by its row weight, each sum is at most Q(n), which is below 2^108.
                tally.solutions += sum * u128::from(term.weight);
            }
        }
        // The next unit tries more walks at once.
        self.together = self.together.saturating_mul(2);
        Ok(tally)
    }

    /// Returns the sum of each term over all column colorings.
    fn sum(
        &mut self,
        class: &Class,
        [filling, summing]: [&Listed; 2],
        o: Subset,
        terms: &[Term],
        cancel: &CancelToken,
    ) -> Result<Vec<u128>, Trouble> {
        self.card.clear(&self.filled, terms.len() * filling.stride() * summing.stride());
        self.walk_side(class, [filling, summing], terms, Sink::Fill, cancel)?;
        self.turn(class, [filling, summing], o, terms)?;
        let numbers = SUM_NUMBERS * terms.len() * summing.stride();
        let sums = self.card.upload((0..numbers).map(|_| 0))?;
        self.walk_side(class, [summing, filling], terms, Sink::Dot { sums: &sums }, cancel)?;
        let sums = self.card.read(&sums, numbers)?;
        Ok(sums.chunks_exact(SUM_NUMBERS * summing.stride()).map(|lanes| sums_of_lanes(lanes).sum()).collect())
    }

    /// Lists the placements of a color on the odd rows O.
    fn list(&mut self, class: &Class, color: Color, o: Subset, cancel: &CancelToken) -> Result<Listed, Trouble> {
        let (geometry, board) = (class.geometry, color.listed());
        let walk = MergedWalk { term: 0, rows: elements(color.own(o, geometry.odd_rows)).collect() };
        let shape = Shape::new(geometry, board, &[walk], 0)?;
        let start =
            Merged { keys: self.card.upload([0, 0].into_iter())?, ranges: self.card.upload([0, 1].into_iter())? };
        let keys = self.merge(&shape, &start, 1, cancel)?;
        let last = last(&self.merges, &shape, &start);
        let ranges = pairs(self.card.read(&last.ranges, 2 * shape.endings.len())?);
        let keys = self.card.copy(&last.keys, 2 * keys)?;
        let lanes = lanes(class, color, o, &shape, &ranges);
        let sets = lanes.iter().map(|&(_, set)| set).collect();
        Ok(Listed { color, keys, ranges: lanes.iter().map(|&(list, _)| ranges[list]).collect(), sets })
    }

    /// Runs all merges of a shape. Returns the number of keys in the last lists.
    fn merge(&mut self, shape: &Shape, start: &Merged, lanes: usize, cancel: &CancelToken) -> Result<usize, Trouble> {
        let capacity = self.card.room / 8;
        let mut keys = 1;
        for (number, merge) in (1..).zip(&shape.merges) {
            if merge.lists() * lanes > capacity / 2 {
                return Err(Trouble::Memory);
            }
            let sources = merge
                .sources
                .iter()
                .flat_map(|source| [source.list, source.lines as u32, (source.lines >> 32) as u32, 0]);
            let sources: Vec<u32> = sources.collect();
            let sources = &self.card.upload(sources.into_iter())?;
            let [a, b] = &self.merges;
            let (below, above) = if number % 2 == 0 { (b, a) } else { (a, b) };
            let below = if number == 1 { start } else { below };
            keys = merge_once(&mut self.card, merge, sources, [below, above], lanes, capacity, cancel)?;
        }
        Ok(keys)
    }

    /// Runs the walks of one side for these terms.
    fn walk_side(
        &mut self,
        class: &Class,
        [own, other]: [&Listed; 2],
        terms: &[Term],
        sink: Sink<'_>,
        cancel: &CancelToken,
    ) -> Result<(), Trouble> {
        let size = class.geometry.columns(own.color.walked());
        let mut row_of_set = vec![NO_ROW; 1 << size];
        (0..).zip(&other.sets).for_each(|(row, &set)| row_of_set[own.color.own(set, size) as usize] = row);
        let row_of = &self.card.upload(row_of_set.iter().copied())?;
        let color = Walked { own, rows: other.sets.len(), row_of, row_of_set: &row_of_set, sink };
        let all = walks(class, own.color, terms);
        let mut rest = &all[..];
        while !rest.is_empty() {
            let (walks, later) = rest.split_at(self.together.clamp(1, rest.len()));
            match self.walk(class, color, walks, 0..own.sets.len(), cancel) {
                Err(Trouble::Memory) if walks.len() > 1 => self.together = walks.len() / 2,
                Err(Trouble::Memory) => {
                    self.walk_in_tiles(class, color, walks, 0..own.sets.len(), cancel)?;
                    rest = later;
                }
                walked => {
                    walked?;
                    rest = later;
                }
            }
        }
        Ok(())
    }

    /// Counts a walk whose lists do not fit for all of these lanes, by halving the lanes.
    fn walk_in_tiles(
        &mut self,
        class: &Class,
        color: Walked<'_>,
        walks: &[MergedWalk],
        lanes: Range<usize>,
        cancel: &CancelToken,
    ) -> Result<(), Trouble> {
        let half = (lanes.len() / 2).next_multiple_of(BLOCK);
        if half >= lanes.len() {
            return Err(Trouble::Memory);
        }
        for tile in [lanes.start..lanes.start + half, lanes.start + half..lanes.end] {
            match self.walk(class, color, walks, tile.clone(), cancel) {
                Err(Trouble::Memory) => self.walk_in_tiles(class, color, walks, tile, cancel)?,
                walked => walked?,
            }
        }
        Ok(())
    }

    /// Runs these walks for these lanes. If it fails with [`Trouble::Memory`], it has changed no table.
    fn walk(
        &mut self,
        class: &Class,
        color: Walked<'_>,
        walks: &[MergedWalk],
        lanes: Range<usize>,
        cancel: &CancelToken,
    ) -> Result<(), Trouble> {
        let (geometry, board) = (class.geometry, color.own.color.walked());
        let tail = if walks[0].rows.len() < TAIL { 0 } else { TAIL };
        let shape = Shape::new(geometry, board, walks, tail)?;
        let ranges = color.own.ranges[lanes.clone()].iter().flatten().copied().collect::<Vec<_>>();
        let start = Merged { keys: color.own.keys.clone(), ranges: self.card.upload(ranges.into_iter())? };
        self.merge(&shape, &start, lanes.len(), cancel)?;
        if tail == 0 {
            return self.fill_without_tail(color, walks, &shape, &start, lanes);
        }
        let all = full(geometry.columns(board));
        let columns = geometry.columns(board) - shape.merges.len();
        let endings = shape.endings.iter().flat_map(|&(set, end)| [all ^ set, end as u32]);
        let endings = &self.card.upload(endings.collect::<Vec<_>>().into_iter())?;
        let (mut ends, mut rows, mut tails) = (Vec::new(), Vec::new(), Vec::new());
        for end in &shape.ends {
            let sizes = [rows.len() / 2, end.rows.len(), tails.len() / 4, end.tails.len()];
            ends.extend(sizes.map(|size| size as u32));
            rows.extend(end.rows.iter().flatten());
            tails.extend(
                end.tails.iter().flat_map(|tail| {
                    [tail.term, tail.rows[0], tail.rows[1], tail.distance].map(|number| number as u32)
                }),
            );
        }
        let ends = &self.card.upload(ends.into_iter())?;
        let (rows, tails) = (&self.card.upload(rows.into_iter())?, &self.card.upload(tails.into_iter())?);
        let blocks = lanes.len().div_ceil(BLOCK);
        let merged = last(&self.merges, &shape, &start);
        let kernel = match color.sink {
            Sink::Fill => Kernel::Fill(columns as u32),
            Sink::Dot { .. } => Kernel::Dot(columns as u32),
        };
        let (mut first, mut most) = (0, MOST_GROUPS);
        while first < shape.endings.len() {
            cancel.check()?;
            let paced = self.card.groups(Kernel::Fit).min(self.card.groups(kernel)) / blocks;
            let lists = paced.min(most).clamp(1, shape.endings.len() - first);
            let spans = &self.card.buffer(2 * lists * blocks)?;
            let task = [first, lanes.len(), columns, self.card.room / 4].map(|number| number as u32);
            let buffers = [endings, ends, rows, &merged.keys, &merged.ranges, &self.fittings, spans];
            let report = self.card.run(Kernel::Fit, &task, &buffers, true, [lists, blocks, 1])?;
            if report[IS_FULL] != 0 {
                if lists == 1 {
                    // The tables may already contain some lists, so smaller tiles would count these twice.
                    return Err(Trouble::Unfit);
                }
                most = lists / 2;
                continue;
            }
            if report[WRONG] != 0 {
                return Err(Trouble::Wrong("fittings have other keys than lists"));
            }
            let leaves = u64::from(report[LEAVES]) * BLOCK as u64 * (columns * (columns - 1)) as u64;
            self.leaf_slices += leaves;
            let numbers = [first, lanes.len(), all as usize, color.rows, lanes.start, color.own.stride()];
            let task = numbers.map(|number| number as u32);
            let buffers = [endings, ends, tails, &self.fittings, spans, color.row_of];
            let of_sink: &[&Buffer] = match color.sink {
                Sink::Fill => &[&self.filled],
                Sink::Dot { sums } => &[&self.turned, sums],
            };
            self.card.run(kernel, &task, &[&buffers[..], of_sink].concat(), false, [lists, blocks, 1])?;
            first += lists;
        }
        Ok(())
    }

    /// Fills the tables for walks of fewer than two rows, where a count is the number of keys in a list.
    fn fill_without_tail(
        &mut self,
        color: Walked<'_>,
        walks: &[MergedWalk],
        shape: &Shape,
        start: &Merged,
        lanes: Range<usize>,
    ) -> Result<(), Trouble> {
        // Only boards below n = 8 have such walks.
        if matches!(color.sink, Sink::Dot { .. }) {
            return Err(Trouble::Unfit);
        }
        let ranges = self.card.read(&last(&self.merges, shape, start).ranges, 2 * shape.endings.len() * lanes.len())?;
        for (&(columns, end), ranges) in shape.endings.iter().zip(ranges.chunks_exact(2 * lanes.len())) {
            let row = color.row_of_set[columns as usize];
            if row != NO_ROW {
                // Each walk has an end of its own.
                let at = (walks[end].term * color.rows + row as usize) * color.own.stride() + lanes.start;
                self.card.write(&self.filled, at, ranges.chunks_exact(2).map(|range| range[1]));
            }
        }
        Ok(())
    }

    /// Turns the filled tables of these terms, and applies the weights of their column colorings.
    fn turn(
        &mut self,
        class: &Class,
        [filling, summing]: [&Listed; 2],
        o: Subset,
        terms: &[Term],
    ) -> Result<(), Trouble> {
        let sets = |listed: &Listed| -> Vec<u32> {
            let set = |&set: &Subset| match listed.color {
                Color::White => [class.rank(set), u32::from(class.odd_column_factor(set, o))],
                Color::Black => [class.even_rank(set), 1],
            };
            listed.sets.iter().flat_map(set).collect()
        };
        let rows = &self.card.upload(sets(filling).into_iter())?;
        let lanes = &self.card.upload(sets(summing).into_iter())?;
        let row_ranks = terms.iter().flat_map(|term| {
            let (first, second) = class.ranks(term.e, o);
            [first, second]
        });
        let row_ranks = &self.card.upload(row_ranks.collect::<Vec<_>>().into_iter())?;
        let white_fills = u32::from(filling.color == Color::White);
        let task = [filling.stride() as u32, summing.sets.len() as u32, u32::from(class.is_even()), white_fills];
        let groups = [summing.stride() / BLOCK, filling.sets.len(), terms.len()];
        let buffers = [&self.filled, &self.turned, rows, lanes, row_ranks];
        let report: Report = self.card.run(Kernel::Turn, &task, &buffers, true, groups)?;
        if report[TOO_LARGE] != 0 { Err(Trouble::Entry) } else { Ok(()) }
    }
}

/// Returns the last lists of a shape, after [`Counter::merge`].
fn last<'a>(merges: &'a [Merged; 2], shape: &Shape, start: &'a Merged) -> &'a Merged {
    match shape.merges.len() {
        0 => start,
        number => &merges[number % 2],
    }
}

/// Runs one merge. Returns the number of keys in its lists.
fn merge_once(
    card: &mut Card,
    merge: &Merge,
    sources: &Buffer,
    [below, above]: [&Merged; 2],
    lanes: usize,
    capacity: usize,
    cancel: &CancelToken,
) -> Result<usize, Trouble> {
    let blocks = lanes.div_ceil(BLOCK);
    let (mut first, mut keys) = (0, 0);
    while first < merge.lists() {
        cancel.check()?;
        let lists = (card.groups(Kernel::Merge) / blocks).min(MOST_GROUPS).clamp(1, merge.lists() - first);
        let task = [first, lanes, merge.per_list, capacity, keys].map(|number| number as u32);
        let buffers = [sources, &below.keys, &below.ranges, &above.keys, &above.ranges];
        let report = card.run(Kernel::Merge, &task, &buffers, true, [lists, blocks, 1])?;
        if report[IS_FULL] != 0 {
            return Err(Trouble::Memory);
        }
        if report[TAKEN] != report[WRITTEN] {
            return Err(Trouble::Wrong("a list has other keys than were counted"));
        }
        keys += report[TAKEN] as usize;
        first += lists;
    }
    Ok(keys)
}
