//! One unit of work: the tree below a start, opened by the fewest choices first, then walked in batches.

use super::isa::Lanes;
use super::occupancy::Occupancy;
use super::walk::{Batches, Line, Walk};
use crate::CancelToken;

/// Levels of the tree, below the start's queens, at which the line with the fewest free squares is chosen anew at every
/// node, among all open rows and columns. Each takes 10 to 15 % off the tree below, and costs as much as placing 500
/// queens in a walk for each board it opens. Tuned on a Zen 4 with AVX-512; one more or less changes the time by 5 %.
pub(super) fn opened_levels(n: u32) -> usize {
    match n {
        0..=15 => 0,
        16..=17 => 1,
        18..=19 => 3,
        20..=21 => 4,
        _ => 5,
    }
}

/// The scratch memory of one thread.
#[derive(Default)]
pub(super) struct Scratch {
    /// Boards to be opened or walked, with the levels still to be opened below each.
    boards: Vec<(Occupancy, usize)>,
    batches: Batches,
}

/// Counts the solutions below a partial placement, and the queens placed. Stops early when cancelled.
#[inline(always)]
pub(super) fn count<L: Lanes>(
    lanes: L,
    scratch: &mut Scratch,
    start: Occupancy,
    levels: usize,
    cancel: &CancelToken,
) -> (u64, u64) {
    let (mut solutions, mut nodes) = (0, 0);
    scratch.boards.clear();
    scratch.boards.push((start, levels));
    while let Some((board, levels)) = scratch.boards.pop() {
        let open_rows = board.open_rows().count_ones() as usize;
        if open_rows == 0 {
            solutions += 1;
        } else if levels > 0 {
            nodes += open(board, levels - 1, &mut scratch.boards);
        } else if let Some((board, lines)) = order(board) {
            let walk = Walk { board, lines: &lines[..open_rows] };
            let below = walk.count(lanes, &mut scratch.batches, cancel);
            solutions += below.0;
            nodes += below.1;
        }
        if cancel.is_cancelled() {
            break;
        }
    }
    (solutions, nodes)
}

/// Puts a queen on each free square of the row or column that has the fewest, and returns how many those are.
#[inline(always)]
fn open(board: Occupancy, levels: usize, boards: &mut Vec<(Occupancy, usize)>) -> u64 {
    let mut fewest = (u32::MAX, 0, board);
    for board in [board, board.transposed()] {
        for row in 0..board.n {
            let count = board.free(row).count_ones();
            if board.open_rows() >> row & 1 == 1 && count < fewest.0 {
                fewest = (count, row, board);
            }
        }
    }
    let (count, row, board) = fewest;
    let mut free = board.free(row);
    while free != 0 {
        boards.push((board.with(row, free.trailing_zeros()), levels));
        free &= free - 1;
    }
    u64::from(count)
}

/// The open rows, or the open columns on the transposed board, whichever have the smaller product of free squares, in the
/// order in which to walk them. `None` where a line has no free square.
#[inline(always)]
fn order(board: Occupancy) -> Option<(Occupancy, [Line; 32])> {
    let transposed = board.transposed();
    let (rows, columns) = (free_product(board), free_product(transposed));
    if rows == 0.0 || columns == 0.0 {
        return None;
    }
    let board = if columns < rows { transposed } else { board };
    Some((board, chain(board).0.map(|row| Line::new(board, row))))
}

#[inline(always)]
fn free_product(board: Occupancy) -> f64 {
    let mut product = 1.0;
    let mut open = board.open_rows();
    while open != 0 {
        product *= f64::from(board.free(open.trailing_zeros()).count_ones());
        open &= open - 1;
    }
    product
}

/// The open rows, each time the one that may be expected to have the fewest free squares once those before it have their
/// queens, and about how many queens are placed in that order.
///
/// A queen somewhere on row a leaves a square of row b alone with a probability of 1 - attacks / (free squares of a), and
/// the rows before b are taken to do so independently of one another. Rows sorted by their free squares alone gave 7 to
/// 10 % more nodes.
#[inline(always)]
fn chain(board: Occupancy) -> ([u32; 32], f32) {
    let mut rows = [0; 32];
    let mut free = [0; 32];
    let mut share = [0.0; 32];
    let mut expected = [0.0f32; 32];
    let mut open = board.open_rows();
    let mut len = 0;
    while open != 0 {
        let row = open.trailing_zeros();
        open &= open - 1;
        rows[len] = row;
        free[len] = board.free(row);
        expected[len] = free[len].count_ones() as f32;
        share[len] = 1.0 / expected[len].max(1.0);
        len += 1;
    }
    let (mut nodes, mut level) = (0.0, 1.0);
    for at in 0..len {
        // Not negative, so floats are in the order of their bits: the last five make room for the index.
        let key = |index: usize| expected[index].to_bits() & !31 | index as u32;
        let fewest = (at..len).map(key).min().map_or(at, |key| (key & 31) as usize);
        rows.swap(at, fewest);
        free.swap(at, fewest);
        share.swap(at, fewest);
        expected.swap(at, fewest);
        level *= expected[at];
        nodes += level;
        for other in at + 1..len {
            let distance = rows[at].abs_diff(rows[other]);
            let attacks = (free[other] & free[at]).count_ones()
                + (free[other] & free[at] << distance).count_ones()
                + (free[other] & free[at] >> distance).count_ones();
            expected[other] *= (1.0 - attacks as f32 * share[at] * share[other]).max(0.0);
        }
    }
    (rows, nodes)
}

/// About how many queens are placed below a start, in proportion: for eight starts of ten within a quarter of what was
/// counted at n = 16. Where predicting would take a notable part of the count's time, and where there are so many
/// starts that it would take seconds, and counting lifetimes, the product of free squares must do, and does worse.
pub(super) fn predicted_cost(board: Occupancy) -> f32 {
    match board.n {
        0 => 1.0,
        18..=24 => chain(board).1.min(chain(board.transposed()).1).max(1.0).powf(0.88),
        _ => free_product(board).max(1.0).powf(0.6) as f32,
    }
}
