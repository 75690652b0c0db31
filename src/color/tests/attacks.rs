//! Compares the sum by definition, and the lines of keys, with the definition of an attack.

use std::collections::HashMap;

use super::by_definition;
use crate::board::{Board, Size};
use crate::color::split::{Geometry, SubBoard};
use crate::verify;

#[test]
fn white_times_black_is_the_references_count_for_every_coloring_of_rows_and_columns() {
    for n in 1..=8 {
        let mut expected: HashMap<(u64, u64), u64> = HashMap::new();
        for solution in verify::reference_boards(Size::new(n).unwrap()) {
            let is_white = |&(row, &column): &(usize, &u32)| (row + column as usize).is_multiple_of(2);
            let white = |solution: &Board| -> (u64, u64) {
                let white = solution.columns().iter().enumerate().filter(is_white);
                white.fold((0, 0), |(rows, columns), (row, &column)| (rows | 1 << row, columns | 1 << column))
            };
            *expected.entry(white(&solution)).or_default() += 1;
        }
        let mut found = HashMap::new();
        let all = (1u64 << n) - 1;
        for rows in 0..=all {
            let black = by_definition(n, all ^ rows, 1);
            for (columns, white) in by_definition(n, rows, 0) {
                if let Some(black) = black.get(&(all ^ columns)) {
                    found.insert((rows, columns), white * black);
                }
            }
        }
        assert_eq!(found, expected, "n = {n}");
    }
}

/// Trap: lines of oo and oe that are not shifted by one bit.
#[test]
fn keys_share_a_bit_exactly_where_queens_of_one_color_attack_along_a_diagonal() {
    for n in 1..=30 {
        let geometry = Geometry::new(n);
        let to_board = |board: SubBoard, i: usize, j: usize| {
            let (even, odd) = (geometry.first, 1 - geometry.first);
            match board {
                SubBoard::EvenEven => (2 * i + even, 2 * j + even),
                SubBoard::OddOdd => (2 * i + odd, 2 * j + odd),
                SubBoard::EvenOdd => (2 * i + even, 2 * j + odd),
                SubBoard::OddEven => (2 * i + odd, 2 * j + even),
            }
        };
        for (a, b) in [(SubBoard::EvenEven, SubBoard::OddOdd), (SubBoard::EvenOdd, SubBoard::OddEven)] {
            let squares = |board: SubBoard| {
                let columns = geometry.columns(board);
                let rows = if matches!(board, SubBoard::EvenEven | SubBoard::EvenOdd) {
                    geometry.evens
                } else {
                    geometry.odds
                };
                (0..rows).flat_map(move |i| (0..columns).map(move |j| (i, j)))
            };
            for (i, j) in squares(a) {
                assert_eq!(geometry.lines(a, i, j) & 1, 0, "bit 0 stands for all keys");
                for (k, l) in squares(b) {
                    let (p, q) = (to_board(a, i, j), to_board(b, k, l));
                    let attack = p.0.abs_diff(q.0) == p.1.abs_diff(q.1);
                    let share = geometry.lines(a, i, j) & geometry.lines(b, k, l) != 0;
                    assert_eq!(share, attack, "n = {n}: {p:?} and {q:?}");
                }
            }
        }
    }
}
