//! The walk: lines in a fixed order, many partial placements at a time, without a branch per placement.
//!
//! A backtracking recursion spends its time on mispredicted branches: how many free squares a row has, and which of them
//! lead on, cannot be foreseen. Here each level of the tree has a short stack of placements. A step takes a batch off one of
//! them, puts the next queen of each, writes the children that can go on to the level below and the parents that
//! have squares left back to their own, both packed without gaps (the length grows by one or by none). The deepest level
//! that fills a batch goes first, so the stacks stay short; only when none does, the shallowest goes, to fill those below.

use super::isa::Lanes;
use super::occupancy::Occupancy;
use crate::CancelToken;

/// Placements that a batch has, where there are as many. More keeps the choice of a level rarer, fewer keeps the stacks in
/// the first-level cache.
const BATCH: usize = 64;

/// Room on a level: less than a batch left over, a batch added, and a vector written beyond the end.
const ROOM: usize = 2 * BATCH + 8;

const LOW: u64 = u32::MAX as u64;

/// How far diagonals and antidiagonals are shifted to lie on a row's columns.
#[derive(Clone, Copy, Default)]
pub(super) struct Line {
    diagonal: u32,
    antidiagonal: u32,
}

impl Line {
    #[inline(always)]
    pub(super) fn new(board: Occupancy, row: u32) -> Self {
        Self { diagonal: board.diagonal_shift(row), antidiagonal: row }
    }
}

/// The placements of one level that have free squares left to try, each three words.
struct Level {
    /// Low half: columns without a queen. High half: squares of the level's line to be tried.
    squares: [u64; ROOM],
    diagonals: [u64; ROOM],
    antidiagonals: [u64; ROOM],
    len: usize,
}

/// The levels of a walk.
#[derive(Default)]
pub(super) struct Batches {
    levels: Vec<Level>,
}

/// A board and its open rows in the order in which they get their queens.
pub(super) struct Walk<'a> {
    pub(super) board: Occupancy,
    pub(super) lines: &'a [Line],
}

/// What is below a partial placement.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Below {
    pub(super) solutions: u64,
    /// Queens placed.
    pub(super) nodes: u64,
}

impl Walk<'_> {
    /// Counts what is below the board.
    #[inline(always)]
    pub(super) fn count<L: Lanes>(&self, lanes: L, batches: &mut Batches, cancel: &CancelToken) -> Below {
        let board = self.board;
        let free = |line: Line| {
            board.full()
                & !(board.columns | board.diagonals >> line.diagonal | board.antidiagonals >> line.antidiagonal)
        };
        if let [line] = *self.lines {
            let count = u64::from(free(line).count_ones());
            return Below { solutions: count, nodes: count };
        }
        // The last line needs no level: its queen is counted where the last but one is placed.
        let depth = self.lines.len() - 1;
        while batches.levels.len() < depth {
            let empty = [0; ROOM];
            batches.levels.push(Level { squares: empty, diagonals: empty, antidiagonals: empty, len: 0 });
        }
        let levels = &mut batches.levels[..depth];
        let root = &mut levels[0];
        root.squares[0] = board.full() & !board.columns | free(self.lines[0]) << 32;
        root.diagonals[0] = board.diagonals;
        root.antidiagonals[0] = board.antidiagonals;
        root.len = 1;

        let (mut solutions, mut nodes) = (0, 0);
        // Levels above `top` are empty for good; levels below `at` have less than a batch.
        let (mut at, mut top) = (0, 0);
        loop {
            let (above, below) = levels.split_at_mut(at + 1);
            nodes += above[at].len.min(BATCH) as u64;
            match (below, &self.lines[at..]) {
                ([child, ..], &[line, next, after, ..]) => {
                    step(lanes, &mut above[at], child, line, next, after);
                    if child.len >= BATCH {
                        at += 1;
                        continue;
                    }
                }
                (_, &[line, last]) => solutions += last_step(lanes, &mut above[at], line, last),
                _ => unreachable!("a level has two lines below it or one"),
            }
            while levels[at].len < BATCH && at > top {
                at -= 1;
            }
            if levels[at].len < BATCH {
                match levels[top..].iter().position(|level| level.len > 0) {
                    Some(empty) => top += empty,
                    None => break,
                }
                at = top;
            }
            if cancel.is_cancelled() {
                levels.iter_mut().for_each(|level| level.len = 0);
                break;
            }
        }
        Below { solutions, nodes: nodes + solutions }
    }
}

/// The words of a vector of placements with the next queen put on each.
struct Placed<L: Lanes> {
    /// Lanes that hold a placement, a bit each.
    live: u32,
    /// The parents, without the square that was tried.
    squares: L::Words,
    parent_diagonals: L::Words,
    parent_antidiagonals: L::Words,
    open: L::Words,
    diagonals: L::Words,
    antidiagonals: L::Words,
}

#[inline(always)]
fn place<L: Lanes>(lanes: L, level: &Level, at: usize, len: usize, line: Line) -> Placed<L> {
    let high = lanes.splat(!LOW);
    let squares = lanes.load(&level.squares[at..at + L::WIDTH]);
    let parent_diagonals = lanes.load(&level.diagonals[at..at + L::WIDTH]);
    let parent_antidiagonals = lanes.load(&level.antidiagonals[at..at + L::WIDTH]);
    let free = lanes.and(squares, high);
    let rest = lanes.and(free, lanes.decrement(free));
    let queen = lanes.xor(free, rest);
    Placed {
        live: u32::MAX >> (32 - (len - at).min(L::WIDTH)),
        squares: lanes.xor(squares, queen),
        parent_diagonals,
        parent_antidiagonals,
        open: lanes.and(lanes.xor(squares, lanes.shift_right(queen, 32)), lanes.splat(LOW)),
        diagonals: lanes.or(parent_diagonals, lanes.shift_right(queen, 32 - line.diagonal)),
        antidiagonals: lanes.or(parent_antidiagonals, lanes.shift_right(queen, 32 - line.antidiagonal)),
    }
}

impl<L: Lanes> Placed<L> {
    /// The free squares of a line.
    #[inline(always)]
    fn free(&self, lanes: L, line: Line) -> L::Words {
        lanes.and_neither(
            self.open,
            lanes.shift_right(self.diagonals, line.diagonal),
            lanes.shift_right(self.antidiagonals, line.antidiagonal),
        )
    }

    /// Writes the parents that have squares left back to their level and returns its length.
    #[inline(always)]
    fn keep_parents(&self, lanes: L, level: &mut Level, to: usize) -> usize {
        let left = lanes.nonzero(lanes.and(self.squares, lanes.splat(!LOW))) & self.live;
        lanes.keep(&mut level.squares[to..to + L::WIDTH], left, self.squares);
        lanes.keep(&mut level.diagonals[to..to + L::WIDTH], left, self.parent_diagonals);
        lanes.keep(&mut level.antidiagonals[to..to + L::WIDTH], left, self.parent_antidiagonals);
        to + left.count_ones() as usize
    }
}

/// Puts one queen on `line` for a batch of placements. Children need a free square on both lines after it.
#[inline(always)]
fn step<L: Lanes>(lanes: L, level: &mut Level, child: &mut Level, line: Line, next: Line, after: Line) {
    let start = level.len.saturating_sub(BATCH);
    let (mut kept, mut len) = (start, child.len);
    for at in (start..level.len).step_by(L::WIDTH) {
        let placed = place(lanes, level, at, level.len, line);
        let free = placed.free(lanes, next);
        let onward = lanes.nonzero(free) & lanes.nonzero(placed.free(lanes, after)) & placed.live;
        let squares = lanes.or(placed.open, lanes.shift_left(free, 32));
        lanes.keep(&mut child.squares[len..len + L::WIDTH], onward, squares);
        lanes.keep(&mut child.diagonals[len..len + L::WIDTH], onward, placed.diagonals);
        lanes.keep(&mut child.antidiagonals[len..len + L::WIDTH], onward, placed.antidiagonals);
        len += onward.count_ones() as usize;
        kept = placed.keep_parents(lanes, level, kept);
    }
    level.len = kept;
    child.len = len;
}

/// The same on the last line but one: where the last has a free square, it is the only one, and the board is complete.
#[inline(always)]
fn last_step<L: Lanes>(lanes: L, level: &mut Level, line: Line, last: Line) -> u64 {
    let start = level.len.saturating_sub(BATCH);
    let (mut kept, mut solutions) = (start, 0);
    for at in (start..level.len).step_by(L::WIDTH) {
        let placed = place(lanes, level, at, level.len, line);
        solutions += u64::from((lanes.nonzero(placed.free(lanes, last)) & placed.live).count_ones());
        kept = placed.keep_parents(lanes, level, kept);
    }
    level.len = kept;
    solutions
}
