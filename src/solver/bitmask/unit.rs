//! Counts one unit of work: opens the tree below a start, fewest choices first, then walks it in batches.

use super::occupancy::Occupancy;
use super::order::order;
use super::step::{Below, Line};
use super::walk::{Batches, Walk};
use crate::room::make_room;
use crate::solver::simd::{Integer, Kernel, Simd};
use crate::{CancelToken, Result};

/// Number of levels below a start where each node chooses its own line: the open row or column with the fewest free
/// squares.
///
/// Each level makes the tree 10 to 15 % smaller. But opening a board takes as much time as 500 queens of a walk.
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
pub(super) struct Scratch<I> {
    /// Boards to open or walk, each with the number of levels to open below it.
    boards: Vec<(Occupancy, usize)>,
    batches: Batches<I>,
}

impl<I> Scratch<I> {
    /// Makes room for all boards that are open and all levels of a walk.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(super) fn make_room(&mut self, n: u32) -> Result<()> {
        let n = n as usize;
        self.boards.clear();
        make_room(&mut self.boards, 1 + opened_levels(n as u32) * n)?;
        let levels = &mut self.batches.levels;
        let missing = n.saturating_sub(levels.len());
        make_room(levels, missing)
    }
}

/// Counts the solutions below a partial placement. Stops early when cancelled.
pub(super) struct Count<'a, I> {
    pub(super) scratch: &'a mut Scratch<I>,
    pub(super) start: Occupancy,
    /// Number of levels to open.
    pub(super) levels: usize,
    pub(super) cancel: &'a CancelToken,
}

impl<I: Integer> Kernel for Count<'_, I> {
    type Output = Below;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Below {
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
                let mut lines = [Line::default(); 32];
                for (line, &row) in lines.iter_mut().zip(&rows[..open_rows]) {
                    *line = Line::new(board, row);
                }
                let walk = Walk { board, lines: &lines[..open_rows] };
                let below = walk.count(I::token(simd), &mut scratch.batches, cancel);
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

/// Puts a queen on each free square of the row or column that has the fewest. Returns the number of these squares.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::simd::dispatch;
    use crate::solver::simd::tests::available;

    /// Boards that complete this one, row by row.
    fn completions(board: Occupancy, row: u32) -> u64 {
        if row == board.n {
            return 1;
        }
        if board.rows >> row & 1 == 1 {
            return completions(board, row + 1);
        }
        let columns = (0..board.n).filter(|column| board.free(row) >> column & 1 == 1);
        columns.map(|column| completions(board.with(row, column), row + 1)).sum()
    }

    #[test]
    fn whatever_is_opened_and_walked_all_completions_are_counted() {
        all_completions_are_counted::<u32>();
        all_completions_are_counted::<u64>();
    }

    /// Counts from the empty board, which fills many batches, and from boards with one or two queens, with every number
    /// of opened levels.
    fn all_completions_are_counted<I: Integer>() {
        let largest = 10;
        let mut scratch = Scratch::<I>::default();
        for n in 1..=largest {
            let empty = Occupancy::empty(n);
            let one = empty.with(n / 2, n / 3);
            let mut boards = vec![empty, one];
            if n >= 4 {
                boards.push(one.with(n / 2 - 1, one.free(n / 2 - 1).trailing_zeros()));
            }
            for start in boards {
                let expected = completions(start, 0);
                for levels in [0, 1, 2, 3, n as usize] {
                    let mut nodes = None;
                    for isa in available() {
                        let cancel = &CancelToken::new();
                        let below = dispatch(isa, Count { scratch: &mut scratch, start, levels, cancel });
                        assert_eq!(below.solutions, expected, "n = {n}, {levels} levels, {}", isa.name());
                        assert_eq!(below.nodes, *nodes.get_or_insert(below.nodes), "{}", isa.name());
                    }
                }
            }
        }
    }

    #[test]
    fn a_cancelled_count_stops_and_the_next_one_is_whole() {
        let (mut scratch, cancel) = (Scratch::<u32>::default(), CancelToken::new());
        cancel.cancel();
        let start = Occupancy::empty(10);
        for isa in available() {
            let stopped = dispatch(isa, Count { scratch: &mut scratch, start, levels: 1, cancel: &cancel });
            assert!(stopped.nodes < 1000, "{}: {stopped:?}", isa.name());
            let go_on = CancelToken::new();
            let whole = dispatch(isa, Count { scratch: &mut scratch, start, levels: 1, cancel: &go_on });
            assert_eq!(whole.solutions, 724, "{}", isa.name());
        }
    }

    /// Of all rows and columns, the one with the fewest free squares.
    #[test]
    fn the_line_opened_has_the_fewest_free_squares() {
        // With queens at (0, 0) and (1, 2), row 2 has the free columns 4 and 5, and column 1 the free rows 3 and 5.
        let board = Occupancy::empty(6).with(0, 0).with(1, 2);
        let mut boards = Vec::new();
        let count = open(board, 7, &mut boards);
        let fewest = (2..6).map(|row| board.free(row).count_ones());
        let fewest = fewest.chain([1, 3, 4, 5].map(|column| board.transposed().free(column).count_ones())).min();
        assert_eq!(Some(count), fewest.map(u64::from));
        assert_eq!(boards.len() as u64, count);
        assert!(boards.iter().all(|(board, levels)| board.rows.count_ones() == 3 && *levels == 7));
    }
}
