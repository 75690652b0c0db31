//! The packer, which filters and packs keys until a batch of packs is full. `../README.md` explains prefixes, packs and
//! planes. One queen leaves about a third of the keys alive at n = 18, and five queens leave fewer than one in 100 at
//! n = 28.

use std::ops::Range;

use super::deal::{Deal, Layout};
use super::planes::{ALL_KEYS, FIRST_SQUARE, NO_PLANE, PlaneNumbers};
use super::prefixes::Prefixes;
use super::store::{Contents, Pack, Store};
use super::tiles::{SPARSE_TILE_WORDS, divide};
use crate::color::list::Keys;
use crate::color::plan::WalkRows;
use crate::color::split::MARK;
use crate::memory::push;
use crate::simd::{Cell, Kernel, LINES, Words, dispatch};
use crate::solver::Isa;
use crate::{CancelToken, Result};

/// A request to pack.
#[derive(Debug, Clone)]
pub(crate) struct PackRequest<'a> {
    /// The instruction set whose code packs the keys.
    pub(crate) isa: Isa,
    /// How keys are dealt.
    pub(crate) layout: Layout,
    pub(crate) rows: WalkRows<'a>,
    /// The blocks of the list whose keys are packed.
    pub(crate) piece: Range<usize>,
    /// The keys of the piece.
    pub(crate) keys: &'a Keys,
    /// The number of cells that ends a batch: the pack that reaches it is the batch's last.
    pub(crate) batch_cells: usize,
}

/// Packs the keys of one side for the prefixes on some rows, batch by batch. The next request reuses the packer's
/// memory.
#[derive(Debug, Default)]
pub(crate) struct Packer {
    prefixes: Prefixes,
    deal: Deal,
    plane_numbers: PlaneNumbers,
}

impl Packer {
    /// Starts to pack for a request. [`Packing::next_batch`] returns the batches one after the other, in `store`.
    pub(crate) fn pack<'a>(&'a mut self, request: PackRequest<'a>, store: &'a mut Store) -> Packing<'a> {
        self.prefixes.restart(request.rows.of(request.rows.prefix));
        Packing { packer: self, request, store, is_over: false }
    }
}

/// A packer that works on a request.
#[derive(Debug)]
pub(crate) struct Packing<'a> {
    packer: &'a mut Packer,
    request: PackRequest<'a>,
    store: &'a mut Store,
    /// Whether the last batch was made.
    is_over: bool,
}

impl Packing<'_> {
    /// Returns the store with the next batch, which replaces the batch before it, or `None` after the last batch. If
    /// one batch contains all packs, the store keeps it, and the next request for the same keys and prefixes uses it
    /// again.
    ///
    /// # Errors
    /// [`Error::Bug`](crate::Error::Bug) if a stack has more levels than 16 bits can number;
    /// [`Error::Memory`](crate::Error::Memory), [`Error::Cancelled`](crate::Error::Cancelled).
    pub(crate) fn next_batch(&mut self, cancel: &CancelToken) -> Result<Option<&Store>> {
        let Self { packer, request, store, is_over } = self;
        let PackRequest { isa, layout, rows, ref piece, keys: list, batch_cells } = *request;
        if *is_over {
            return Ok(None);
        }
        let (generation, prefix) = (list.generation, rows.prefix);
        let requested = Some(Contents { generation, piece: piece.clone(), prefix, layout });
        if store.complete_for == requested {
            *is_over = true;
            return Ok(Some(store));
        }
        store.clear();
        let is_first_batch = packer.prefixes.is_before_first();
        let mut cells = 0;
        loop {
            if !packer.prefixes.advance(isa, list, cancel)? {
                *is_over = true;
                if is_first_batch {
                    store.complete_for = requested;
                }
                break;
            }
            let keys = packer.prefixes.alive(list);
            if keys.length == 0 {
                continue;
            }
            let prefix_number = packer.prefixes.number();
            packer.plane_numbers.renumber(packer.prefixes.queens(), rows);
            let (deal, plane_numbers) = (&mut packer.deal, &packer.plane_numbers);
            let pack = MakePack { keys, blocks: piece.len(), layout, prefix_number, deal, plane_numbers, store };
            cells += dispatch(isa, pack)?;
            if cells >= batch_cells {
                break;
            }
        }
        Ok(if store.packs.is_empty() { None } else { Some(store) })
    }
}

/// Packs the keys that are alive after a prefix, and returns the number of cells.
struct MakePack<'a> {
    keys: &'a Keys,
    /// Number of blocks.
    blocks: usize,
    layout: Layout,
    prefix_number: u32,
    deal: &'a mut Deal,
    plane_numbers: &'a PlaneNumbers,
    store: &'a mut Store,
}

impl Kernel for MakePack<'_> {
    type Output = Result<usize>;

    #[inline(always)]
    fn run<T: Words>(mut self, simd: T) -> Result<usize> {
        let lanes = &self.keys.lane_of[..self.keys.length];
        self.deal.deal::<T>(lanes, self.blocks, self.layout)?;
        let pack = match self.layout {
            Layout::Sparse => self.add_pack(SPARSE_TILE_WORDS, lanes)?,
            Layout::Shared | Layout::Spread => self.add_pack(T::TILE_WORDS, &[])?,
        };
        self.write_planes(simd, &pack);
        Ok(pack.planes as usize * pack.words as usize)
    }
}

impl MakePack<'_> {
    /// Adds a pack to the store, with its tiles, its lanes if it is sparse, and room for its planes.
    fn add_pack(&mut self, tile_words: usize, sparse_lanes: &[u32]) -> Result<Pack> {
        let Self { prefix_number, layout, deal, plane_numbers, store, .. } = self;
        let planes = plane_numbers.count() + layout.maps();
        let first_tile = store.tiles.len();
        let words = divide(&deal.levels, tile_words, &mut store.tiles)?;
        let pack = Pack {
            prefix_number: *prefix_number,
            words: words as u32,
            planes: planes as u32,
            first_cell: store.reserve(planes * words)?,
            first_tile: first_tile as u32,
            tiles: (store.tiles.len() - first_tile) as u32,
            first_lane: store.add_lanes(sparse_lanes)?,
            keys: sparse_lanes.len() as u32,
        };
        push(&mut store.packs, pack)?;
        Ok(pack)
    }

    /// Writes the planes and the maps of a pack, tile by tile.
    #[inline(always)]
    fn write_planes<T: Words>(&mut self, simd: T, pack: &Pack) {
        let Self { keys, layout, deal, plane_numbers, store, .. } = self;
        let mut cells = &mut store.chunks[pack.first_cell.chunk][pack.first_cell.at..];
        for tile in &store.tiles[pack.first_tile as usize..] {
            let words = usize::from(tile.words);
            let (of_tile, rest) = cells.split_at_mut(pack.planes as usize * words);
            cells = rest;
            for word in 0..words {
                let dealt = deal.word(tile.stack.into(), usize::from(tile.level) + word);
                let mut by_line = [Cell::ZERO; LINES];
                simd.line_planes(&keys.values, &dealt.ends, &mut by_line);
                let to = &mut of_tile[word..];
                to[usize::from(NO_PLANE) * words] = Cell::ZERO;
                to[usize::from(ALL_KEYS) * words] = by_line[MARK.trailing_zeros() as usize];
                for (plane, lines) in (usize::from(FIRST_SQUARE)..).zip(plane_numbers.lines()) {
                    // `& 63` replaces a bounds check: lines are below 64 anyway.
                    let [diagonal, antidiagonal] = lines.map(|line| simd.load(&by_line[usize::from(line) & 63]));
                    simd.store(simd.or(diagonal, antidiagonal), &mut to[plane * words]);
                }
                for (map, at) in dealt.maps.into_iter().take(layout.maps()).zip(plane_numbers.count()..) {
                    to[at * words] = map;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::list::List;
    use crate::color::plan::Class;
    use crate::color::tuning::UnitTuning;

    /// Packs of an earlier list would lead to a wrong count.
    #[test]
    fn a_store_keeps_packs_only_while_their_list_stays() {
        let (cancel, class) = (CancelToken::new(), Class::all(14, UnitTuning::new(14)).nth(2).unwrap());
        let side = &class.sides.summing;
        let planes = |list: &List, packer: &mut Packer, store: &mut Store| -> Vec<Cell> {
            let request = PackRequest {
                isa: Isa::Portable,
                layout: Layout::Shared,
                rows: class.walk_rows(side, class.even_sets[0]),
                piece: 0..list.blocks(),
                keys: &list.keys,
                batch_cells: usize::MAX,
            };
            let mut packing = packer.pack(request, store);
            let batch = packing.next_batch(&cancel).unwrap().expect("there are keys");
            let of_pack = |pack| batch.tiles(pack).iter().flat_map(move |tile| batch.planes(pack, tile).to_vec());
            batch.packs.iter().flat_map(of_pack).collect()
        };
        let (mut list, mut packer, mut store) = (List::default(), Packer::default(), Store::default());
        let mut before = Vec::new();
        for &o in &class.odd_sets[class.odd_sets.len() - 2..] {
            list.rebuild(&class, side, o, &cancel).unwrap();
            let of_list = planes(&list, &mut Packer::default(), &mut Store::default());
            assert_ne!(of_list, before);
            assert_eq!(planes(&list, &mut packer, &mut store), of_list, "O {o:x}");
            // Packs that were made again would be complete.
            store.packs.truncate(1);
            let kept = planes(&list, &mut packer, &mut store);
            assert!(!kept.is_empty() && kept.len() < of_list.len());
            before = of_list;
        }
    }
}
