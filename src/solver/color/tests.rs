//! The packed walk against the plain color split, table entry by table entry; the plain one against a count that knows
//! nothing but which queens attack each other; and the traps that such code falls into.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::cell::{Cell, LANES};
use super::family::{Family, Side, row_order};
use super::geometry::{Geometry, SubBoard, Subset, elements, full};
use super::isa::dispatch;
use super::plain::placements;
use super::program::{Draft, FIRST_SQUARE, NO_PLANE, Program, Rows};
use super::symmetry::Class;
use super::table::Peak;
use super::tuning::Tuning;
use super::worker::Engine;
use crate::board::{Size, Solution};
use crate::count::Work;
use crate::solver::{Isa, registry};
use crate::{CancelToken, Error, Result};

/// Numbers that look random and are the same in every run (SplitMix64).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// Placements of a color on these rows by column set, one square after the other and each pair of queens compared.
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

fn plain(n: usize, rows: u64, color: usize) -> HashMap<u64, u64> {
    let mut found = HashMap::new();
    placements(n, rows, color, &CancelToken::new(), &mut |columns| *found.entry(columns).or_default() += 1);
    found
}

/// A set of rows or columns from its parts.
fn join(evens: Subset, odds: Subset) -> u64 {
    elements(evens).map(|i| 1 << (2 * i)).sum::<u64>() | elements(odds).map(|i| 1 << (2 * i + 1)).sum::<u64>()
}

/// White placements, and black ones by the columns they leave to white, for one coloring of the rows.
fn colors(n: usize, e: Subset, o: Subset) -> [HashMap<u64, u64>; 2] {
    let (white, all) = (join(e, o), (1 << n) - 1);
    let black = plain(n, all ^ white, 1).into_iter().map(|(columns, count)| (all ^ columns, count)).collect();
    [plain(n, white, 0), black]
}

#[test]
fn the_plain_count_is_the_slow_one_for_all_colorings_up_to_8_and_some_up_to_14() {
    let mut random = Random(1);
    for n in 1..=14 {
        let all = 1u64 << n;
        let some = if cfg!(miri) { 2 } else { 12 };
        let rows: Vec<u64> = if n <= 8 && !cfg!(miri) {
            (0..all).collect()
        } else {
            (0..some).map(|_| random.below(1 << n) as u64).collect()
        };
        for rows in rows {
            // More than 8 queens of a color are few placements, but a long search for the slow count.
            for color in [0, 1] {
                if rows.count_ones() <= 8 {
                    assert_eq!(plain(n, rows, color), slow(n, rows, color), "n = {n}, rows {rows:b}, color {color}");
                }
            }
        }
    }
}

#[test]
fn white_times_black_is_the_references_count_for_every_coloring_of_rows_and_columns() {
    let largest = if cfg!(miri) { 5 } else { 8 };
    for n in 1..=largest {
        let mut expected: HashMap<(u64, u64), u64> = HashMap::new();
        for solution in registry::reference().solutions(Size::new(n).unwrap()).unwrap() {
            let is_white = |&(row, &column): &(usize, &u8)| (row + usize::from(column)) % 2 == 0;
            let white = |solution: &Solution| -> (u64, u64) {
                let white = solution.columns().iter().enumerate().filter(is_white);
                white.fold((0, 0), |(rows, columns), (row, &column)| (rows | 1 << row, columns | 1 << column))
            };
            *expected.entry(white(&solution)).or_default() += 1;
        }
        let mut found = HashMap::new();
        let all = (1u64 << n) - 1;
        for rows in 0..=all {
            let black = plain(n, all ^ rows, 1);
            for (columns, white) in plain(n, rows, 0) {
                if let Some(black) = black.get(&(all ^ columns)) {
                    found.insert((rows, columns), white * black);
                }
            }
        }
        assert_eq!(found, expected, "n = {n}");
    }
}

/// An engine that has listed the placements of O, for the family that this O alone makes.
fn engine(class: &Arc<Class>, o: Subset, even_sets: usize, isa: Isa, tuning: Tuning) -> (Arc<Family>, Engine) {
    let order = Arc::new(row_order(class.geometry.evens));
    let family = Arc::new(Family::new(class, &order, o, even_sets, tuning));
    let mut engine = Engine::new(isa);
    engine.begin(&family, o, &CancelToken::new());
    (family, engine)
}

/// One term, summed.
fn term(engine: &mut Engine, family: &Family, e: Subset) -> Result<u128> {
    engine.terms(family, &[(0, e, 1)], &mut Work::default(), &CancelToken::new()).map(|sums| sums[0])
}

/// Terms that are counted.
fn some_terms(n: usize, random: &mut Random, terms: usize) -> Vec<(Arc<Class>, Subset, Subset)> {
    let mut classes: Vec<Arc<Class>> = Class::all(n).into_iter().map(Arc::new).collect();
    // The larger boards' largest classes: those with queens on all four sub-boards.
    if n > 14 {
        classes.retain(|class| (n / 4..=n.div_ceil(4)).contains(&class.white_evens));
    }
    let draw = || {
        let class = &classes[random.below(classes.len())];
        let o = class.odds[random.below(class.odds.len())];
        (Arc::clone(class), class.evens[random.below(class.evens.len())], o)
    };
    std::iter::repeat_with(draw).filter(|(class, e, o)| class.row_weight(*e, *o) > 0).take(terms).collect()
}

pub(super) fn available() -> impl Iterator<Item = Isa> {
    [Isa::Portable, Isa::Avx2, Isa::Avx512, Isa::Avx512Bitalg].into_iter().filter(|isa| isa.is_available())
}

/// Depths of the prefixes: what is measured as best, none, and so deep that nothing is left to walk. With packs that
/// are kept and with none.
fn tunings() -> [Tuning; 5] {
    let depth = |depth| Tuning { fill_depth: Some(depth), dot_depth: Some(depth), ..Tuning::default() };
    [Tuning::default(), depth(0), depth(1), depth(16), Tuning { pack_bytes: Some(0), range_bytes: Some(0), ..depth(1) }]
}

#[test]
fn every_table_entry_and_every_term_is_the_plain_one() {
    let mut random = Random(2);
    // From 17 on tables have several blocks, from 19 on several pairs of them.
    let sizes: Vec<(usize, usize)> = match cfg!(miri) {
        true => (1..=5).map(|n| (n, 1)).collect(),
        false => (1..=14).map(|n| (n, 6)).chain([(17, 2), (18, 2), (20, 3), (22, 2)]).collect(),
    };
    for (n, terms) in sizes {
        for (class, e, o) in some_terms(n, &mut random, terms) {
            let by_color = colors(n, e, o);
            let sum: u128 = by_color[0]
                .iter()
                .map(|(&columns, white)| {
                    let (f, g) = parts(columns);
                    let black = by_color[1].get(&columns).copied().unwrap_or(0);
                    u128::from(white * black * class.column_weight([f, g], [e, o]))
                })
                .sum();
            for isa in available() {
                for tuning in tunings() {
                    let (family, mut engine) = engine(&class, o, 1, isa, tuning);
                    let mut work = Work::default();
                    let term = engine.terms(&family, &[(0, e, 1)], &mut work, &CancelToken::new()).unwrap()[0];
                    assert_eq!(term, sum, "n = {n}, E {e:b}, O {o:b}, {isa:?}, {tuning:?}");
                    let filled = &by_color[usize::from(family.filling == Side::Black)];
                    for (row, lane, entry) in engine.entries(&family) {
                        let columns = match family.filling {
                            Side::White => join(row, lane),
                            Side::Black => join(lane, row),
                        };
                        let expected = filled.get(&columns).copied().unwrap_or(0);
                        assert_eq!(u64::from(entry), expected, "n = {n}, E {e:b}, O {o:b}, {isa:?}, {columns:b}");
                    }
                }
            }
        }
    }
}

/// The even and the odd part of a set of rows or columns.
fn parts(set: u64) -> (Subset, Subset) {
    (0..32).fold((0, 0), |(evens, odds), i| {
        (evens | ((set >> (2 * i) & 1) as Subset) << i, odds | ((set >> (2 * i + 1) & 1) as Subset) << i)
    })
}

/// Trap: the half step between the resolutions forgotten on one side.
#[test]
fn keys_share_a_bit_exactly_where_queens_of_one_color_attack_along_a_diagonal() {
    let to_board = |board: SubBoard, i: usize, j: usize| match board {
        SubBoard::EvenEven => (2 * i, 2 * j),
        SubBoard::OddOdd => (2 * i + 1, 2 * j + 1),
        SubBoard::EvenOdd => (2 * i, 2 * j + 1),
        SubBoard::OddEven => (2 * i + 1, 2 * j),
    };
    for n in 1..=if cfg!(miri) { 6 } else { 32 } {
        let geometry = Geometry::new(n);
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

/// Trap: rows not yet placed whose squares the prefix already attacks have no plane.
#[test]
fn programs_walk_only_squares_that_have_a_plane() {
    for n in [9, 12] {
        for class in Class::all(n) {
            let order = row_order(class.geometry.evens);
            let row_of = vec![0; 1 << class.geometry.evens];
            for depth in 0..3 {
                for &e in &class.evens {
                    let rows = Rows::new(e, depth, &order);
                    let mut draft = Draft::new();
                    let headers =
                        draft.add(class.geometry, SubBoard::EvenEven, &rows, &row_of, &CancelToken::new()).unwrap();
                    let program = Program::new(draft.memory(), headers);
                    for prefix in 0..program.prefixes() {
                        let walk = program.walk(prefix);
                        assert!(walk.trunk.iter().all(|&[_, plane]| plane >= FIRST_SQUARE));
                        for (parents, children) in walk.parents.iter().zip(1..) {
                            for parent in parents.chunks(2 + 2 * children) {
                                assert!(parent[1] >= FIRST_SQUARE || rows.rest.len() < 2 && parent[1] == NO_PLANE);
                                let is_walked = |child: &[u16]| child[0] >= FIRST_SQUARE || rows.rest.is_empty();
                                assert!(parent[2..].chunks(2).all(is_walked));
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Trap: a walk with more states than 16 bits can number, as on the largest boards. It leaves nothing behind in the
/// draft, and fits with a longer prefix.
#[test]
fn a_program_too_large_for_its_format_is_written_again_behind_the_one_before() {
    // To queens on the even rows and columns, a board of 26 is one of 13, with 73712 solutions.
    let (geometry, cancel) = (Geometry::new(if cfg!(miri) { 10 } else { 26 }), CancelToken::new());
    let order = row_order(geometry.evens);
    let row_of = vec![0; 1 << geometry.evens];
    let mut draft = Draft::new();
    let add = |draft: &mut Draft, rows: Subset, depth: usize| {
        draft.add(geometry, SubBoard::EvenEven, &Rows::new(rows, depth, &order), &row_of, &cancel)
    };
    let leaves = |headers: &Range<usize>, draft: &Draft| -> u64 {
        let program = Program::new(draft.memory(), headers.clone());
        (0..program.prefixes()).map(|prefix| program.walk(prefix).nodes()[2]).sum()
    };
    let small = add(&mut draft, 0b11, 0).unwrap();
    let (before, of_small) = (draft.memory().to_vec(), leaves(&small, &draft));
    if !cfg!(miri) {
        assert!(add(&mut draft, full(geometry.evens), 0).is_none());
    }
    assert_eq!(draft.memory(), before);
    let large = add(&mut draft, full(geometry.evens), 3).unwrap();
    assert_eq!(leaves(&large, &draft), if cfg!(miri) { 10 } else { 73712 });
    assert_eq!(leaves(&small, &draft), of_small);
    // Two queens in neighbouring rows: all pairs of columns but the same and the neighbouring ones.
    let columns = geometry.evens as u64;
    assert_eq!(of_small, columns * (columns - 1) - 2 * (columns - 1));
}

/// Trap: groups larger than their lanes. With no prefix all placements of a set stand in one pack; counted again with
/// wide entries, and with entries past a byte.
#[test]
fn full_lanes_and_wide_entries_change_nothing() {
    let n = if cfg!(miri) { 7 } else { 16 };
    let class = Arc::new(Class::all(n).pop().unwrap());
    let class = if n == 16 { class } else { Arc::new(Class::all(n).remove(1)) };
    // Rows that have a term of weight 1 with an odd entry: halved, it leaves a rest.
    let filling = Side::filling(&class);
    let leaves_rest = |e: Subset, o: Subset| {
        let by_color = colors(n, e, o);
        by_color[usize::from(filling == Side::Black)].iter().any(|(&columns, entry)| {
            let (f, g) = parts(columns);
            let is_met = by_color[usize::from(filling == Side::White)].contains_key(&columns);
            is_met && entry % 2 == 1 && class.column_weight([f, g], [e, o]) == 1
        })
    };
    let mut rows = class.odds.iter().rev().flat_map(|&o| class.evens.iter().rev().map(move |&e| (e, o)));
    let (e, o) = rows.find(|&(e, o)| class.row_weight(e, o) > 0 && (cfg!(miri) || leaves_rest(e, o))).unwrap();
    let by_color = colors(n, e, o);
    let weighted = |add: u64, family: &Family, engine: &Engine| -> u128 {
        let filled = &by_color[usize::from(family.filling == Side::Black)];
        let other = &by_color[usize::from(family.filling == Side::White)];
        let lanes = engine.filled_sets();
        let rows = &family.rows_axis(family.filling).sets;
        let mut sum = 0;
        for &row in rows {
            for &lane in lanes {
                let (f, g) = if family.filling == Side::White { (row, lane) } else { (lane, row) };
                let columns = join(f, g);
                let entry = filled.get(&columns).copied().unwrap_or(0) + add;
                sum += entry * other.get(&columns).copied().unwrap_or(0) * class.column_weight([f, g], [e, o]);
            }
        }
        u128::from(sum)
    };
    for isa in available() {
        for is_wide in [false, true] {
            let tuning = Tuning { fill_depth: Some(1), dot_depth: Some(0), ..Tuning::default() };
            let (family, mut engine) = engine(&class, o, 1, isa, tuning);
            if is_wide {
                engine.widen();
            }
            let sum = term(&mut engine, &family, e).unwrap();
            assert_eq!(sum, weighted(0, &family, &engine), "{isa:?}, wide: {is_wide}");
            assert!(cfg!(miri) || engine.deepest() > 1, "the test is to have lanes of more than 8 keys");
            // Every entry raised by 256: the dot must read the second byte too.
            if is_wide {
                let raised = engine.dot_with_entries_raised_by_256(&family, e);
                assert_eq!(raised, weighted(256, &family, &engine), "{isa:?}, wide: {is_wide}");
            }
        }
    }
}

/// Overflow of 8-bit entries leads to a second byte, overflow of 16-bit ones to an error; neither is silent.
#[test]
#[cfg_attr(miri, ignore = "boards that are small enough for Miri have next to no terms above 0")]
fn entries_past_a_byte_are_counted_again_and_entries_past_two_are_refused() {
    let (class, e, o) = some_terms(16, &mut Random(3), 1).remove(0);
    for isa in available() {
        let (family, mut engine) = engine(&class, o, 1, isa, Tuning::default());
        let once = term(&mut engine, &family, e).unwrap();
        assert!(once > 0 && !engine.is_wide());
        engine.repeat_filling_packs(255);
        assert_eq!(term(&mut engine, &family, e).unwrap(), 255 * once, "{isa:?}");
        assert!(engine.is_wide());
        engine.repeat_filling_packs(257);
        assert!(matches!(term(&mut engine, &family, e), Err(Error::Overflow { bits: 16 })), "{isa:?}");
    }
}

/// Counts that meet the same entry more often than a byte can tell are all multiplied with it.
#[test]
#[cfg_attr(miri, ignore = "boards that are small enough for Miri have next to no terms above 0")]
fn tallies_are_passed_on_before_they_overflow() {
    let (class, e, o) = some_terms(16, &mut Random(3), 1).remove(0);
    for isa in available() {
        let (family, mut engine) = engine(&class, o, 1, isa, Tuning::default());
        let once = term(&mut engine, &family, e).unwrap();
        assert!(once > 0);
        engine.repeat_summing_packs(1000);
        assert_eq!(term(&mut engine, &family, e).unwrap(), 1000 * once, "{isa:?}");
        // With entries of two bytes, and odd ones' rests.
        engine.widen();
        assert_eq!(term(&mut engine, &family, e).unwrap(), 1000 * once, "{isa:?}, wide");
        let raised = engine.dot_with_entries_raised_by_256(&family, e);
        engine.repeat_summing_packs(3);
        assert_eq!(term(&mut engine, &family, e).unwrap(), 3000 * once, "{isa:?}, wide");
        assert_eq!(engine.dot_with_entries_raised_by_256(&family, e), 3 * raised, "{isa:?}, wide");
        assert!(raised > 1000 * once);
    }
}

/// Overflow of 8-bit entries is seen.
#[test]
fn the_largest_entry_is_found_wherever_it_stands() {
    for isa in available() {
        let mut cells = vec![Cell::ZERO; 2];
        cells[1].0[LANES - 1] = 254;
        assert_eq!(dispatch(isa, Peak { cells: &cells }), 254);
        cells[0].0[0] = 255;
        assert_eq!(dispatch(isa, Peak { cells: &cells }), 255);
    }
}

/// Complements: what is white for one color is what the other leaves.
#[test]
fn sides_see_their_own_rows() {
    assert_eq!(Side::White.part(0b0011, 4), 0b0011);
    assert_eq!(Side::Black.part(0b0011, 4), 0b1100);
    assert_eq!(full(4), 0b1111);
}
