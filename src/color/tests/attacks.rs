//! Compares the sum by definition with simpler searches.

use std::collections::HashMap;

use super::by_definition;
use crate::board::{Board, Size};
use crate::color::split::{Geometry, SubBoard};
use crate::registry;
use crate::splitmix::SplitMix64;

/// The placements of a color on `rows` by column set. It tries every square, and compares each new queen with all
/// others.
fn slow(n: usize, rows: u64, color: usize) -> HashMap<u64, u64> {
    fn extend(n: usize, rows: &[usize], color: usize, queens: &mut Vec<(usize, usize)>, found: &mut HashMap<u64, u64>) {
        let Some((&row, below)) = rows.split_first() else {
            *found.entry(queens.iter().map(|&(_, column)| 1 << column).sum()).or_default() += 1;
            return;
        };
        for column in (0..n).filter(|column| (row + column) % 2 == color) {
            if queens.iter().all(|&(r, c)| c != column && c.abs_diff(column) != row - r) {
                queens.push((row, column));
                extend(n, below, color, queens, found);
                queens.pop();
            }
        }
    }
    let rows: Vec<usize> = (0..n).filter(|row| rows >> row & 1 == 1).collect();
    let mut found = HashMap::new();
    extend(n, &rows, color, &mut Vec::new(), &mut found);
    found
}

#[test]
fn the_plain_count_is_the_slow_one_for_all_colorings_up_to_8_and_some_up_to_14() {
    let mut random = SplitMix64::new(1);
    for n in 1..=14 {
        let all = 1u64 << n;
        let some = 12;
        let rows: Vec<u64> =
            if n <= 8 { (0..all).collect() } else { (0..some).map(|_| random.below(1 << n) as u64).collect() };
        for rows in rows {
            // With more than 8 queens the slow search takes too long.
            for color in [0, 1] {
                if rows.count_ones() <= 8 {
                    assert_eq!(
                        by_definition(n, rows, color),
                        slow(n, rows, color),
                        "n = {n}, rows {rows:b}, color {color}"
                    );
                }
            }
        }
    }
}

#[test]
fn white_times_black_is_the_references_count_for_every_coloring_of_rows_and_columns() {
    let largest = 8;
    for n in 1..=largest {
        let mut expected: HashMap<(u64, u64), u64> = HashMap::new();
        for solution in registry::reference().solutions(Size::new(n).unwrap()).unwrap() {
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
    for (n, from_0) in (1..=30).flat_map(|n| [(n, false), (n, true)]) {
        let geometry = Geometry::new(n, from_0);
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
