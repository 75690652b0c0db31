//! The packer: filters and packs keys until a batch of packs is full.
//!
//! The first queens of a walk are its *prefix*. They leave one key in 10 to 100 alive. For each prefix the packer
//! filters these keys out of the list and deals them to words. Then it makes a *plane* for every square that the walk
//! may still visit. The plane has the bits of the keys that a queen on the square attacks. The rest of the walk is
//! and-not with planes.
//!
//! The packer keeps the keys that are alive after each queen of the prefix. A long list is packed segment by segment,
//! so that these keys need less memory.

use std::ops::Range;

use super::deal::{Deal, Layout};
use super::lists::{Keys, Lists, PADDING};
use super::planes::{ALL_KEYS, FIRST_SQUARE, NO_PLANE, NUMBERS, Planes};
use super::rows::Rows;
use super::store::{Pack, Store};
use super::tiles::divide;
use crate::room::push;
use crate::solver::Isa;
use crate::solver::color::split::{BoardRow, Geometry, Queens, SubBoard, Subset};
use crate::solver::color::tuning::FLAT_TILE_WORDS;
use crate::solver::simd::{Cell, Kernel, LINES, Words, dispatch};
use crate::{CancelToken, Result};

/// Says what to pack.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) geometry: Geometry,
    /// The sub-board of the walk.
    pub(crate) board: SubBoard,
    /// How keys are dealt.
    pub(crate) layout: Layout,
    pub(crate) rows: Rows,
    /// Cells of a batch. A batch ends with the pack that reaches this number.
    pub(crate) batch: usize,
    /// Cells that the store may keep for the next request with the same prefixes. If the packs have more, the packer
    /// drops each batch before it makes the next.
    pub(crate) kept: usize,
}

/// A queen of the path to a prefix, or the empty board at its start.
#[derive(Debug)]
struct Node {
    queens: Queens,
    /// Columns of the next row that are left to try.
    free: Subset,
    /// How many keys are alive after `queens`. `Packer::alive` has them.
    alive: usize,
}

/// Packs the keys of one side for the prefixes on some rows. Requests use its memory again.
#[derive(Debug, Default)]
pub(crate) struct Packer {
    request: Option<Request>,
    /// The number of the segment that is packed.
    segment: usize,
    /// The path to the next prefix. Empty at the end of a segment.
    path: Vec<Node>,
    /// The keys that are alive after one queen of the path, after two, and so on.
    alive: Vec<Keys>,
    /// The number of the next prefix.
    prefix: u32,
    /// Number of packs in the store that were already returned in a batch.
    handed: usize,
    /// Cells of all packs in the store.
    cells: usize,
    /// Cells of the packs that were in no batch yet.
    fresh: usize,
    /// Whether packs were dropped. Then the store never has all of them.
    has_dropped: bool,
    bench: Bench,
}

impl Packer {
    /// Begins a request. If the store has all packs for its rows, they are used again.
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

    /// Begins with the first prefix, for segment `self.segment`. Does nothing after the last segment.
    fn begin_segment(&mut self, request: &Request, lists: &Lists) {
        self.prefix = 0;
        if self.segment < lists.segments() {
            let alive = lists.segment(self.segment).len();
            self.path.push(Node { queens: Queens::NONE, free: request.free(Queens::NONE, 0), alive });
        }
    }

    /// Returns the next batch, as a range of the store's packs. `None` at the end, and when cancelled.
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
        // The caller has already replayed the last batch.
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
    /// The free columns of row number `depth` of the prefix. None after the last row.
    #[inline(always)]
    fn free(&self, queens: Queens, depth: usize) -> Subset {
        let row = self.rows.prefix.get(depth);
        row.map_or(0, |&row| BoardRow::new(self.geometry, self.board, row).free(queens))
    }
}

/// Packs until the batch is full or no prefix is left.
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

/// The keys that are alive after the last queen of a path, and their lanes. Without a queen that is the segment.
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
    /// Places a queen in the first column that is left to try, and filters the keys that stay alive.
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
            // The segment was read in steps of 8 keys, so the last step may have read keys of the next segment.
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
    /// The keys, with padding.
    keys: &'a [u64],
    /// Their lanes, without padding.
    lanes: &'a [u32],
    /// Number of blocks of the list.
    blocks: usize,
}

/// Scratch memory for making a pack.
#[derive(Debug, Default)]
struct Bench {
    deal: Deal,
    planes: Planes,
    best_tiles: Vec<(usize, usize)>,
}

impl Bench {
    /// Packs the keys that a prefix leaves alive. Returns the number of cells of the pack.
    #[inline(always)]
    fn pack<T: Words>(&mut self, token: T, request: &Request, prefix: &Prefix<'_>, store: &mut Store) -> Result<usize> {
        let Self { deal, planes, best_tiles } = self;
        deal.deal(prefix.lanes, prefix.blocks, request.layout, T::SHARING)?;
        let first_tile = store.tiles.len();
        let most = if request.layout == Layout::Flat { FLAT_TILE_WORDS } else { T::TILE_WORDS };
        let words = divide(&deal.depths, most, &mut store.tiles, best_tiles)?;
        planes.renumber(request.geometry, request.board, prefix.queens, &request.rows.open);
        let count = planes.count();
        let position = store.reserve(count * words)?;
        let flat_lanes = if request.layout == Layout::Flat { prefix.lanes } else { &[] };
        let start = store.keep_lanes(flat_lanes)?;
        let pack = Pack {
            prefix: prefix.number,
            words: words as u32,
            planes: count as u32,
            position,
            first_tile: first_tile as u32,
            tiles: (store.tiles.len() - first_tile) as u32,
            lanes: start,
            keys: flat_lanes.len() as u32,
        };
        push(&mut store.packs, pack)?;
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
                // Every key has bit 0 set, so the plane of line 0 is the plane of all keys.
                to[usize::from(NO_PLANE) * words] = Cell::ZERO;
                to[usize::from(ALL_KEYS) * words] = by_line[0];
                to[usize::from(NUMBERS) * words] = dealt.numbers;
                write_squares(token, planes, &by_line, to, words);
            }
        }
        Ok(count * words)
    }
}

/// Writes one word of each square's plane. In `cells`, planes are `words` cells apart.
#[inline(always)]
fn write_squares<T: Words>(token: T, planes: &Planes, by_line: &[Cell; LINES], cells: &mut [Cell], words: usize) {
    for (plane, lines) in (usize::from(FIRST_SQUARE)..).zip(planes.lines()) {
        let [diagonal, antidiagonal] = lines.map(|line| token.load(&by_line[usize::from(line) & 63]));
        token.store(token.or(diagonal, antidiagonal), &mut cells[plane * words]);
    }
}
