//! One step of the walk: the next queen of each placement of a batch.

use super::occupancy::Occupancy;
use crate::solver::simd::{Integer, Vectors};

/// The largest size whose placements fit 32-bit integers: two times 16 columns, and 31 diagonals.
pub(super) const NARROW_UP_TO: u32 = 16;

/// Number of placements in a full batch: it takes 512 bytes of each of the three arrays. A larger batch means fewer
/// changes of level. A smaller batch means smaller stacks, which stay in L1.
const fn batch<I: Integer>() -> usize {
    4096 / I::BITS as usize
}

/// Room on a level: a batch that is left, a batch that is added, and a vector that is written beyond the end.
const ROOM: usize = 2 * batch::<u32>() + 16;

/// Queens and solutions below a partial placement.
///
/// 64 bits are enough for a unit: a placement adds at most 5 and takes more than 0.1 ns, so 2^64 would take 11 years.
/// All units together may exceed 2^64, so they are added in 128 bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Below {
    pub(super) solutions: u64,
    /// Queens placed.
    pub(super) nodes: u64,
}

/// The shifts that align diagonals and antidiagonals with the columns of a row.
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

    /// The number of rows from `self` to `other`.
    #[inline(always)]
    pub(super) fn distance(self, other: Self) -> u32 {
        self.antidiagonal.abs_diff(other.antidiagonal)
    }
}

/// The placements of one level that have free squares left to try. Each is three integers of type `I`: 32 bits up to
/// [`NARROW_UP_TO`] rows, 64 bits above. With x86-64, a vector holds twice as many 32-bit integers.
pub(super) struct Placements<I> {
    /// Lower half of the bits: columns without a queen. Upper half: squares of the level's line that are left to try.
    squares: [I; ROOM],
    diagonals: [I; ROOM],
    antidiagonals: [I; ROOM],
    len: usize,
}

impl<I: Integer> Default for Placements<I> {
    fn default() -> Self {
        let empty = [I::default(); ROOM];
        Self { squares: empty, diagonals: empty, antidiagonals: empty, len: 0 }
    }
}

impl<I: Integer> Placements<I> {
    /// Makes this placement the level's only one.
    #[inline(always)]
    pub(super) fn start(&mut self, open: u64, free: u64, diagonals: u64, antidiagonals: u64) {
        self.squares[0] = I::of(open | free << (I::BITS / 2));
        self.diagonals[0] = I::of(diagonals);
        self.antidiagonals[0] = I::of(antidiagonals);
        self.len = 1;
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline(always)]
    pub(super) fn fills_a_batch(&self) -> bool {
        self.len >= batch::<I>()
    }

    pub(super) fn clear(&mut self) {
        self.len = 0;
    }
}

/// A vector of placements, each with its next queen.
struct Placed<I: Integer, V: Vectors<I>> {
    /// A bit for each integer that holds a placement.
    live: u32,
    /// The parents, without the square that was tried.
    squares: V::Vector,
    parent_diagonals: V::Vector,
    parent_antidiagonals: V::Vector,
    open: V::Vector,
    diagonals: V::Vector,
    antidiagonals: V::Vector,
}

/// The lower half of an integer's bits.
fn low<I: Integer>() -> u64 {
    (1 << (I::BITS / 2)) - 1
}

#[inline(always)]
fn place<I: Integer, V: Vectors<I>>(vectors: V, level: &Placements<I>, at: usize, line: Line) -> Placed<I, V> {
    let half = I::BITS / 2;
    let squares = vectors.load(&level.squares[at..at + V::WIDTH]);
    let parent_diagonals = vectors.load(&level.diagonals[at..at + V::WIDTH]);
    let parent_antidiagonals = vectors.load(&level.antidiagonals[at..at + V::WIDTH]);
    let free = vectors.and(squares, vectors.splat(I::of(!low::<I>())));
    let rest = vectors.and(free, vectors.decrement(free));
    let queen = vectors.xor(free, rest);
    Placed {
        live: u32::MAX >> (32 - (level.len - at).min(V::WIDTH)),
        squares: vectors.xor(squares, queen),
        parent_diagonals,
        parent_antidiagonals,
        open: vectors.and(vectors.xor(squares, vectors.shift_right(queen, half)), vectors.splat(I::of(low::<I>()))),
        diagonals: vectors.or(parent_diagonals, vectors.shift_right(queen, half - line.diagonal)),
        antidiagonals: vectors.or(parent_antidiagonals, vectors.shift_right(queen, half - line.antidiagonal)),
    }
}

impl<I: Integer, V: Vectors<I>> Placed<I, V> {
    /// The free squares of a line.
    #[inline(always)]
    fn free(&self, vectors: V, line: Line) -> V::Vector {
        vectors.and_neither(
            self.open,
            vectors.shift_right(self.diagonals, line.diagonal),
            vectors.shift_right(self.antidiagonals, line.antidiagonal),
        )
    }

    /// Writes the parents that have squares left back to their level and returns its length.
    #[inline(always)]
    fn keep_parents(&self, vectors: V, level: &mut Placements<I>, to: usize) -> usize {
        let left = vectors.nonzero(vectors.and(self.squares, vectors.splat(I::of(!low::<I>())))) & self.live;
        vectors.keep(&mut level.squares[to..to + V::WIDTH], left, self.squares);
        vectors.keep(&mut level.diagonals[to..to + V::WIDTH], left, self.parent_diagonals);
        vectors.keep(&mut level.antidiagonals[to..to + V::WIDTH], left, self.parent_antidiagonals);
        to + left.count_ones() as usize
    }
}

/// Puts one queen on `line` for a batch of placements. Returns the number of placements. Children need a free square on
/// both `next` and `after`.
#[inline(always)]
pub(super) fn step<I: Integer, V: Vectors<I>>(
    vectors: V,
    level: &mut Placements<I>,
    child: &mut Placements<I>,
    line: Line,
    next: Line,
    after: Line,
) -> u64 {
    let start = level.len.saturating_sub(batch::<I>());
    let placements = level.len - start;
    let (mut kept, mut len) = (start, child.len);
    for at in (start..level.len).step_by(V::WIDTH) {
        let placed = place(vectors, level, at, line);
        let free = placed.free(vectors, next);
        let onward = vectors.nonzero(free) & vectors.nonzero(placed.free(vectors, after)) & placed.live;
        let squares = vectors.or(placed.open, vectors.shift_left(free, I::BITS / 2));
        vectors.keep(&mut child.squares[len..len + V::WIDTH], onward, squares);
        vectors.keep(&mut child.diagonals[len..len + V::WIDTH], onward, placed.diagonals);
        vectors.keep(&mut child.antidiagonals[len..len + V::WIDTH], onward, placed.antidiagonals);
        len += onward.count_ones() as usize;
        kept = placed.keep_parents(vectors, level, kept);
    }
    level.len = kept;
    child.len = len;
    placements as u64
}

/// Puts one queen on `line`, the third last line, for a batch of placements, and counts everything below.
///
/// Two columns are open then, so there are two pairs of squares on the last two lines. Both pairs or neither lie on a
/// common diagonal. If neither does, both are solutions where all four squares are free. One is a solution where each
/// column is free on at least one line and each line has a free square, but not all four squares are free.
#[inline(always)]
pub(super) fn ends<I: Integer, V: Vectors<I>>(
    vectors: V,
    level: &mut Placements<I>,
    line: Line,
    next: Line,
    last: Line,
) -> Below {
    let start = level.len.saturating_sub(batch::<I>());
    let distance = next.distance(last);
    let mut below = Below { solutions: 0, nodes: (level.len - start) as u64 };
    let mut kept = start;
    for at in (start..level.len).step_by(V::WIDTH) {
        let placed = place(vectors, level, at, line);
        let (a, b) = (placed.free(vectors, next), placed.free(vectors, last));
        let differs = |x: V::Vector| vectors.nonzero(vectors.xor(x, placed.open));
        let onward = vectors.nonzero(a) & vectors.nonzero(b) & placed.live;
        let apart = onward & !vectors.nonzero(vectors.and(placed.open, vectors.shift_right(placed.open, distance)));
        let one = apart & !differs(vectors.or(a, b));
        let two = apart & !differs(vectors.and(a, b));
        let solutions = one.count_ones() + two.count_ones();
        // Queens on `next`, one for each of its free squares, and one on `last` for each solution.
        let queens = onward.count_ones() + (onward & !differs(a)).count_ones();
        below.solutions += u64::from(solutions);
        below.nodes += u64::from(queens + solutions);
        kept = placed.keep_parents(vectors, level, kept);
    }
    level.len = kept;
    below
}
