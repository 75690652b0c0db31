//! The summing side where next to no key is left alive: a program replayed on keys without lanes.
//!
//! With few white rows a word of lanes is a third full, and finds less than one key at a leaf. So keys are dealt to words
//! as they come, 512 to each, and a leaf has no lanes to count in. What a leaf leaves alive is noted, without a branch,
//! and looked up later, key by key; a parent that leaves nothing alive is passed over with its leaves.
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

/// Leaves that are noted, yet to be looked up.
#[derive(Debug)]
pub(crate) struct Alive {
    /// The words of each: a bit for each key that is alive.
    words: [[Cell; MAX_WORDS]; LEAVES],
    /// A bit for each part of these that is not zero.
    masks: [u64; LEAVES],
    /// The first cell of the leaf's row of the table.
    cells: [u32; LEAVES],
    /// The numbers of the masks' bits, where they are found all at once.
    numbers: [u16; LEAVES * OF_LEAF + 32],
}

/// Leaves that are noted before they are looked up: their words stay in L1.
const LEAVES: usize = 32;

/// Parts of a leaf.
const OF_LEAF: usize = MAX_WORDS * PARTS;

/// A leaf's mask is 64 bits, and the parts of all leaves are numbered in 16.
const _: () = assert!(OF_LEAF == 64 && LEAVES * OF_LEAF <= 1 << 16);

impl Default for Alive {
    fn default() -> Self {
        Self {
            words: [[Cell::ZERO; MAX_WORDS]; LEAVES],
            masks: [0; LEAVES],
            cells: [0; LEAVES],
            numbers: [0; LEAVES * OF_LEAF + 32],
        }
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
    lanes: &'a [u16],
}

impl Entries<'_> {
    /// The entries of all keys that are alive in the first so many leaves, added up: at most [`LEAVES`] of 4096 keys, and
    /// a weighted entry is below 2^28 (proof.md, section 6), so 64 bits hold their sum.
    #[inline(always)]
    fn of_leaves<L: Lanes>(self, lanes: L, leaves: usize, alive: &mut Alive) -> u128 {
        let sum = match lanes.number(&alive.masks[..leaves], &mut alive.numbers) {
            Some(parts) => self.by_numbers(alive, parts),
            None => self.by_masks(alive, leaves),
        };
        u128::from(sum)
    }

    /// Part by part, without a branch that depends on how many parts a leaf has.
    ///
    /// Not inlined, like the other: there it would take registers from the walk, and the walk from it.
    #[inline(never)]
    fn by_numbers(self, alive: &Alive, parts: usize) -> u64 {
        let part = |&number: &u16| self.of_part(alive, usize::from(number) / OF_LEAF, usize::from(number) % OF_LEAF);
        alive.numbers[..parts].iter().map(part).sum()
    }

    /// Leaf by leaf.
    #[inline(never)]
    fn by_masks(self, alive: &Alive, leaves: usize) -> u64 {
        let mut sum = 0;
        for (leaf, &mask) in alive.masks[..leaves].iter().enumerate() {
            let mut parts = mask;
            while parts != 0 {
                sum += self.of_part(alive, leaf, parts.trailing_zeros() as usize);
                parts &= parts - 1;
            }
        }
        sum
    }

    /// The entries of the keys that are alive in a part of a leaf.
    #[inline(always)]
    fn of_part(self, alive: &Alive, leaf: usize, part: usize) -> u64 {
        let (leaf, part) = (leaf % LEAVES, part % OF_LEAF);
        let cell = alive.cells[leaf] as usize;
        let mut keys = u64::from_le_bytes(alive.words[leaf][part / PARTS].0.as_chunks().0[part % PARTS]);
        let mut sum = 0;
        while keys != 0 {
            let lane = self.lanes[part * PART_KEYS + keys.trailing_zeros() as usize];
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
            let mut any = state[0];
            for &word in &state[1..] {
                any = lanes.or(any, word);
            }
            if lanes.is_zero(any) {
                continue;
            }
            for &[number, row] in children.as_chunks().0 {
                let hit = plane(number);
                let (words, mut masks) = (&mut alive.words[leaves], 0);
                for w in 0..N {
                    let left = lanes.and_not(lanes.load(&hit[w]), state[w]);
                    lanes.store(left, &mut words[w]);
                    masks |= u64::from(lanes.parts(left)) << (PARTS * w);
                }
                alive.masks[leaves] = masks;
                alive.cells[leaves] = entries.table.first_cell(usize::from(row)) as u32;
                leaves += 1;
            }
            if leaves > LEAVES - MAX_CHILDREN {
                sum += entries.of_leaves(lanes, leaves, alive);
                leaves = 0;
            }
        }
    }
    sum + entries.of_leaves(lanes, leaves, alive)
}
