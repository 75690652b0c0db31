//! The summing side where next to no key is left alive: a program replayed on keys without lanes.
//!
//! With few white rows a word of lanes is a third full, and finds less than one key at a leaf. So keys are dealt to words
//! as they come, 512 to each, and a leaf has no lanes to count in. What a leaf leaves alive is noted, without a branch,
//! and looked up later, key by key. Where most parents leave nothing alive, these are passed over with their leaves.
//!
//! A leaf's words are stored as they are. Their parts with a key alive copied to the front (`vpcompressq`) took longer:
//! each copy lay in two cache lines, and the next one waited for the count of this one.

use std::ops::Range;

use super::turned::Turned;
use super::walk::{and_not, load, walk_trunk};
use crate::CancelToken;
use crate::Result;
use crate::count::Work;
use crate::solver::color::half::{MAX_CHILDREN, Program, Store, Walk};
use crate::solver::color::room::grow;
use crate::solver::color::tuning::MAX_WORDS;
use crate::solver::simd::{Cell, Kernel, LANE_BITS, LANES, Lanes};

/// Sums the entries that the keys of some packs meet.
pub(crate) struct SparseDot<'a> {
    pub(crate) store: &'a Store,
    pub(crate) packs: Range<usize>,
    pub(crate) program: Program<'a>,
    /// Whether parents that leave no key alive are passed over.
    pub(crate) skips: bool,
    pub(crate) table: &'a Turned,
    pub(crate) states: &'a mut Vec<Cell>,
    pub(crate) alive: &'a mut Alive,
    pub(crate) cancel: &'a CancelToken,
}

/// Keys of a part of a word: what is noted of a leaf is 64 keys at a time.
const PART_KEYS: usize = 64;

/// Parts of a word.
const PARTS: usize = LANES * LANE_BITS / PART_KEYS;

/// Leaves that are noted, yet to be looked up.
#[derive(Debug)]
pub(crate) struct Alive {
    /// The words of one leaf after the other: a bit for each key that is alive.
    words: [Cell; WORDS],
    /// For each of these words, a bit for each part that is not zero.
    masks: [u8; WORDS],
    /// The first cell of each leaf's row of the table.
    cells: [u32; WORDS],
    /// The numbers of the masks' bits, where they are found all at once.
    numbers: [u16; WORDS * PARTS + 32],
}

/// Words of leaves that are noted before they are looked up: they stay in L1.
const WORDS: usize = 256;

/// The entries of all keys, of 32 bits each, are added in 64.
const _: () = assert!(WORDS * LANES * LANE_BITS < 1 << 31);

/// The parts of all words are numbered in 16 bits, and a word's mask has a bit for each part.
const _: () = assert!(WORDS * PARTS <= 1 << 16 && PARTS == 8);

impl Default for Alive {
    fn default() -> Self {
        Self { words: [Cell::ZERO; WORDS], masks: [0; WORDS], cells: [0; WORDS], numbers: [0; WORDS * PARTS + 32] }
    }
}

impl Kernel for SparseDot<'_> {
    type Output = Result<(u128, Work)>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Result<(u128, Work)> {
        let Self { store, packs, program, skips, table, states, alive, cancel } = self;
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
                            $($words => walk_tile::<L, $words>(lanes, planes, walk, skips, states, alive, entries),)*
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
    lanes: &'a [u16],
}

impl Entries<'_> {
    /// The entries of all keys that are alive in the first so many leaves of `N` words, added up: at most [`WORDS`] of 512
    /// keys.
    #[inline(always)]
    fn of_leaves<L: Lanes, const N: usize>(self, lanes: L, leaves: usize, alive: &mut Alive) -> u128 {
        let words = N * leaves;
        let padded = words.next_multiple_of(8);
        alive.masks[words..padded].fill(0);
        let sum = match lanes.number(alive.masks[..padded].as_chunks().0, &mut alive.numbers) {
            Some(parts) => self.by_numbers::<N>(alive, parts),
            None => self.by_masks::<N>(alive, padded),
        };
        u128::from(sum)
    }

    /// Part by part, without a branch that depends on how many parts a leaf has.
    ///
    /// Not inlined, like the other: there it would take registers from the walk, and the walk from it.
    #[inline(never)]
    fn by_numbers<const N: usize>(self, alive: &Alive, parts: usize) -> u64 {
        alive.numbers[..parts].iter().map(|&number| self.of_part::<N>(alive, usize::from(number))).sum()
    }

    /// The masks of eight words at a time.
    #[inline(never)]
    fn by_masks<const N: usize>(self, alive: &Alive, words: usize) -> u64 {
        let mut sum = 0;
        for (eight, &masks) in alive.masks[..words].as_chunks().0.iter().enumerate() {
            let mut parts = u64::from_le_bytes(masks);
            while parts != 0 {
                sum += self.of_part::<N>(alive, 64 * eight + parts.trailing_zeros() as usize);
                parts &= parts - 1;
            }
        }
        sum
    }

    /// The entries of the keys that are alive in a part, by its number among those of all leaves.
    #[inline(always)]
    fn of_part<const N: usize>(self, alive: &Alive, part: usize) -> u64 {
        let (word, part) = (part / PARTS % WORDS, part % PARTS);
        let cell = alive.cells[word / N] as usize;
        let first = (word % N * PARTS + part) * PART_KEYS;
        let mut keys = u64::from_le_bytes(alive.words[word].0.as_chunks().0[part]);
        let mut sum = 0;
        while keys != 0 {
            let lane = self.lanes[first + keys.trailing_zeros() as usize];
            sum += self.table.entry(cell, usize::from(lane));
            keys &= keys - 1;
        }
        sum
    }
}

/// Replays a walk on a tile of `N` words.
#[inline(always)]
fn walk_tile<L: Lanes, const N: usize>(
    lanes: L,
    planes: &[Cell],
    walk: Walk<'_>,
    skips: bool,
    states: &mut [Cell],
    alive: &mut Alive,
    entries: Entries<'_>,
) -> u128 {
    let (planes, states) = (planes.as_chunks().0, states.as_chunks_mut().0);
    let plane = |number: u16| &planes[usize::from(number)];
    walk_trunk::<L, N>(lanes, planes, walk.trunk, states);
    let (mut sum, mut leaves) = (0, 0);
    for (parents, children) in walk.parents.iter().zip(1..) {
        for parent in parents.chunks_exact(2 + 2 * children) {
            let (of_parent, children) = parent.split_at(2);
            let state = load::<L, N>(lanes, &states[usize::from(of_parent[0])]);
            let state = and_not::<L, N>(lanes, plane(of_parent[1]), state);
            if skips {
                let mut any = state[0];
                for &word in &state[1..] {
                    any = lanes.or(any, word);
                }
                if lanes.is_zero(any) {
                    continue;
                }
            }
            for &[number, row] in children.as_chunks().0 {
                let hit = plane(number);
                let first = N * leaves;
                let words: &mut [Cell; N] = alive.words[first..].first_chunk_mut().expect("there is room");
                let masks: &mut [u8; N] = alive.masks[first..].first_chunk_mut().expect("there is room");
                for w in 0..N {
                    let left = lanes.and_not(lanes.load(&hit[w]), state[w]);
                    lanes.store(left, &mut words[w]);
                    masks[w] = lanes.parts(left);
                }
                alive.cells[leaves] = entries.table.first_cell(usize::from(row)) as u32;
                leaves += 1;
            }
            if leaves > WORDS / N - MAX_CHILDREN {
                sum += entries.of_leaves::<L, N>(lanes, leaves, alive);
                leaves = 0;
            }
        }
    }
    sum + entries.of_leaves::<L, N>(lanes, leaves, alive)
}
