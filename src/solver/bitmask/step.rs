//! One step of the walk: the next queen of each placement of a batch.

use super::occupancy::Occupancy;
use crate::solver::simd::words::{Lanes, Word};

/// The largest board whose placements fit in words of 32 bits: two halves of 16 columns, and 31 diagonals.
pub(super) const NARROW_UP_TO: u32 = 16;

/// Placements that a batch has, where there are as many: those whose words take 512 bytes each. More keeps the choice of
/// a level rarer, fewer keeps the stacks in the first-level cache.
const fn batch<W: Word>() -> usize {
    4096 / W::BITS as usize
}

/// Room on a level: less than the larger batch left over, as many added, and a vector written beyond the end.
const ROOM: usize = 2 * batch::<u32>() + 16;

/// What is below a partial placement.
///
/// 64 bits hold it for any unit: a placement adds at most 5 (in [`ends`]: itself, two queens on the next line, two
/// solutions), and takes more than a tenth of a nanosecond, so that 2^64 would take 11 years. By the same reckoning all
/// units together may pass 2^64: they are added in 128 bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Below {
    pub(super) solutions: u64,
    /// Queens placed.
    pub(super) nodes: u64,
}

/// How far diagonals and antidiagonals are shifted to lie on a row's columns.
#[derive(Clone, Copy, Default)]
pub(super) struct Line {
    pub(super) diagonal: u32,
    pub(super) antidiagonal: u32,
}

impl Line {
    #[inline(always)]
    pub(super) fn new(board: Occupancy, row: u32) -> Self {
        Self { diagonal: board.diagonal_shift(row), antidiagonal: row }
    }

    /// Rows from one to the other.
    #[inline(always)]
    pub(super) fn distance(self, other: Self) -> u32 {
        self.antidiagonal.abs_diff(other.antidiagonal)
    }
}

/// The placements of one level that have free squares left to try, each three words: of 32 bits on boards of up to
/// [`NARROW_UP_TO`] rows, so that a vector has twice as many, of 64 on larger ones.
pub(super) struct Placements<W> {
    /// Low half: columns without a queen. High half: squares of the level's line to be tried.
    squares: [W; ROOM],
    diagonals: [W; ROOM],
    antidiagonals: [W; ROOM],
    len: usize,
}

impl<W: Word> Default for Placements<W> {
    fn default() -> Self {
        let empty = [W::default(); ROOM];
        Self { squares: empty, diagonals: empty, antidiagonals: empty, len: 0 }
    }
}

impl<W: Word> Placements<W> {
    /// The level holds this placement and no other.
    #[inline(always)]
    pub(super) fn start(&mut self, open: u64, free: u64, diagonals: u64, antidiagonals: u64) {
        self.squares[0] = W::of(open | free << (W::BITS / 2));
        self.diagonals[0] = W::of(diagonals);
        self.antidiagonals[0] = W::of(antidiagonals);
        self.len = 1;
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline(always)]
    pub(super) fn fills_a_batch(&self) -> bool {
        self.len >= batch::<W>()
    }

    pub(super) fn clear(&mut self) {
        self.len = 0;
    }
}

/// The words of a vector of placements with the next queen put on each.
struct Placed<W: Word, L: Lanes<W>> {
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

/// A half of each word.
fn low<W: Word>() -> u64 {
    (1 << (W::BITS / 2)) - 1
}

#[inline(always)]
fn place<W: Word, L: Lanes<W>>(lanes: L, level: &Placements<W>, at: usize, line: Line) -> Placed<W, L> {
    let half = W::BITS / 2;
    let squares = lanes.load(&level.squares[at..at + L::WIDTH]);
    let parent_diagonals = lanes.load(&level.diagonals[at..at + L::WIDTH]);
    let parent_antidiagonals = lanes.load(&level.antidiagonals[at..at + L::WIDTH]);
    let free = lanes.and(squares, lanes.splat(W::of(!low::<W>())));
    let rest = lanes.and(free, lanes.decrement(free));
    let queen = lanes.xor(free, rest);
    Placed {
        live: u32::MAX >> (32 - (level.len - at).min(L::WIDTH)),
        squares: lanes.xor(squares, queen),
        parent_diagonals,
        parent_antidiagonals,
        open: lanes.and(lanes.xor(squares, lanes.shift_right(queen, half)), lanes.splat(W::of(low::<W>()))),
        diagonals: lanes.or(parent_diagonals, lanes.shift_right(queen, half - line.diagonal)),
        antidiagonals: lanes.or(parent_antidiagonals, lanes.shift_right(queen, half - line.antidiagonal)),
    }
}

impl<W: Word, L: Lanes<W>> Placed<W, L> {
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
    fn keep_parents(&self, lanes: L, level: &mut Placements<W>, to: usize) -> usize {
        let left = lanes.nonzero(lanes.and(self.squares, lanes.splat(W::of(!low::<W>())))) & self.live;
        lanes.keep(&mut level.squares[to..to + L::WIDTH], left, self.squares);
        lanes.keep(&mut level.diagonals[to..to + L::WIDTH], left, self.parent_diagonals);
        lanes.keep(&mut level.antidiagonals[to..to + L::WIDTH], left, self.parent_antidiagonals);
        to + left.count_ones() as usize
    }
}

/// Puts one queen on `line` for a batch of placements, and returns how many. Children need a free square on both lines
/// after it.
#[inline(always)]
pub(super) fn step<W: Word, L: Lanes<W>>(
    lanes: L,
    level: &mut Placements<W>,
    child: &mut Placements<W>,
    line: Line,
    next: Line,
    after: Line,
) -> u64 {
    let start = level.len.saturating_sub(batch::<W>());
    let placements = level.len - start;
    let (mut kept, mut len) = (start, child.len);
    for at in (start..level.len).step_by(L::WIDTH) {
        let placed = place(lanes, level, at, line);
        let free = placed.free(lanes, next);
        let onward = lanes.nonzero(free) & lanes.nonzero(placed.free(lanes, after)) & placed.live;
        let squares = lanes.or(placed.open, lanes.shift_left(free, W::BITS / 2));
        lanes.keep(&mut child.squares[len..len + L::WIDTH], onward, squares);
        lanes.keep(&mut child.diagonals[len..len + L::WIDTH], onward, placed.diagonals);
        lanes.keep(&mut child.antidiagonals[len..len + L::WIDTH], onward, placed.antidiagonals);
        len += onward.count_ones() as usize;
        kept = placed.keep_parents(lanes, level, kept);
    }
    level.len = kept;
    child.len = len;
    placements as u64
}

/// The same on the last line but two, and all that is below: two columns are open then, so two pairs of squares of the
/// last two lines are left to try, and it takes no queen to see which of them are free.
///
/// Both pairs or neither lie on a common diagonal. Otherwise they are both free where every square is, and one of them
/// where each column is free on one line or the other but not so.
#[inline(always)]
pub(super) fn ends<W: Word, L: Lanes<W>>(
    lanes: L,
    level: &mut Placements<W>,
    line: Line,
    next: Line,
    last: Line,
) -> Below {
    let start = level.len.saturating_sub(batch::<W>());
    let distance = next.distance(last);
    let mut below = Below { solutions: 0, nodes: (level.len - start) as u64 };
    let mut kept = start;
    for at in (start..level.len).step_by(L::WIDTH) {
        let placed = place(lanes, level, at, line);
        let (a, b) = (placed.free(lanes, next), placed.free(lanes, last));
        let differs = |x: L::Words| lanes.nonzero(lanes.xor(x, placed.open));
        let onward = lanes.nonzero(a) & lanes.nonzero(b) & placed.live;
        let apart = onward & !lanes.nonzero(lanes.and(placed.open, lanes.shift_right(placed.open, distance)));
        let one = apart & !differs(lanes.or(a, b));
        let two = apart & !differs(lanes.and(a, b));
        let solutions = one.count_ones() + two.count_ones();
        // Queens on `next`, one for each of its free squares, and one on `last` for each solution.
        let queens = onward.count_ones() + (onward & !differs(a)).count_ones();
        below.solutions += u64::from(solutions);
        below.nodes += u64::from(queens + solutions);
        kept = placed.keep_parents(lanes, level, kept);
    }
    level.len = kept;
    below
}
