//! The packer: filters and packs keys until a batch of packs is full.
//!
//! The first queens of a walk are its *prefix*. They leave one key in 10 to 100 alive. For each prefix the packer
//! filters these keys out of the list and deals them to words. Then it makes a *plane* for every square that the walk
//! may still visit. The plane has the bits of the keys that a queen on the square attacks. The rest of the walk is
//! and-not with planes.
//!
//! The packer is a recursion over the rows of the prefix. It keeps the keys that are alive after each queen.

use std::ops::Range;

use super::deal::{Deal, Layout};
use super::planes::{ALL_KEYS, FIRST_SQUARE, LANE_OF_BYTE, NO_PLANE, Planes};
use super::store::{Pack, Store};
use super::tiles::{SPARSE_TILE_WORDS, divide};
use crate::color::list::{Keys, List, PADDING};
use crate::color::plan::Rows;
use crate::color::simd::{Cell, Kernel, LINES, Words, dispatch};
use crate::color::split::{BoardRow, Geometry, Queens, SubBoard, elements};
use crate::memory::push;
use crate::solver::Isa;
use crate::{CancelToken, Result};

/// Says what to pack.
#[derive(Debug, Clone)]
pub(crate) struct PackRequest {
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

/// Packs the keys of one color for the prefixes on some rows. Requests use its memory again.
#[derive(Debug, Default)]
pub(crate) struct Packer {
    /// The keys that are alive after one queen of the prefix, after two, and so on.
    alive: Vec<Keys>,
    deal: Deal,
    planes: Planes,
}

impl Packer {
    /// Packs what `request` says. Calls `walk` with each batch, as a range of the store's packs. If the store has all
    /// packs already, they are one batch.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory), [`Error::Cancelled`](crate::Error::Cancelled), and the errors of
    /// `walk`.
    pub(crate) fn pack(
        &mut self,
        isa: Isa,
        request: &PackRequest,
        list: &List,
        store: &mut Store,
        cancel: &CancelToken,
        walk: &mut dyn FnMut(&Store, Range<usize>) -> Result<()>,
    ) -> Result<()> {
        if store.prefix_rows.as_ref() == Some(&request.rows.prefix) {
            return walk(store, 0..store.packs.len());
        }
        store.clear();
        let rows = BoardRow::all(request.geometry, request.board, &request.rows.prefix);
        self.alive.resize_with(rows.len().max(self.alive.len()), Keys::default);
        let mut packing = Recursion {
            packer: self,
            isa,
            request,
            list,
            store,
            cancel,
            walk,
            prefix_number: 0,
            cells: 0,
            walked: 0,
            first: 0,
        };
        packing.place(&rows, Queens::NONE, 0)?;
        packing.end_batch()?;
        if packing.cells <= request.kept {
            store.prefix_rows = Some(request.rows.prefix.clone());
        }
        Ok(())
    }
}

/// A request while it is packed.
struct Recursion<'a> {
    packer: &'a mut Packer,
    isa: Isa,
    request: &'a PackRequest,
    list: &'a List,
    store: &'a mut Store,
    cancel: &'a CancelToken,
    walk: &'a mut dyn FnMut(&Store, Range<usize>) -> Result<()>,
    /// The number of the next prefix.
    prefix_number: u32,
    /// Cells of all packs so far.
    cells: usize,
    /// Cells of the packs that were walked.
    walked: usize,
    /// The first pack of the batch.
    first: usize,
}

impl Recursion<'_> {
    /// Places a queen on each of `rows`, in all ways, and packs the keys that stay alive. `queens` are placed already.
    fn place(&mut self, rows: &[BoardRow], queens: Queens, placed: usize) -> Result<()> {
        let Some((row, rest)) = rows.split_first() else { return self.end_prefix(queens, placed) };
        for column in elements(row.free(queens)) {
            let (above, below) = self.packer.alive.split_at_mut(placed);
            let (keys, left) = (above.last().unwrap_or(&self.list.keys), &mut below[0]);
            self.cancel.check()?;
            left.grow(keys.length.next_multiple_of(8), self.cancel)?;
            let lines = row.place(Queens::NONE, column).key;
            dispatch(self.isa, Filter { keys, lines, left });
            self.place(rest, row.place(queens, column), placed + 1)?;
        }
        Ok(())
    }

    /// Packs the keys that are alive after a prefix.
    fn end_prefix(&mut self, queens: Queens, placed: usize) -> Result<()> {
        let keys = self.packer.alive[..placed].last().unwrap_or(&self.list.keys);
        if keys.length > 0 {
            dispatch(self.isa, MakePack { recursion: self, queens, placed })?;
            if self.cells - self.walked >= self.request.batch {
                self.end_batch()?;
            }
        }
        self.prefix_number += 1;
        Ok(())
    }

    /// Walks the packs of the batch. Then drops them if there are too many to keep.
    fn end_batch(&mut self) -> Result<()> {
        let packs = self.first..self.store.packs.len();
        if !packs.is_empty() {
            (self.walk)(self.store, packs)?;
        }
        if self.cells > self.request.kept {
            self.store.clear();
        }
        (self.walked, self.first) = (self.cells, self.store.packs.len());
        Ok(())
    }
}

/// Copies the keys that have none of `lines` to `left`, which has room for all keys.
struct Filter<'a> {
    keys: &'a Keys,
    lines: u64,
    left: &'a mut Keys,
}

impl Kernel for Filter<'_> {
    type Output = ();

    #[inline(always)]
    fn run<T: Words>(self, simd: T) {
        let Self { keys: Keys { values: keys, lanes, length }, lines, left } = self;
        let padded = length.next_multiple_of(8);
        left.length = simd.filter(&keys[..padded], &lanes[..padded], lines, &mut left.values, &mut left.lanes);
        left.values[left.length..left.length.next_multiple_of(8)].fill(PADDING);
    }
}

/// Packs the keys that are alive after a prefix of `placed` queens.
struct MakePack<'a, 'b> {
    recursion: &'a mut Recursion<'b>,
    queens: Queens,
    placed: usize,
}

impl Kernel for MakePack<'_, '_> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<T: Words>(self, simd: T) -> Result<()> {
        let Self { recursion, queens, placed } = self;
        let Packer { alive, deal, planes } = &mut *recursion.packer;
        let (request, list, store) = (recursion.request, recursion.list, &mut *recursion.store);
        let Keys { values: keys, lanes, length } = alive[..placed].last().unwrap_or(&list.keys);
        let (lanes, is_sparse) = (&lanes[..*length], request.layout == Layout::Sparse);
        deal.deal(lanes, list.blocks(), request.layout, T::SHARING)?;
        let first_tile = store.tiles.len();
        let words = divide(&deal.levels, if is_sparse { SPARSE_TILE_WORDS } else { T::TILE_WORDS }, &mut store.tiles)?;
        planes.renumber(request.geometry, request.board, queens, &request.rows.open);
        let count = planes.count();
        let position = store.reserve(count * words)?;
        let sparse_lanes = if is_sparse { lanes } else { &[] };
        let start = store.keep_lanes(sparse_lanes)?;
        let pack = Pack {
            prefix_number: recursion.prefix_number,
            words: words as u32,
            planes: count as u32,
            position,
            first_tile: first_tile as u32,
            tiles: (store.tiles.len() - first_tile) as u32,
            lanes: start,
            keys: sparse_lanes.len() as u32,
        };
        push(&mut store.packs, pack)?;
        let mut cells = &mut store.chunks[position.chunk][position.at..];
        for tile in &store.tiles[first_tile..] {
            let width = usize::from(tile.width);
            let words = width * usize::from(tile.depth);
            let (of_tile, rest) = cells.split_at_mut(count * words);
            cells = rest;
            for word in 0..words {
                let block = usize::from(tile.block) + word % width;
                let level = usize::from(tile.level) + word / width;
                let dealt = deal.word(block, level);
                let mut by_line = [Cell::ZERO; LINES];
                simd.line_planes(keys, &dealt.ends, &mut by_line);
                let to = &mut of_tile[word..];
                // Every key has bit 0 set, so the plane of line 0 is the plane of all keys.
                to[usize::from(NO_PLANE) * words] = Cell::ZERO;
                to[usize::from(ALL_KEYS) * words] = by_line[0];
                to[usize::from(LANE_OF_BYTE) * words] = dealt.lane_of_byte;
                for (plane, lines) in (usize::from(FIRST_SQUARE)..).zip(planes.lines()) {
                    let [diagonal, antidiagonal] = lines.map(|line| simd.load(&by_line[usize::from(line) & 63]));
                    simd.store(simd.or(diagonal, antidiagonal), &mut to[plane * words]);
                }
            }
        }
        recursion.cells += count * words;
        Ok(())
    }
}
