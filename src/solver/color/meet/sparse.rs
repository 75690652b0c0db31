//! The summing side where next to no key is left alive: a program replayed on keys without lanes.
//!
//! With few white rows a word of lanes is a third full, and finds less than one key at a leaf. So keys are dealt to words
//! as they come, 512 to each, and a leaf has no lanes to count in. What a leaf leaves alive is noted, without a branch,
//! and looked up later, key by key; a parent that leaves nothing alive is passed over with its leaves.

use std::ops::Range;

use super::turned::Turned;
use super::walk::{and_not, load, walk_trunk};
use crate::CancelToken;
use crate::Result;
use crate::count::Work;
use crate::solver::color::half::{MAX_CHILDREN, Program, Store, Walk};
use crate::solver::color::isa::{Cell, Kernel, LANES, Lanes};
use crate::solver::color::room::grow;
use crate::solver::color::tuning::MAX_WORDS;

/// Sums the entries that the keys of some packs meet.
pub(crate) struct SparseDot<'a> {
    pub(crate) store: &'a Store,
    pub(crate) packs: Range<usize>,
    pub(crate) program: Program<'a>,
    pub(crate) table: &'a Turned,
    pub(crate) states: &'a mut Vec<Cell>,
    pub(crate) alive: &'a mut Alive,
    pub(crate) cancel: &'a CancelToken,
}

/// Keys of a part of a word: what is noted of a leaf is 64 keys at a time.
const PART_KEYS: usize = 64;

/// Parts of a word.
const PARTS: usize = LANES * 8 / PART_KEYS;

/// Parts of which some key is alive at a leaf, yet to be looked up.
#[derive(Debug)]
pub(crate) struct Alive {
    /// A bit for each key that is alive.
    parts: [u64; ROOM],
    /// The leaf's row of the table, times the parts of the largest tile; plus the part's number in the tile.
    numbers: [u32; ROOM],
}

/// Parts that are noted before they are looked up: fewer than the leaves of some parents find, and a parent's.
const ROOM: usize = 1024 + MAX_CHILDREN * MAX_WORDS * PARTS;

/// The number of a table's row and of a part fit 32 bits.
const _: () = assert!((u16::MAX as u64 + 1) * (MAX_WORDS * PARTS) as u64 <= 1 << 32);

impl Default for Alive {
    fn default() -> Self {
        Self { parts: [0; ROOM], numbers: [0; ROOM] }
    }
}

impl Kernel for SparseDot<'_> {
    type Output = Result<(u128, Work)>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Result<(u128, Work)> {
        let Self { store, packs, program, table, states, alive, cancel } = self;
        let (mut sum, mut work) = (0, Work::default());
        for pack in &store.packs[packs] {
            let walk = program.walk(pack.prefix as usize);
            if walk.is_empty() {
                continue;
            }
            let nodes: u64 = walk.nodes().iter().sum();
            work.nodes += nodes - 1;
            work.words += nodes * u64::from(pack.words);
            grow(states, (walk.trunk.len() + 1) * MAX_WORDS, Cell::ZERO)?;
            for tile in store.tiles(pack) {
                // On the largest boards a pack takes seconds.
                if cancel.is_cancelled() {
                    return Ok((sum, work));
                }
                let planes = store.planes(pack, tile);
                let entries =
                    Entries { table, lanes: &store.lanes_of(pack)[usize::from(tile.level) * PARTS * PART_KEYS..] };
                macro_rules! depths {
                    ($($words:literal)*) => {
                        match tile.depth {
                            $($words => walk_tile::<L, $words>(lanes, planes, walk, states, alive, entries),)*
                            _ => unreachable!("a tile has at most 8 words"),
                        }
                    };
                }
                sum += depths!(1 2 3 4 5 6 7 8);
            }
        }
        Ok((sum, work))
    }
}

/// What the keys of a tile meet.
#[derive(Clone, Copy)]
struct Entries<'a> {
    table: &'a Turned,
    /// The table's lane of each key.
    lanes: &'a [u32],
}

impl Entries<'_> {
    /// The entries of all keys noted, added up: at most [`ROOM`] parts of 64 keys, and a weighted entry is below 2^28
    /// (proof.md, section 6), so 64 bits hold their sum.
    fn sum(self, parts: &[u64], numbers: &[u32]) -> u128 {
        const OF_TILE: usize = MAX_WORDS * PARTS;
        let mut sum = 0u64;
        for (&part, &number) in parts.iter().zip(numbers) {
            let (row, first) = (number as usize / OF_TILE, number as usize % OF_TILE * PART_KEYS);
            let mut left = part;
            while left != 0 {
                let lane = self.lanes[first + left.trailing_zeros() as usize];
                sum += self.table.entry(row, lane as usize);
                left &= left - 1;
            }
        }
        u128::from(sum)
    }
}

/// Replays a walk on a tile of `N` words.
#[inline(always)]
fn walk_tile<L: Lanes, const N: usize>(
    lanes: L,
    planes: &[Cell],
    walk: Walk<'_>,
    states: &mut [Cell],
    alive: &mut Alive,
    entries: Entries<'_>,
) -> u128 {
    let (planes, states) = (planes.as_chunks().0, states.as_chunks_mut().0);
    let plane = |number: u16| &planes[usize::from(number)];
    walk_trunk::<L, N>(lanes, planes, walk.trunk, states);
    let (mut sum, mut noted) = (0, 0);
    for (parents, children) in walk.parents.iter().zip(1..) {
        for parent in parents.chunks_exact(2 + 2 * children) {
            let (of_parent, children) = parent.split_at(2);
            let state = load::<L, N>(lanes, &states[usize::from(of_parent[0])]);
            let state = and_not::<L, N>(lanes, plane(of_parent[1]), state);
            let mut any = state[0];
            for &word in &state[1..] {
                any = lanes.or(any, word);
            }
            if lanes.is_zero(any) {
                continue;
            }
            for &[number, row] in children.as_chunks().0 {
                let hit = plane(number);
                for w in 0..N {
                    let left = lanes.and_not(lanes.load(&hit[w]), state[w]);
                    let number = (usize::from(row) * MAX_WORDS + w) * PARTS;
                    let (parts, numbers) = (&mut alive.parts[noted..], &mut alive.numbers[noted..]);
                    noted += lanes.note(left, number as u32, parts, numbers);
                }
            }
            if noted > ROOM - MAX_CHILDREN * MAX_WORDS * PARTS {
                sum += entries.sum(&alive.parts[..noted], &alive.numbers[..noted]);
                noted = 0;
            }
        }
    }
    sum + entries.sum(&alive.parts[..noted], &alive.numbers[..noted])
}
