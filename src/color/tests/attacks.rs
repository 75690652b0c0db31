//! Compares the sum by definition with the reference, and the lines of keys with the definition of an attack.

use std::collections::HashMap;

use crate::CancelToken;
use crate::board::{Board, Size};
use crate::color::definition::Search;
use crate::color::split::{Color, Geometry, SubBoard};
use crate::verify;

fn by_definition(n: usize, rows: u64, color: Color) -> HashMap<u64, u64> {
    let mut found = HashMap::new();
    let search = Search { n, color, cancel: &CancelToken::new() };
    search.placements([rows, 0], |_| true, &mut |columns| *found.entry(columns).or_default() += 1).unwrap();
    found
}

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
            let black = by_definition(n, all ^ rows, Color::Black);
            for (columns, white) in by_definition(n, rows, Color::White) {
                if let Some(black) = black.get(&(all ^ columns)) {
                    found.insert((rows, columns), white * black);
                }
            }
        }
        assert_eq!(found, expected, "n = {n}");
    }
}

/// Would fail without the shift of oo and oe.
#[test]
fn keys_share_a_bit_exactly_where_queens_of_one_color_attack_along_a_diagonal() {
    for n in 1..=30 {
        let geometry = Geometry::new(n);
        let lines = |(row, column): (usize, usize)| {
            let board = match [row, column].map(|i| i % 2 == geometry.first_even) {
                [true, true] => SubBoard::EvenEven,
                [false, false] => SubBoard::OddOdd,
                [true, false] => SubBoard::EvenOdd,
                [false, true] => SubBoard::OddEven,
            };
            geometry.lines(board, row / 2, column / 2)
        };
        let squares = || (0..n).flat_map(|row| (0..n).map(move |column| (row, column)));
        for a in squares().filter(|(row, _)| row % 2 == geometry.first_even) {
            assert_eq!(lines(a) & 1, 0, "bit 0 stands for all keys");
            let is_other = |b: &(usize, usize)| (a.0 + b.0) % 2 == 1 && (a.1 + b.1) % 2 == 1;
            for b in squares().filter(is_other) {
                let attack = a.0.abs_diff(b.0) == a.1.abs_diff(b.1);
                assert_eq!(lines(a) & lines(b) != 0, attack, "n = {n}: {a:?} and {b:?}");
            }
        }
    }
}

/// With four rows in each set, neither search checks its token, so the loop over the first search does.
#[test]
fn a_short_search_by_definition_is_cancelled_between_its_two_sets_of_rows() {
    let (cancel, [first, rest]) = (CancelToken::new(), [0x55, 0xaa]);
    let mut visited = 0;
    let search = Search { n: 24, color: Color::White, cancel: &cancel };
    let ended = search.placements([first, rest], |_| true, &mut |_| {
        cancel.cancel();
        visited += 1;
    });
    assert!(ended.is_err() && (1..12 * 11 * 10 * 9).contains(&visited), "{visited} placements");
}
