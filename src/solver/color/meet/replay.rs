//! The replay: runs a program on the tiles of packs, and gives the leaves to a [`Sink`].

use std::ops::Range;

use super::sink::{Packed, Sink};
use crate::count::Work;
use crate::room::grow;
use crate::solver::color::side::{ALL_KEYS, Form, Pack, Program, Read, Store, Tile};
use crate::solver::simd::{Cell, Words};
use crate::{CancelToken, Result};

/// Some packs, and memory to replay programs on them.
pub(crate) struct Batch<'a> {
    pub(crate) store: &'a Store,
    pub(crate) packs: Range<usize>,
    /// All packs are replayed on one range of blocks, then on the next. A range takes about this many bytes of the
    /// tables.
    pub(crate) range_bytes: usize,
    pub(crate) states: &'a mut Vec<Cell>,
    pub(crate) cancel: &'a CancelToken,
}

/// Some packs, and the program to replay on them.
pub(crate) struct Replay<'a, F> {
    pub(crate) batch: Batch<'a>,
    pub(crate) program: Program<'a, F>,
}

/// A form of programs that can be replayed for the sink `S`.
pub(crate) trait Replayed<T: Words, S: Sink<T>>: Form {
    fn replay(walk: Self::Walk<'_>, token: T, packed: &Packed<'_>, states: &mut [Cell], sink: &mut S);
}

impl<F: Form> Replay<'_, F> {
    /// Replays the program on all tiles, one range of blocks after the other. A range uses `range_bytes` of the tables.
    #[inline(always)]
    pub(crate) fn run<T: Words, S: Sink<T>>(self, token: T, sink: &mut S) -> Result<Work>
    where
        F: Replayed<T, S>,
    {
        let Self { batch: Batch { store, packs, range_bytes, states, cancel }, program } = self;
        let packs = &store.packs[packs];
        let mut work = Work::default();
        let together = (range_bytes / sink.block_bytes().max(1)).max(1);
        let (mut first, mut end) = (0usize, 1);
        while first < end {
            let blocks = first..first.saturating_add(together);
            let is_here = |tile: &&Tile| blocks.contains(&usize::from(tile.block));
            let first_here = |pack: &Pack| store.tiles(pack).iter().find(is_here).map(|tile| store.planes(pack, tile));
            for (number, pack) in packs.iter().enumerate() {
                let walk = program.walk(pack.prefix as usize);
                if walk.is_empty() {
                    continue;
                }
                if first == 0 {
                    let nodes = walk.nodes();
                    // The pack's own state is not a queen. But a replay visits its words.
                    work.nodes += nodes - 1;
                    work.words += nodes * u64::from(pack.words);
                    grow(states, walk.states() * S::TILE_WORDS, Cell::ZERO)?;
                }
                let tiles = store.tiles(pack);
                for (at, tile) in tiles.iter().enumerate() {
                    end = end.max(usize::from(tile.block) + 1);
                    if !is_here(&tile) {
                        continue;
                    }
                    // Checks before each tile, because a pack takes seconds on the largest boards.
                    if cancel.is_cancelled() {
                        return Ok(work);
                    }
                    let next = match tiles[at + 1..].iter().find(is_here) {
                        _ if S::CELLS_AHEAD == 0 => &[],
                        Some(next) => store.planes(pack, next),
                        None => packs.get(number + 1).and_then(first_here).unwrap_or_default(),
                    };
                    let &Tile { block, width, depth, .. } = tile;
                    let (planes, keys) = (store.planes(pack, tile), store.lanes_of(pack, tile));
                    let packed = Packed { block: usize::from(block), width, depth, planes, next, keys };
                    F::replay(walk, token, &packed, states, sink);
                }
            }
            first = blocks.end;
        }
        Ok(work)
    }
}

/// Calls a function with a tile's number of blocks and of words as constants.
macro_rules! by_shape {
    ($packed:expr, $function:ident::<$token:ty, $sink:ty>$arguments:tt) => {
        by_shape!(@ $packed, $function::<$token, $sink>$arguments,
            1 x 1 2 x 1 3 x 1 4 x 1 1 x 2 2 x 2 3 x 2 4 x 2 1 x 3 2 x 3 1 x 4 2 x 4 1 x 5 1 x 6 1 x 7 1 x 8)
    };
    (@ $packed:expr, $function:ident::<$token:ty, $sink:ty>$arguments:tt, $($width:literal x $depth:literal)*) => {
        match ($packed.width, $packed.depth) {
            // Without the constant condition the compiler would make code for shapes that no tile has.
            $(($width, $depth) if const { $width * $depth <= <$sink>::TILE_WORDS && $width <= <$sink>::WIDEST } => {
                $function::<$token, $sink, $width, { $width * $depth }>$arguments
            })*
            _ => unreachable!("a tile has at most as many words as the code takes"),
        }
    };
}
pub(super) use by_shape;

/// Writes the pack's own state and the trunk's states, for a tile of `N` words.
///
/// Planes and states are arrays of `N` cells, so that an index needs one bounds check and not two.
#[inline(always)]
pub(super) fn walk_trunk<T: Words, const N: usize>(
    token: T,
    planes: &[[Cell; N]],
    trunk: &[[u16; 2]],
    states: &mut [[Cell; N]],
) {
    states[0] = planes[usize::from(ALL_KEYS)];
    for (at, &[above, number]) in trunk.iter().enumerate() {
        let state = load::<T, N>(token, &states[usize::from(above)]);
        let state = and_not::<T, N>(token, &planes[usize::from(number)], state);
        save::<T, N>(token, state, &mut states[at + 1]);
    }
}

// These are plain loops, because closures in `array::from_fn` are compiled without the instruction set and not inlined.

#[inline(always)]
pub(super) fn load<T: Words, const W: usize>(token: T, cells: &[Cell; W]) -> [T::Word; W] {
    let mut words = [token.load(&cells[0]); W];
    for w in 1..W {
        words[w] = token.load(&cells[w]);
    }
    words
}

#[inline(always)]
pub(super) fn save<T: Words, const W: usize>(token: T, words: [T::Word; W], cells: &mut [Cell; W]) {
    for w in 0..W {
        token.store(words[w], &mut cells[w]);
    }
}

/// Clears the bits of a plane in `words`.
#[inline(always)]
pub(super) fn and_not<T: Words, const W: usize>(token: T, plane: &[Cell; W], mut words: [T::Word; W]) -> [T::Word; W] {
    for w in 0..W {
        words[w] = token.and_not(token.load(&plane[w]), words[w]);
    }
    words
}
