//! Single solutions of boards too large to be searched: the closed construction, and one at random.

use super::Board;
use crate::splitmix::SplitMix64;

/// One solution, at once and for any size: all even columns, then all odd ones, with a few queens moved where n = 2, 3, 8
/// or 9 modulo 12 would let them attack each other. `None` for n = 2 and n = 3, which have none.
///
/// The construction is E. Pauls' (Das Maximalproblem der Damen auf dem Schachbrete, 1874), in the form in which it is
/// usually taught.
///
/// ```
/// use nqueens::board::construct;
///
/// assert_eq!(construct::first(8).unwrap().columns(), [1, 3, 5, 7, 2, 0, 6, 4]);
/// assert!(construct::first(1_000_000).unwrap().is_solution());
/// ```
///
/// # Panics
/// For n above `u32::MAX`.
#[must_use]
pub fn first(n: usize) -> Option<Board> {
    if n == 2 || n == 3 {
        return None;
    }
    let n = u32::try_from(n).expect("a board's size fits 32 bits");
    // Columns counted from 1, as the construction has them.
    let mut evens: Vec<u32> = (2..=n).step_by(2).collect();
    let mut odds: Vec<u32> = (1..=n).step_by(2).collect();
    match n % 12 {
        // 3, 1, 7, 5, 11, 9, ...
        8 => odds.chunks_exact_mut(2).for_each(|pair| pair.swap(0, 1)),
        // 3, 1, 7, 9, ..., 5
        2 => {
            odds.swap(0, 1);
            odds[2..].rotate_left(1);
        }
        // 4, 6, 8, ..., 2 and 5, 7, 9, ..., 1, 3
        3 | 9 => {
            evens.rotate_left(1);
            odds.rotate_left(2);
        }
        _ => {}
    }
    Board::new(evens.into_iter().chain(odds).map(|column| column - 1).collect())
}

/// Solutions found from random starts, without end, each in time about in proportion to n squared; none for n = 2 and
/// n = 3. Any solution may come out, not all with the same probability. The same seed makes the same boards.
///
/// ```
/// use nqueens::board::construct;
///
/// assert!(construct::random(200, 7).take(2).all(|board| board.is_solution()));
/// ```
///
/// The queens begin as a random permutation of the columns, so that only diagonals are shared; pairs of rows then exchange
/// their columns where that leaves fewer queens on shared diagonals, until none is left or no pair helps, which takes a
/// new start. (R. Sosič and J. Gu, A polynomial time algorithm for the n-queens problem, SIGART Bulletin 1, 1990.)
pub fn random(n: usize, seed: u64) -> impl Iterator<Item = Board> {
    let mut generator = SplitMix64::new(seed);
    std::iter::from_fn(move || settled(n, &mut generator))
}

/// One of them.
fn settled(n: usize, generator: &mut SplitMix64) -> Option<Board> {
    if n == 2 || n == 3 {
        return None;
    }
    let mut columns: Vec<u32> = (0..n as u32).collect();
    loop {
        for row in (1..n).rev() {
            columns.swap(row, generator.below(row + 1));
        }
        if Diagonals::new(&columns).settle(&mut columns) {
            return Board::new(columns);
        }
    }
}

/// How many queens stand on each diagonal and antidiagonal.
struct Diagonals {
    n: usize,
    diagonals: Vec<u32>,
    antidiagonals: Vec<u32>,
    /// Queens in excess of one, over all of them: 0 for a solution.
    excess: usize,
}

impl Diagonals {
    fn new(columns: &[u32]) -> Self {
        let n = columns.len();
        let mut lines = Self { n, diagonals: vec![0; 2 * n], antidiagonals: vec![0; 2 * n], excess: 0 };
        for (row, &column) in columns.iter().enumerate() {
            lines.add(row, column);
        }
        lines
    }

    fn add(&mut self, row: usize, column: u32) {
        let column = column as usize;
        for line in [&mut self.diagonals[row + self.n - 1 - column], &mut self.antidiagonals[row + column]] {
            self.excess += usize::from(*line > 0);
            *line += 1;
        }
    }

    fn remove(&mut self, row: usize, column: u32) {
        let column = column as usize;
        for line in [&mut self.diagonals[row + self.n - 1 - column], &mut self.antidiagonals[row + column]] {
            *line -= 1;
            self.excess -= usize::from(*line > 0);
        }
    }

    fn exchange(&mut self, columns: &mut [u32], one: usize, other: usize) {
        self.remove(one, columns[one]);
        self.remove(other, columns[other]);
        columns.swap(one, other);
        self.add(one, columns[one]);
        self.add(other, columns[other]);
    }

    fn is_shared(&self, row: usize, column: u32) -> bool {
        let column = column as usize;
        self.diagonals[row + self.n - 1 - column] > 1 || self.antidiagonals[row + column] > 1
    }

    /// Exchanges columns as long as that helps; whether the queens are a solution in the end.
    fn settle(&mut self, columns: &mut [u32]) -> bool {
        loop {
            let before = self.excess;
            for one in 0..self.n {
                // A queen whose diagonals are its own gains nothing by moving.
                for other in (0..self.n).filter(|&other| other != one) {
                    if !self.is_shared(one, columns[one]) {
                        break;
                    }
                    let excess = self.excess;
                    self.exchange(columns, one, other);
                    if self.excess >= excess {
                        self.exchange(columns, one, other);
                    }
                }
            }
            if self.excess == 0 || self.excess == before {
                return self.excess == 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_construction_is_a_solution_for_every_size() {
        for n in (0..=1000).chain([1_000_000, 1_000_001, 999_998, 999_999]) {
            match first(n) {
                None => assert!(n == 2 || n == 3),
                Some(board) => assert!(board.size() == n && board.is_solution(), "n = {n}"),
            }
        }
    }

    #[test]
    fn random_solutions_are_solutions_and_the_seed_decides() {
        for n in (0..=60).chain([100, 333, 1000]) {
            match random(n, 7).next() {
                None => assert!(n == 2 || n == 3),
                Some(board) => {
                    assert!(board.size() == n && board.is_solution(), "n = {n}");
                    assert_eq!(random(n, 7).next(), Some(board));
                }
            }
        }
        let found: std::collections::HashSet<_> = (0..600).filter_map(|seed| random(6, seed).next()).collect();
        assert_eq!(found.len(), 4, "all solutions for n = 6 come out sooner or later");
    }
}
