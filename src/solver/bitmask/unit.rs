//! One unit of work: the tree below a start, opened by the fewest choices first, then walked in batches.

use super::isa::Lanes;
use super::occupancy::Occupancy;
use super::walk::{Batches, Line, Walk};
use crate::Monitor;

/// Levels of the tree, below the start's queens, at which the line with the fewest free squares is chosen anew at every
/// node, among all open rows and columns. Each makes the tree below smaller (by 10 to 15 %) and the batches shorter.
pub(super) fn opened_levels(n: u32) -> usize {
    match n {
        0..=15 => 0,
        16 => 1,
        17..=18 => 2,
        19..=20 => 3,
        _ => 4,
    }
}

/// The scratch memory of one thread.
#[derive(Default)]
pub(super) struct Scratch {
    boards: Vec<Occupancy>,
    opened: Vec<Occupancy>,
    batches: Batches,
}

/// Counts the solutions below a partial placement, and the queens placed. Stops early when cancelled.
#[inline(always)]
pub(super) fn count<L: Lanes>(
    lanes: L,
    scratch: &mut Scratch,
    start: Occupancy,
    levels: usize,
    monitor: &Monitor,
) -> (u64, u64) {
    let (mut solutions, mut nodes) = (0, 0);
    scratch.boards.clear();
    scratch.boards.push(start);
    for _ in 0..levels {
        scratch.opened.clear();
        for &board in &scratch.boards {
            open(board, &mut scratch.opened);
        }
        std::mem::swap(&mut scratch.boards, &mut scratch.opened);
        nodes += scratch.boards.len() as u64;
    }
    for &board in &scratch.boards {
        if monitor.is_cancelled() {
            break;
        }
        let open = board.open_rows();
        if open == 0 {
            solutions += 1;
            continue;
        }
        let Some((board, lines)) = order(board) else { continue };
        let walk = Walk { board, lines: &lines[..open.count_ones() as usize] };
        let below = walk.count(lanes, &mut scratch.batches, monitor);
        solutions += below.0;
        nodes += below.1;
    }
    (solutions, nodes)
}

/// Puts a queen on each free square of the row or column that has the fewest.
#[inline(always)]
fn open(board: Occupancy, opened: &mut Vec<Occupancy>) {
    if board.open_rows() == 0 {
        opened.push(board);
        return;
    }
    let mut fewest = (u32::MAX, 0, board);
    for board in [board, board.transposed()] {
        for row in 0..board.n {
            let count = board.free(row).count_ones();
            if board.open_rows() >> row & 1 == 1 && count < fewest.0 {
                fewest = (count, row, board);
            }
        }
    }
    let (_, row, board) = fewest;
    let mut free = board.free(row);
    while free != 0 {
        opened.push(board.with(row, free.trailing_zeros()));
        free &= free - 1;
    }
}

/// The open rows, or the open columns on the transposed board, in the order in which to walk them: those with the fewest
/// free squares first, of equals the one nearer to the middle. Of rows and columns, those with the smaller product of free
/// squares. `None` where a line has no free square.
#[inline(always)]
fn order(board: Occupancy) -> Option<(Occupancy, [Line; 32])> {
    let transposed = board.transposed();
    let (by_rows, by_columns) = (sorted(board), sorted(transposed));
    if by_rows.1 == 0.0 || by_columns.1 == 0.0 {
        return None;
    }
    let (board, keys) = if by_columns.1 < by_rows.1 { (transposed, by_columns.0) } else { (board, by_rows.0) };
    Some((board, keys.map(|key| Line::new(board, key & 0xff))))
}

/// The sorted keys of the open rows, the row itself in the last byte, and the product of their numbers of free squares.
#[inline(always)]
fn sorted(board: Occupancy) -> ([u32; 32], f64) {
    let mut keys = [0; 32];
    let mut len = 0;
    let mut product = 1.0;
    let mut open = board.open_rows();
    while open != 0 {
        let row = open.trailing_zeros();
        open &= open - 1;
        let free = board.free(row).count_ones();
        product *= f64::from(free);
        keys[len] = free << 16 | (2 * row).abs_diff(board.n - 1) << 8 | row;
        len += 1;
    }
    keys[..len].sort_unstable();
    (keys, product)
}

/// About how many queens are placed below a start, in proportion. The power of the product of free squares is fitted to
/// what was counted for n = 12..16: within a factor of 1.6 for eight starts of ten.
pub(super) fn predicted_cost(board: Occupancy) -> f32 {
    if board.open_rows() == 0 {
        return 1.0;
    }
    let product = sorted(board).1.min(sorted(board.transposed()).1);
    product.max(1.0).powf(0.6) as f32
}
