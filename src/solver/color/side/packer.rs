//! The packer: asked for the next batch of packs, it filters and packs keys until the batch is full.
//!
//! Only one placement in 10 to 100 survives the first two or three queens of a walk, its *prefix*. For each prefix the
//! survivors are filtered out of the list and packed: 8 keys to a lane, lane by lane into words, and for every square
//! that the walk may still visit the *plane* of the keys it hits. What remains of the walk is and-not with planes.
//!
//! The keys that the queens of a path leave alive are kept for each queen. So that this memory is small and in a near
//! cache, a long list is packed segment by segment: all prefixes for some lanes, then all for the next ones.

use std::ops::Range;

use super::deal::{Deal, Layout};
use super::lists::{Keys, Lists, PADDING};
use super::planes::{ALL_KEYS, FIRST_SQUARE, NO_PLANE, NUMBERS, Planes};
use super::rows::Rows;
use super::store::{Pack, Store};
use super::tiles::divide;
use crate::solver::Isa;
use crate::solver::color::split::{BoardRow, Geometry, Queens, SubBoard, Subset};
use crate::solver::color::tuning::FLAT_TILE_WORDS;
use crate::solver::simd::{Cell, Kernel, LINES, Words, dispatch};
use crate::{CancelToken, Result};

/// What is to be packed.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) geometry: Geometry,
    /// The sub-board that is walked.
    pub(crate) board: SubBoard,
    /// How keys are dealt.
    pub(crate) layout: Layout,
    pub(crate) rows: Rows,
    /// Cells of packs in a batch, at least; the last one may have fewer.
    pub(crate) batch: usize,
    /// Cells of packs that the store may keep for the next request with the same prefixes. Where there are more, each
    /// batch is dropped when the next is asked for.
    pub(crate) kept: usize,
}

/// One node of the walk over a prefix's rows.
#[derive(Debug)]
struct Node {
    queens: Queens,
    /// Columns of the next row that are still to be tried.
    free: Subset,
    /// How many keys these queens leave alive: the first ones of `Packer::alive` for as many queens.
    alive: usize,
}

/// Packs one color's keys for the prefixes on some rows. Its memory is kept from one request to the next.
#[derive(Debug, Default)]
pub(crate) struct Packer {
    request: Option<Request>,
    /// The segment of the list that is packed.
    segment: usize,
    /// The path to the prefix that is next; empty at the end of a segment.
    path: Vec<Node>,
    /// The keys that are alive after the first queen of the path, after the second, and so on.
    alive: Vec<Keys>,
    /// The number of the prefix that is next.
    prefix: u32,
    /// How many packs of the store were in a batch already.
    handed: usize,
    /// Cells of all the store's packs, and of those among them that were in no batch yet.
    cells: usize,
    fresh: usize,
    /// Whether packs were dropped, so that the store will not have all.
    has_dropped: bool,
    bench: Bench,
}

impl Packer {
    /// Takes a request; what the store has is used where it is for the same rows.
    pub(crate) fn begin(&mut self, request: Request, lists: &Lists, store: &mut Store) {
        self.path.clear();
        (self.handed, self.cells, self.fresh, self.has_dropped) = (0, 0, 0, false);
        self.segment = lists.segments();
        if !store.is_for(&request.rows) {
            store.clear();
            self.segment = 0;
            self.begin_segment(&request, lists);
        }
        self.request = Some(request);
    }

    /// Begins with the prefixes for the segment, if there is one.
    fn begin_segment(&mut self, request: &Request, lists: &Lists) {
        self.prefix = 0;
        if self.segment < lists.segments() {
            let alive = lists.segment(self.segment).len();
            self.path.push(Node { queens: Queens::NONE, free: request.free(Queens::NONE, 0), alive });
        }
    }

    /// Some packs of the store that were in no batch before, or `None` at the end and when cancelled.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn next_batch(
        &mut self,
        isa: Isa,
        lists: &Lists,
        store: &mut Store,
        cancel: &CancelToken,
    ) -> Result<Option<Range<usize>>> {
        let Some(request) = self.request.take() else { return Ok(None) };
        // The batch before was walked.
        if self.cells > request.kept {
            store.clear();
            (self.cells, self.handed, self.has_dropped) = (0, 0, true);
        }
        if self.segment < lists.segments() {
            dispatch(isa, Pull { packer: self, request: &request, lists, store, cancel })?;
            if cancel.is_cancelled() {
                return Ok(None);
            }
        }
        let batch = self.handed..store.packs.len();
        (self.handed, self.fresh) = (batch.end, 0);
        if self.segment < lists.segments() {
            self.request = Some(request);
        } else if !self.has_dropped && self.cells <= request.kept {
            store.keep_for(request.rows);
        }
        Ok((!batch.is_empty()).then_some(batch))
    }
}

impl Request {
    /// The free columns of the prefix's row number `depth`; none after the last one.
    #[inline(always)]
    fn free(&self, queens: Queens, depth: usize) -> Subset {
        let row = self.rows.prefix.get(depth);
        row.map_or(0, |&row| BoardRow::new(self.geometry, self.board, row).free(queens))
    }
}

/// Packs until a batch is full or nothing is left.
struct Pull<'a> {
    packer: &'a mut Packer,
    request: &'a Request,
    lists: &'a Lists,
    store: &'a mut Store,
    cancel: &'a CancelToken,
}

impl Kernel for Pull<'_> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<T: Words>(self, token: T) -> Result<()> {
        let Self { packer, request, lists, store, cancel } = self;
        let depth = request.rows.prefix.len();
        while packer.alive.len() < depth {
            packer.alive.push(Keys::default());
        }
        while packer.segment < lists.segments() && !cancel.is_cancelled() {
            let Some(&Node { queens, free, alive }) = packer.path.last() else {
                packer.segment += 1;
                packer.begin_segment(request, lists);
                continue;
            };
            if packer.path.len() > depth {
                packer.path.pop();
                if alive > 0 {
                    let (keys, of_lanes) = alive_keys(&packer.alive[..depth], lists, packer.segment);
                    let (number, blocks) = (packer.prefix, lists.blocks());
                    let prefix = Prefix { number, queens, keys, lanes: &of_lanes[..alive], blocks };
                    let cells = packer.bench.pack(token, request, &prefix, store)?;
                    packer.cells += cells;
                    packer.fresh += cells;
                }
                packer.prefix += 1;
                if alive > 0 && packer.fresh >= request.batch {
                    break;
                }
            } else if free == 0 {
                packer.path.pop();
            } else {
                packer.place(token, request, lists)?;
            }
        }
        Ok(())
    }
}

/// The keys that are alive after the queens of a path, and their lanes: what the last of these queens left alive, or a
/// segment of the list.
#[inline(always)]
fn alive_keys<'a>(after_queens: &'a [Keys], lists: &'a Lists, segment: usize) -> (&'a [u64], &'a [u32]) {
    match after_queens.last() {
        Some(alive) => (&alive.keys, &alive.lanes),
        None => {
            let start = lists.segment(segment).start;
            (&lists.keys.keys[start..], &lists.keys.lanes[start..])
        }
    }
}

impl Packer {
    /// Places a queen in the first free column that the path has left, and filters the keys that are alive.
    #[inline(always)]
    fn place<T: Words>(&mut self, token: T, request: &Request, lists: &Lists) -> Result<()> {
        let placed = self.path.len() - 1;
        let node = &mut self.path[placed];
        let (queens, alive, column) = (node.queens, node.alive, node.free.trailing_zeros() as usize);
        node.free &= node.free - 1;
        let row = BoardRow::new(request.geometry, request.board, request.rows.prefix[placed]);
        let lines = row.place(Queens::NONE, column).key;
        let (above, below) = self.alive.split_at_mut(placed);
        let (keys, of_lanes) = alive_keys(above, lists, self.segment);
        let (padded, left) = (alive.next_multiple_of(8), &mut below[0]);
        left.grow(padded)?;
        let mut kept = token.filter(&keys[..padded], &of_lanes[..padded], lines, &mut left.keys, &mut left.lanes);
        let segment = lists.segment(self.segment);
        if placed == 0 && segment.end < lists.len() {
            // The last 8 keys of a segment may reach into the next one.
            while kept > 0 && left.lanes[kept - 1] >= lists.keys.lanes[segment.end] {
                kept -= 1;
            }
        }
        left.keys[kept..kept.next_multiple_of(8)].fill(PADDING);
        let queens = row.place(queens, column);
        self.path.push(Node { queens, free: request.free(queens, placed + 1), alive: kept });
        Ok(())
    }
}

/// A prefix, and the keys that it leaves alive.
struct Prefix<'a> {
    number: u32,
    queens: Queens,
    /// Padded.
    keys: &'a [u64],
    /// Not padded.
    lanes: &'a [u32],
    /// Blocks of lanes that the list has.
    blocks: usize,
}

/// What one pack is made with.
#[derive(Debug, Default)]
struct Bench {
    deal: Deal,
    planes: Planes,
    best_tiles: Vec<(usize, usize)>,
}

impl Bench {
    /// Packs the keys that a prefix leaves alive; returns the number of cells that this took.
    #[inline(always)]
    fn pack<T: Words>(&mut self, token: T, request: &Request, prefix: &Prefix<'_>, store: &mut Store) -> Result<usize> {
        let Self { deal, planes, best_tiles } = self;
        deal.deal(prefix.lanes, prefix.blocks, request.layout, T::SHARING);
        let first_tile = store.tiles.len();
        let most = if request.layout == Layout::Flat { FLAT_TILE_WORDS } else { T::TILE_WORDS };
        let words = divide(&deal.depths, most, &mut store.tiles, best_tiles);
        planes.renumber(request.geometry, request.board, prefix.queens, &request.rows.open);
        let count = planes.count();
        let position = store.reserve(count * words)?;
        let no_lanes = if request.layout == Layout::Flat { prefix.lanes } else { &[] };
        let start = store.keep_lanes(no_lanes)?;
        store.packs.push(Pack {
            prefix: prefix.number,
            words: words as u32,
            planes: count as u32,
            position,
            first_tile: first_tile as u32,
            tiles: (store.tiles.len() - first_tile) as u32,
            lanes: start,
            keys: no_lanes.len() as u32,
        });
        let mut cells = &mut store.chunks[position.chunk as usize][position.at as usize..];
        for tile in &store.tiles[first_tile..] {
            let width = usize::from(tile.width);
            let words = width * usize::from(tile.depth);
            let (of_tile, rest) = std::mem::take(&mut cells).split_at_mut(count * words);
            cells = rest;
            for word in 0..words {
                let block = usize::from(tile.block) + word % width;
                let level = usize::from(tile.level) + word / width;
                let dealt = deal.word(block, level);
                let mut by_line = [Cell::ZERO; LINES];
                token.line_planes(prefix.keys, &dealt.ends, &mut by_line);
                let to = &mut of_tile[word..];
                // Bit 0 is set in every key: its line's plane is that of all keys.
                to[usize::from(NO_PLANE) * words] = Cell::ZERO;
                to[usize::from(ALL_KEYS) * words] = by_line[0];
                to[usize::from(NUMBERS) * words] = dealt.numbers;
                write_squares(token, planes, &by_line, to, words);
            }
        }
        Ok(count * words)
    }
}

/// Writes one word of the plane of each square. These cells lie `words` apart.
#[inline(always)]
fn write_squares<T: Words>(token: T, planes: &Planes, by_line: &[Cell; LINES], cells: &mut [Cell], words: usize) {
    for (plane, lines) in (usize::from(FIRST_SQUARE)..).zip(planes.lines()) {
        let [diagonal, antidiagonal] = lines.map(|line| token.load(&by_line[usize::from(line) & 63]));
        token.store(token.or(diagonal, antidiagonal), &mut cells[plane * words]);
    }
}
