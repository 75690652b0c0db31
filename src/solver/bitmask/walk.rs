//! The walk: lines in a fixed order, many partial placements at a time, no branch for each placement.
//!
//! A backtracking recursion spends its time on mispredicted branches, because the number of free squares is hard to
//! predict. Here each level of the tree has a short stack of placements:
//!
//! - A step ([`step`]) takes a batch from one stack and places the next queen of each placement.
//! - Children go to the level below. Parents with squares left stay on their level.
//! - The deepest level with a full batch is next, so the stacks stay short. If no level has a full batch, the
//!   shallowest level is next.
//!
//! The last two lines need no level: [`step::ends`] counts their queens and solutions.

use super::occupancy::Occupancy;
use super::step::{self, Below, Line, Placements};
use crate::CancelToken;
use crate::solver::simd::{Integer, Vectors};

/// The levels of a walk.
#[derive(Default)]
pub(super) struct Batches<I> {
    pub(super) levels: Vec<Placements<I>>,
}

/// A board, and its open rows in the order of the walk.
pub(super) struct Walk<'a> {
    pub(super) board: Occupancy,
    pub(super) lines: &'a [Line],
}

impl Walk<'_> {
    /// Counts the solutions below the board.
    #[inline(always)]
    pub(super) fn count<I: Integer, V: Vectors<I>>(
        &self,
        vectors: V,
        batches: &mut Batches<I>,
        cancel: &CancelToken,
    ) -> Below {
        let board = self.board;
        let free = |line: Line| {
            board.full()
                & !(board.columns | board.diagonals >> line.diagonal | board.antidiagonals >> line.antidiagonal)
        };
        match *self.lines {
            [line] => {
                let count = u64::from(free(line).count_ones());
                return Below { solutions: count, nodes: count };
            }
            [line, last] => {
                let distance = line.distance(last);
                let (mut left, mut sum) = (free(line), Below::default());
                while left != 0 {
                    let queen = left & left.wrapping_neg();
                    left ^= queen;
                    let attacked = queen | queen << distance | queen >> distance;
                    let solutions = u64::from((free(last) & !attacked).count_ones());
                    sum.solutions += solutions;
                    sum.nodes += 1 + solutions;
                }
                return sum;
            }
            _ => (),
        }
        let depth = self.lines.len() - 2;
        while batches.levels.len() < depth {
            batches.levels.push(Placements::default());
        }
        let levels = &mut batches.levels[..depth];
        levels[0].start(board.full() & !board.columns, free(self.lines[0]), board.diagonals, board.antidiagonals);

        let mut sum = Below::default();
        // Levels before `top` stay empty. Levels after `at` have less than a batch.
        let (mut at, mut top) = (0, 0);
        loop {
            let (above, below) = levels.split_at_mut(at + 1);
            match (below, &self.lines[at..]) {
                ([child, ..], &[line, next, after, ..]) => {
                    sum.nodes += step::step(vectors, &mut above[at], child, line, next, after);
                    if child.fills_a_batch() {
                        at += 1;
                        continue;
                    }
                }
                (_, &[line, next, last]) => {
                    let found = step::ends(vectors, &mut above[at], line, next, last);
                    sum.solutions += found.solutions;
                    sum.nodes += found.nodes;
                }
                _ => unreachable!("a level has three lines or more"),
            }
            while !levels[at].fills_a_batch() && at > top {
                at -= 1;
            }
            if !levels[at].fills_a_batch() {
                match levels[top..].iter().position(|level| !level.is_empty()) {
                    Some(empty) => top += empty,
                    None => break,
                }
                at = top;
            }
            if cancel.is_cancelled() {
                levels.iter_mut().for_each(Placements::clear);
                break;
            }
        }
        sum
    }
}
