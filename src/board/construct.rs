//! Constructs a solution without a search, which works for large boards too.

use super::Board;

/// Constructs a solution for an n x n board without a search. Returns `None` for n = 2 and n = 3, which have no
/// solution. The board takes 4 n bytes, and as many again during the construction.
///
/// The queens first take the even columns, counted from 1, and then the odd ones. If n modulo 12 is 2, 3, 8 or 9, a few
/// of them change places. This is the usual modern form of a construction by E. Pauls (Das Maximalproblem der Damen auf
/// dem Schachbrete, 1874).
///
/// ```
/// use nqueens::board::construct;
///
/// assert_eq!(construct::solution(8).unwrap().columns(), [1, 3, 5, 7, 2, 0, 6, 4]);
/// assert!(construct::solution(1_000_000).unwrap().is_solution());
/// ```
#[must_use]
pub fn solution(n: u32) -> Option<Board> {
    if n == 2 || n == 3 {
        return None;
    }
    // Columns are counted from 1 until the last line.
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
    Some(Board::found(evens.into_iter().chain(odds).map(|column| column - 1).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_construction_is_a_solution_for_every_size() {
        for n in (0..=1000).chain([1_000_000, 1_000_001, 999_998, 999_999]) {
            match solution(n) {
                None => assert!(n == 2 || n == 3),
                Some(board) => assert!(board.size() == n as usize && board.is_solution(), "n = {n}"),
            }
        }
    }
}
