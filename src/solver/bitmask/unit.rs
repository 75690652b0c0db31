//! One unit of work: the tree below a start, opened by the fewest choices first, then walked in batches.

use super::isa::{Kernel, Lanes};
use super::occupancy::Occupancy;
use super::order::order;
use super::walk::{Batches, Below, Line, Walk};
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

/// Counts what is below a partial placement. Stops early when cancelled.
pub(super) struct Count<'a> {
    pub(super) scratch: &'a mut Scratch,
    pub(super) start: Occupancy,
    /// Levels to be opened.
    pub(super) levels: usize,
    pub(super) cancel: &'a CancelToken,
}

impl Kernel for Count<'_> {
    type Output = Below;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Below {
        let Self { scratch, start, levels, cancel } = self;
        let mut sum = Below::default();
        scratch.boards.clear();
        scratch.boards.push((start, levels));
        while let Some((board, levels)) = scratch.boards.pop() {
            let open_rows = board.open_rows().count_ones() as usize;
            if open_rows == 0 {
                sum.solutions += 1;
            } else if levels > 0 {
                sum.nodes += open(board, levels - 1, &mut scratch.boards);
            } else if let Some((board, rows)) = order(board) {
                let lines = rows.map(|row| Line::new(board, row));
                let walk = Walk { board, lines: &lines[..open_rows] };
                let below = walk.count(lanes, &mut scratch.batches, cancel);
                sum.solutions += below.solutions;
                sum.nodes += below.nodes;
            }
            if cancel.is_cancelled() {
                break;
            }
        }
        sum
    }
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
