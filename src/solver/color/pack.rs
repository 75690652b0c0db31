//! Packs: the placements in lanes that a prefix of the walk leaves alive, as bit planes.
//!
//! Only one placement in 10 to 100 survives the first two or three queens of a walk. For each such prefix the survivors
//! are filtered out of the list and packed: 8 keys to a lane, lane by lane into words, and for every square that the
//! walk may still visit the *plane* of the keys it hits. What remains of the walk is and-not with planes.

use std::ops::Range;

use super::cell::{Cell, LANE_BITS, LANES, grow};
use super::geometry::{Geometry, SubBoard};
use super::isa::{Kernel, Lanes};
use super::placements::{Lists, PADDING, free_columns};
use super::program::{ALL_KEYS, FIRST_SQUARE, NO_PLANE, NUMBERS, Planes, Prefix, Rows};
use super::tuning::{CHUNKS, MAX_WORDS, TILE_COST};
use crate::CancelToken;

/// Words of a pack that are walked together: a rectangle of neighbouring blocks of 64 lanes and of levels, the first 8
/// keys of each lane, the second, and so on. The counts of all levels are added before they meet the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tile {
    /// Words of the tiles before it.
    offset: u32,
    /// The first block.
    pub(super) block: u16,
    /// The first level.
    level: u16,
    /// Blocks.
    pub(super) width: u8,
    /// Levels.
    pub(super) depth: u8,
}

/// Divides blocks that need so many levels into tiles of the least cost.
fn divide(levels: &[usize], tiles: &mut Vec<Tile>, best: &mut Vec<(usize, usize)>) -> usize {
    // Lists have fewer than 2^32 keys, and a prefix keeps few of them: 65 536 levels are half a million in one lane.
    assert!(
        levels.iter().all(|&levels| levels <= usize::from(u16::MAX)),
        "a pack's tiles number their levels in 16 bits"
    );
    // best[end]: least cost of the blocks before `end`, and where the last tile begins.
    best.clear();
    best.push((0, 0));
    for end in 1..=levels.len() {
        let mut deepest = 0;
        let mut choice = (usize::MAX, 0);
        for start in (0..end).rev() {
            deepest = deepest.max(levels[start]);
            let width = end - start;
            if width > MAX_WORDS || width > 1 && width * deepest > MAX_WORDS {
                break;
            }
            let passes = deepest.div_ceil(MAX_WORDS);
            let cost = best[start].0 + passes * TILE_COST + width * deepest;
            choice = choice.min((cost, start));
        }
        best.push(choice);
    }
    let first = tiles.len();
    let mut end = levels.len();
    while end > 0 {
        let start = best[end].1;
        let deepest = levels[start..end].iter().copied().max().unwrap_or(0);
        for level in (0..deepest).step_by(MAX_WORDS) {
            tiles.push(Tile {
                offset: 0,
                block: start as u16,
                level: level as u16,
                width: (end - start) as u8,
                depth: (deepest - level).min(MAX_WORDS) as u8,
            });
        }
        end = start;
    }
    let mut words = 0;
    for tile in &mut tiles[first..] {
        tile.offset = words as u32;
        words += usize::from(tile.width) * usize::from(tile.depth);
    }
    words
}

/// The survivors of one prefix.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pack {
    /// The prefix's number.
    pub(super) prefix: u32,
    /// Words of a plane.
    pub(super) words: u32,
    /// Planes of each tile.
    planes: u32,
    /// Where the planes of its first tile begin in the store's memory.
    place: Place,
    first_tile: u32,
    tiles: u32,
}

/// Some cell of a store.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    chunk: u32,
    at: u32,
}

/// The packs of one prefix's rows. Memory is kept from one use to the next: fresh pages cost as much as the packing.
#[derive(Debug, Default)]
pub(super) struct Store {
    /// What the packs are for; `None` when they are not valid.
    pub(super) rows: Option<Rows>,
    pub(super) packs: Vec<Pack>,
    /// Memory in chunks, none of which moves while it holds packs: one vector that doubles held 2 to 3 times what it
    /// used at n = 22, and moving it took 2 to 4 % of all time.
    chunks: Vec<Vec<Cell>>,
    tiles: Vec<Tile>,
    /// Where the packs end in memory.
    used: Place,
}

impl Store {
    /// The tiles of one of its packs.
    #[inline(always)]
    pub(super) fn tiles(&self, pack: &Pack) -> &[Tile] {
        &self.tiles[pack.first_tile as usize..][..pack.tiles as usize]
    }

    /// The planes of a tile: of each its words, level by level, block by block, then those of the next.
    #[inline(always)]
    pub(super) fn planes(&self, pack: &Pack, tile: &Tile) -> &[Cell] {
        let (before, words) = (tile.offset as usize, usize::from(tile.width) * usize::from(tile.depth));
        let planes = pack.planes as usize;
        let chunk = &self.chunks[pack.place.chunk as usize];
        &chunk[pack.place.at as usize + planes * before..][..planes * words]
    }

    fn clear(&mut self) {
        self.packs.clear();
        self.tiles.clear();
        self.used = Place::default();
    }

    /// Room for so many cells after those in use.
    fn reserve(&mut self, cells: usize) -> Place {
        let used = &mut self.used;
        let has_room = |chunk: &Vec<Cell>| chunk.len() - used.at as usize >= cells;
        if !self.chunks.get(used.chunk as usize).is_some_and(has_room) {
            if used.at > 0 {
                *used = Place { chunk: used.chunk + 1, at: 0 };
            }
            match self.chunks.get_mut(used.chunk as usize) {
                Some(chunk) => grow(chunk, cells),
                None => {
                    let usual = CHUNKS[1].min(CHUNKS[0] << self.chunks.len().min(4));
                    self.chunks.push(vec![Cell::ZERO; cells.max(usual)]);
                }
            }
        }
        let place = *used;
        used.at += cells as u32;
        place
    }
}

/// How a pack's keys are dealt to the lanes of its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// Lanes as in the table: a block has as many words as its fullest lane needs, one for every 8 keys.
    Aligned,
    /// Two neighbouring blocks share their words: up to 8 keys of some lane of the two stand in any lane, and each word
    /// has the [numbers](NUMBERS) of its lanes.
    Picked,
}

/// Memory for packing, kept by each thread.
#[derive(Debug)]
pub(super) struct Scratch {
    levels: Vec<Level>,
    planes: Planes,
    /// Where each lane's survivors begin, one more than there are lanes.
    starts: Vec<u32>,
    /// The words, block by block (or pair by pair), level by level.
    words: Vec<Dealt>,
    /// Levels of each block (or pair), and the number of its first word.
    depths: Vec<usize>,
    firsts: Vec<usize>,
    best: Vec<(usize, usize)>,
}

#[derive(Debug, Default, Clone)]
struct Level {
    keys: Vec<u64>,
    lanes: Vec<u32>,
}

/// What stands in a word.
#[derive(Debug, Clone)]
struct Dealt {
    /// Where the keys of each lane begin and end.
    ends: [[u32; 2]; LANES],
    numbers: Cell,
}

impl Dealt {
    const EMPTY: Self = Self { ends: [[0; 2]; LANES], numbers: Cell::ZERO };
}

impl Scratch {
    pub(super) fn new() -> Self {
        Self {
            levels: Vec::new(),
            planes: Planes::new(),
            starts: Vec::new(),
            words: Vec::new(),
            depths: Vec::new(),
            firsts: Vec::new(),
            best: Vec::new(),
        }
    }

    /// Deals the keys to words.
    fn deal(&mut self, layout: Layout) {
        self.words.clear();
        self.depths.clear();
        self.firsts.clear();
        match layout {
            Layout::Aligned => {
                for starts in self.starts.windows(LANES + 1).step_by(LANES) {
                    let fullest = starts.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0);
                    self.firsts.push(self.words.len());
                    for level in (0..fullest).step_by(LANE_BITS) {
                        let mut word = Dealt::EMPTY;
                        for (to, ends) in word.ends.iter_mut().zip(starts.windows(2)) {
                            let from = ends[0] + level;
                            if from < ends[1] {
                                *to = [from, ends[1].min(from + LANE_BITS as u32)];
                            }
                        }
                        self.words.push(word);
                    }
                    self.depths.push(fullest.div_ceil(LANE_BITS as u32) as usize);
                }
            }
            Layout::Picked => {
                let last = self.starts.len() - 1;
                for first in (0..last).step_by(2 * LANES) {
                    let (before, mut at) = (self.words.len(), LANES);
                    self.firsts.push(before);
                    for (number, ends) in self.starts[first..=last.min(first + 2 * LANES)].windows(2).enumerate() {
                        for from in (ends[0]..ends[1]).step_by(LANE_BITS) {
                            if at == LANES {
                                self.words.push(Dealt::EMPTY);
                                at = 0;
                            }
                            let word = self.words.last_mut().expect("one was pushed");
                            word.ends[at] = [from, ends[1].min(from + LANE_BITS as u32)];
                            word.numbers.0[at] = number as u8;
                            at += 1;
                        }
                    }
                    self.depths.push(self.words.len() - before);
                }
            }
        }
    }
}

/// Builds the packs of a store.
pub(super) struct Build<'a> {
    pub(super) geometry: Geometry,
    /// The sub-board that is walked.
    pub(super) board: SubBoard,
    /// Whether the packs are for the summing side.
    pub(super) is_summed: bool,
    pub(super) lists: &'a Lists,
    pub(super) rows: &'a Rows,
    pub(super) store: &'a mut Store,
    pub(super) scratch: &'a mut Scratch,
    /// Is handed the packs, some at a time, as soon as they are built and while they are in a near cache.
    pub(super) walk: &'a mut dyn FnMut(&Store, Range<usize>),
    /// Cells of packs that `walk` is handed, at least.
    pub(super) walked_at_once: usize,
    /// Cells that the store may keep: once it has more, it drops all it handed over, and is not valid.
    pub(super) kept: usize,
    pub(super) built: Built,
    /// When cancelled, the store is left incomplete.
    pub(super) cancel: &'a CancelToken,
}

/// How far a build is.
#[derive(Default)]
pub(super) struct Built {
    keys: u64,
    /// Packs of the store that were handed over.
    handed: usize,
    /// Cells of the store's packs, and of those not handed over yet.
    cells: usize,
    fresh: usize,
}

impl Kernel for Build<'_> {
    /// Keys packed.
    type Output = u64;

    #[inline(always)]
    fn run<L: Lanes>(mut self, lanes: L) -> u64 {
        self.store.clear();
        self.store.rows = Some(self.rows.clone());
        let depth = self.rows.prefix.len();
        if self.scratch.levels.len() < depth {
            self.scratch.levels.resize_with(depth, Level::default);
        }
        for level in &mut self.scratch.levels[..depth] {
            if self.cancel.is_cancelled() {
                return 0;
            }
            level.keys.resize(self.lists.keys.len().max(level.keys.len()), PADDING);
            level.lanes.resize(self.lists.keys.len().max(level.lanes.len()), 0);
        }
        let mut levels = std::mem::take(&mut self.scratch.levels);
        let lists = self.lists;
        let mut number = 0;
        descend(
            lanes,
            &mut self,
            Prefix::EMPTY,
            (&lists.keys, &lists.lanes, lists.len()),
            &mut levels[..depth],
            &mut number,
        );
        self.scratch.levels = levels;
        self.hand_over();
        self.built.keys
    }
}

impl Build<'_> {
    /// Hands the packs over that were not yet, and drops all where they are too many to keep.
    #[inline(always)]
    fn hand_over(&mut self) {
        let Self { store, built, walk, kept, .. } = self;
        walk(store, built.handed..store.packs.len());
        built.fresh = 0;
        if built.cells > *kept {
            store.clear();
            store.rows = None;
            built.cells = 0;
        }
        built.handed = store.packs.len();
    }
}

type Keys<'a> = (&'a [u64], &'a [u32], usize);

/// Filters the keys by the prefix's queens, each on what the one before kept, and packs what all of them kept.
#[inline(always)]
fn descend<L: Lanes>(
    lanes: L,
    build: &mut Build<'_>,
    root: Prefix,
    keys: Keys<'_>,
    levels: &mut [Level],
    number: &mut u32,
) {
    // An explicit stack in place of recursion, so that all of it is compiled for the instruction set at hand.
    let depth = build.rows.prefix.len();
    let (geometry, board) = (build.geometry, build.board);
    if depth == 0 {
        pack(lanes, build, root, *number, keys);
        return;
    }
    let mut prefixes = [root; 17];
    let mut free = [0; 17];
    let mut lengths = [0; 17];
    let mut at = 0;
    free[0] = free_columns(geometry, board, build.rows.prefix[0], root.columns, root.key);
    loop {
        if free[at] == 0 || build.cancel.is_cancelled() {
            if at == 0 {
                return;
            }
            at -= 1;
            continue;
        }
        let column = free[at].trailing_zeros() as usize;
        free[at] &= free[at] - 1;
        let row = build.rows.prefix[at];
        let next = prefixes[at].with(geometry, board, row, column);
        let (above, below) = levels.split_at_mut(at);
        let source: Keys<'_> = match above.last() {
            None => keys,
            Some(level) => (&level.keys, &level.lanes, lengths[at]),
        };
        let padded = source.2.next_multiple_of(8);
        let level = &mut below[0];
        let lines = geometry.lines(board, row, column);
        let kept = lanes.filter(&source.0[..padded], &source.1[..padded], lines, &mut level.keys, &mut level.lanes);
        let end = kept.next_multiple_of(8);
        level.keys[kept..end].fill(PADDING);
        at += 1;
        prefixes[at] = next;
        lengths[at] = kept;
        if at == depth {
            if kept > 0 {
                let level = &levels[at - 1];
                pack(lanes, build, next, *number, (&level.keys, &level.lanes, kept));
                if build.built.fresh >= build.walked_at_once {
                    build.hand_over();
                }
            }
            *number += 1;
            at -= 1;
        } else {
            // An empty list still has its prefixes numbered.
            free[at] = free_columns(geometry, board, build.rows.prefix[at], next.columns, next.key);
        }
    }
}

/// Packs the survivors of one prefix.
#[inline(always)]
fn pack<L: Lanes>(lanes: L, build: &mut Build<'_>, prefix: Prefix, number: u32, keys: Keys<'_>) {
    let (keys, lane_of, length) = keys;
    let (store, scratch) = (&mut *build.store, &mut *build.scratch);
    let blocks = build.lists.blocks();
    build.built.keys += length as u64;

    // Where each lane's keys begin: the keys are sorted by lane, so each lane's first one is the last to be seen from
    // the end. (Counting them waits for its own stores.)
    scratch.starts.clear();
    scratch.starts.resize(blocks * LANES + 1, u32::MAX);
    for (at, &lane) in lane_of[..length].iter().enumerate().rev() {
        scratch.starts[lane as usize] = at as u32;
    }
    let mut next = length as u32;
    for start in scratch.starts.iter_mut().rev() {
        next = next.min(*start);
        *start = next;
    }
    scratch.deal(if build.is_summed && L::PICKS { Layout::Picked } else { Layout::Aligned });
    let first_tile = store.tiles.len();
    let words = divide(&scratch.depths, &mut store.tiles, &mut scratch.best);

    scratch.planes.renumber(build.geometry, build.board, prefix, &build.rows.open);
    let planes = scratch.planes.count();
    let place = store.reserve(planes * words);
    build.built.cells += planes * words;
    build.built.fresh += planes * words;
    store.packs.push(Pack {
        prefix: number,
        words: words as u32,
        planes: planes as u32,
        place,
        first_tile: first_tile as u32,
        tiles: (store.tiles.len() - first_tile) as u32,
    });

    let mut cells = &mut store.chunks[place.chunk as usize][place.at as usize..];
    let mut square = [Cell::ZERO; LANES];
    for tile in &store.tiles[first_tile..] {
        let width = usize::from(tile.width);
        let words = width * usize::from(tile.depth);
        let (cells_of_tile, rest) = std::mem::take(&mut cells).split_at_mut(planes * words);
        cells = rest;
        for word in 0..words {
            let block = usize::from(tile.block) + word % width;
            let level = usize::from(tile.level) + word / width;
            let dealt = if level < scratch.depths[block] {
                &scratch.words[scratch.firsts[block] + level]
            } else {
                &Dealt::EMPTY
            };
            lanes.line_planes(keys, &dealt.ends, &mut square);
            // Bit 0 is set in every key: its line's plane is that of all keys.
            cells_of_tile[usize::from(NO_PLANE) * words + word] = Cell::ZERO;
            cells_of_tile[usize::from(ALL_KEYS) * words + word] = square[0];
            cells_of_tile[usize::from(NUMBERS) * words + word] = dealt.numbers;
            for (plane, &(i, j)) in (usize::from(FIRST_SQUARE)..).zip(scratch.planes.squares()) {
                let lines = build.geometry.lines(build.board, usize::from(i), usize::from(j));
                let (diagonal, antidiagonal) = (lines.trailing_zeros(), 63 - lines.leading_zeros());
                let both = lanes
                    .or(lanes.load(&square[diagonal as usize & 63]), lanes.load(&square[antidiagonal as usize & 63]));
                lanes.store(both, &mut cells_of_tile[plane * words + word]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Trap: blocks with more levels than a tile has words.
    #[test]
    fn tiles_cover_every_level_of_every_block_once() {
        let shapes: [&[usize]; 6] = [&[], &[1], &[1, 1, 1, 1, 2, 2, 3, 9], &[17, 8, 1], &[2; 30], &[0, 0, 5, 16]];
        for levels in shapes {
            let mut tiles = Vec::new();
            let words = divide(levels, &mut tiles, &mut Vec::new());
            let mut covered: Vec<Vec<usize>> = levels.iter().map(|&levels| vec![0; levels]).collect();
            let mut before = 0;
            for tile in tiles {
                let (width, depth) = (usize::from(tile.width), usize::from(tile.depth));
                assert!(width * depth <= MAX_WORDS, "{tile:?}");
                assert_eq!(tile.offset as usize, before);
                before += width * depth;
                for block in usize::from(tile.block)..usize::from(tile.block) + width {
                    // Levels that a block does not have are empty words.
                    let levels = usize::from(tile.level)..(usize::from(tile.level) + depth).min(levels[block]);
                    covered[block][levels].iter_mut().for_each(|times| *times += 1);
                }
            }
            assert_eq!(words, before);
            assert!(covered.iter().flatten().all(|&times| times == 1), "{levels:?}: {covered:?}");
        }
    }
}
