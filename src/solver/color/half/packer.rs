//! The packer: asked for the next batch of packs, it filters and packs keys until the batch is full.
//!
//! Only one placement in 10 to 100 survives the first two or three queens of a walk, its *prefix*. For each prefix the
//! survivors are filtered out of the list and packed: 8 keys to a lane, lane by lane into words, and for every square
//! that the walk may still visit the *plane* of the keys it hits. What remains of the walk is and-not with planes.
//!
//! The keys that the queens of a path leave alive are kept for each queen. So that this memory is small and in a near
//! cache, a long list is packed segment by segment: all prefixes for some lanes, then all for the next ones.

use std::ops::Range;

use super::deal::{Deal, Dealt, Layout};
use super::lists::{Keys, Lists, PADDING};
use super::planes::{ALL_KEYS, FIRST_SQUARE, NO_PLANE, NUMBERS, Planes};
use super::rows::Rows;
use super::store::{Pack, Store};
use super::tiles::divide;
use crate::solver::Isa;
use crate::solver::color::room::grow;
use crate::solver::color::split::{BoardRow, Geometry, Queens, SubBoard, Subset};
use crate::solver::simd::{Cell, Kernel, LANES, Lanes, dispatch};
use crate::{CancelToken, Result};

/// What is to be packed.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) geometry: Geometry,
    /// The sub-board that is walked.
    pub(crate) board: SubBoard,
    /// How keys are dealt. Where the processor cannot pick, [`Layout::Aligned`] stands in for [`Layout::Picked`].
    pub(crate) layout: Layout,
    pub(crate) rows: Rows,
    /// A batch is full with so many cells of packs; the last one may have fewer.
    pub(crate) batch: usize,
    /// The store may keep so many cells of packs, for the next request with the same prefixes. Where there are more, each
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
    keys_packed: u64,
    /// The keys of the prefix that is packed, and their lanes, where they were in one.
    split: Keys,
    bench: Bench,
}

impl Packer {
    /// Takes a request; what the store has is used where it is for the same rows.
    pub(crate) fn begin(&mut self, request: Request, lists: &Lists, store: &mut Store) {
        self.path.clear();
        (self.handed, self.cells, self.fresh, self.has_dropped) = (0, 0, 0, false);
        // Where the request before ended in an error, nobody took them.
        self.keys_packed = 0;
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

    /// Keys packed since this was asked last.
    pub(crate) fn take_keys_packed(&mut self) -> u64 {
        std::mem::take(&mut self.keys_packed)
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
    fn run<L: Lanes>(self, lanes: L) -> Result<()> {
        let Self { packer, request, lists, store, cancel } = self;
        let depth = request.rows.prefix.len();
        while packer.alive.len() < depth {
            packer.alive.push(Keys::default());
        }
        while packer.segment < lists.segments() && !cancel.is_cancelled() {
            let Some(node) = packer.path.last_mut() else {
                packer.segment += 1;
                packer.begin_segment(request, lists);
                continue;
            };
            let (queens, alive) = (node.queens, node.alive);
            let free = node.free;
            node.free &= free.wrapping_sub(1);
            let placed = packer.path.len() - 1;
            let (above, below) = packer.alive.split_at_mut(placed);
            let segment = lists.segment(packer.segment);
            let (keys, of_lanes) = match above.last() {
                Some(above) => (&above.keys[..], &above.lanes[..]),
                None => (&lists.keys.keys[segment.start..], &lists.keys.lanes[segment.start..]),
            };
            let lane_bits = lists.lane_bits;
            if placed == depth {
                packer.path.pop();
                if alive > 0 {
                    packer.keys_packed += alive as u64;
                    let (keys, of_lanes) = match lane_bits {
                        Some(bits) => packer.split.split(&keys[..alive], bits)?,
                        None => (keys, &of_lanes[..alive]),
                    };
                    let survivors = Survivors { keys, lanes: of_lanes, blocks: lists.blocks() };
                    let cells = packer.bench.pack(lanes, request, queens, packer.prefix, survivors, store)?;
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
                // A prefix without a key is numbered all the same.
                let (row, column) = (request.rows.prefix[placed], free.trailing_zeros() as usize);
                let row = BoardRow::new(request.geometry, request.board, row);
                let lines = row.place(Queens::NONE, column).key;
                let padded = alive.next_multiple_of(8);
                let left = &mut below[0];
                let mut kept = match lane_bits {
                    Some(_) => {
                        grow(&mut left.keys, padded, PADDING)?;
                        lanes.filter_keys(&keys[..padded], lines, &mut left.keys)
                    }
                    None => {
                        left.grow(padded)?;
                        lanes.filter(&keys[..padded], &of_lanes[..padded], lines, &mut left.keys, &mut left.lanes)
                    }
                };
                if placed == 0 {
                    // The last 8 keys of a segment may reach into the next one.
                    let next = if segment.end < lists.len() { lists.keys.lanes[segment.end] } else { u32::MAX };
                    let lane = |at: usize| lane_bits.map_or_else(|| left.lanes[at], |bits| bits.split(left.keys[at]).1);
                    while kept > 0 && lane(kept - 1) >= next {
                        kept -= 1;
                    }
                }
                left.keys[kept..kept.next_multiple_of(8)].fill(PADDING);
                let queens = row.place(queens, column);
                packer.path.push(Node { queens, free: request.free(queens, placed + 1), alive: kept });
            }
        }
        Ok(())
    }
}

/// The keys that a prefix leaves alive.
#[derive(Clone, Copy)]
struct Survivors<'a> {
    /// Their keys, with padding.
    keys: &'a [u64],
    /// Their lanes, without padding.
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
    /// Packs the survivors of a prefix; returns the cells it took.
    #[inline(always)]
    fn pack<L: Lanes>(
        &mut self,
        lanes: L,
        request: &Request,
        prefix: Queens,
        number: u32,
        survivors: Survivors<'_>,
        store: &mut Store,
    ) -> Result<usize> {
        let layout = match request.layout {
            Layout::Picked if L::SHARING == 1 => Layout::Aligned,
            layout => layout,
        };
        self.deal.deal(survivors.lanes, survivors.blocks, layout, L::SHARING);
        let first_tile = store.tiles.len();
        let words = divide(&self.deal.depths, &mut store.tiles, &mut self.best_tiles);
        self.planes.renumber(request.geometry, request.board, prefix, &request.rows.open);
        let planes = self.planes.count();
        let position = store.reserve(planes * words)?;
        let no_lanes = if layout == Layout::Flat { survivors.lanes } else { &[] };
        let start = store.keep_lanes(no_lanes)?;
        store.packs.push(Pack {
            prefix: number,
            words: words as u32,
            planes: planes as u32,
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
            let (of_tile, rest) = std::mem::take(&mut cells).split_at_mut(planes * words);
            cells = rest;
            for word in 0..words {
                let block = usize::from(tile.block) + word % width;
                let level = usize::from(tile.level) + word / width;
                self.write_planes(lanes, request, survivors.keys, self.deal.word(block, level), of_tile, [word, words]);
            }
        }
        Ok(planes * words)
    }

    /// Writes one word of all planes of a tile: number `word` of `words`.
    #[inline(always)]
    fn write_planes<L: Lanes>(
        &self,
        lanes: L,
        request: &Request,
        keys: &[u64],
        dealt: &Dealt,
        cells: &mut [Cell],
        [word, words]: [usize; 2],
    ) {
        let mut by_line = [Cell::ZERO; LANES];
        lanes.line_planes(keys, &dealt.ends, &mut by_line);
        // Bit 0 is set in every key: its line's plane is that of all keys.
        cells[usize::from(NO_PLANE) * words + word] = Cell::ZERO;
        cells[usize::from(ALL_KEYS) * words + word] = by_line[0];
        cells[usize::from(NUMBERS) * words + word] = dealt.numbers;
        for (plane, &(i, j)) in (usize::from(FIRST_SQUARE)..).zip(self.planes.squares()) {
            let lines = request.geometry.lines(request.board, usize::from(i), usize::from(j));
            let (diagonal, antidiagonal) = (lines.trailing_zeros(), 63 - lines.leading_zeros());
            let [diagonal, antidiagonal] =
                [diagonal, antidiagonal].map(|line| lanes.load(&by_line[line as usize & 63]));
            lanes.store(lanes.or(diagonal, antidiagonal), &mut cells[plane * words + word]);
        }
    }
}
