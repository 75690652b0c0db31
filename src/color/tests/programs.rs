//! Tests of programs.

use std::collections::HashSet;

use crate::CancelToken;
use crate::color::Tuning;
use crate::color::pack::{FIRST_SQUARE, NO_PLANE, Planes};
use crate::color::plan::Rows;
use crate::color::plan::{Class, row_order};
use crate::color::program::{Draft, MAX_GROUP, Program, ProgramRequest};
use crate::color::split::{BoardRow, Geometry, Queens, SubBoard, Subset, elements, full};
use crate::solver::Isa;

/// Asks for walks on ee, with parts of any length.
fn request<'a>(geometry: Geometry, rows: &'a Rows, row_of: &'a [u16]) -> ProgramRequest<'a> {
    ProgramRequest { geometry, board: SubBoard::EvenEven, rows, row_of, longest: u16::MAX }
}

/// For each state of a trunk, the planes on the path to it.
fn above(trunk: &[[u16; 2]]) -> Vec<Vec<u16>> {
    let mut planes = vec![Vec::new()];
    for &[above, plane] in trunk {
        let mut of_state: Vec<u16> = planes[usize::from(above)].clone();
        of_state.push(plane);
        planes.push(of_state);
    }
    planes
}

/// Calls `visit` with the columns of every placement on `rows`, row by row.
fn placements(rows: &[BoardRow], queens: Queens, columns: &mut Vec<usize>, visit: &mut impl FnMut(Queens, &[usize])) {
    let Some((row, rest)) = rows.split_first() else { return visit(queens, columns) };
    for column in elements(row.free(queens)) {
        columns.push(column);
        placements(rest, row.place(queens, column), columns, visit);
        columns.pop();
    }
}

/// Traps: squares that the prefix attacks have no plane; table rows with more leaves than a group holds, with full
/// groups and a single leaf over; walks with one row and with none; column sets that are not counted.
#[test]
fn a_program_has_every_placement_that_is_counted_with_the_planes_of_its_squares() {
    let (mut most, mut full, mut divided) = (0, 0, 0);
    for n in [9, 12, 16] {
        let largest = Class::all(n, Tuning::new(n, Isa::Portable)).max_by_key(|class| class.even_sets.len()).unwrap();
        let (geometry, order) = (largest.geometry, &largest.row_order);
        // Few table rows, so each has many leaves.
        let row_of: Vec<u16> =
            (0..1u32 << geometry.evens).map(|set| if set % 7 == 3 { u16::MAX } else { (set % 5) as u16 }).collect();
        // The shortest parts make subtrees of a single placement.
        for (depth, longest) in (0..5).flat_map(|depth| [16, 40, u16::MAX].map(|longest| (depth, longest))) {
            for &e in &largest.even_sets {
                let rows = Rows::new(e, depth, order);
                let mut draft = Draft::default();
                let request = ProgramRequest { longest, ..request(geometry, &rows, &row_of) };
                let starts = draft.add(&request, &CancelToken::new()).unwrap();
                let program = Program::new(draft.memory(), starts);
                let [prefix, rest] =
                    [&rows.prefix, &rows.rest].map(|rows| BoardRow::all(geometry, SubBoard::EvenEven, rows));
                let (mut number, mut planes) = (0, Planes::default());
                placements(&prefix, Queens::NONE, &mut Vec::new(), &mut |prefix, _| {
                    planes.renumber(geometry, SubBoard::EvenEven, prefix, &rows.open);
                    let mut expected = Vec::new();
                    placements(&rest, prefix, &mut Vec::new(), &mut |queens, columns| {
                        let row = row_of[queens.columns as usize];
                        let of_queen = |(row, &column): (&usize, &usize)| planes.of(*row, column);
                        let squares: Vec<u16> = rows.rest.iter().zip(columns).map(of_queen).collect();
                        assert!(squares.iter().all(|&plane| plane >= FIRST_SQUARE));
                        expected.extend((row != u16::MAX).then_some((row, squares)));
                    });
                    let mut found = Vec::new();
                    for subtree in program.subtrees(number) {
                        let (states, before) = (above(subtree.trunk), found.len());
                        for (groups, leaves) in subtree.groups.iter().zip(1..) {
                            for group in groups.chunks(1 + 2 * leaves) {
                                for leaf in group[1..].chunks(2) {
                                    let ending = subtree.endings[usize::from(leaf[1]) - states.len()];
                                    let planes = states[usize::from(leaf[0])].iter().copied().chain(ending);
                                    found.push((group[0], planes.filter(|&plane| plane != NO_PLANE).collect()));
                                }
                            }
                        }
                        assert_eq!(subtree.leaves(), (found.len() - before) as u64);
                        let endings: HashSet<&[u16; 2]> = subtree.endings.iter().collect();
                        assert_eq!(endings.len(), subtree.endings.len(), "leaves share endings");
                        assert!(subtree.states() <= 1 + usize::from(longest));
                        assert_eq!(subtree.is_empty(), subtree.leaves() == 0);
                        full += subtree.groups[MAX_GROUP - 1].len();
                    }
                    divided += usize::from(program.subtrees(number).count() > 1);
                    most = most.max(found.len());
                    expected.sort();
                    found.sort();
                    assert_eq!(found, expected, "n = {n}, E {e:b}, prefix {number} of {depth} rows");
                    number += 1;
                });
                assert_eq!(program.prefixes(), number);
            }
        }
    }
    assert!(most > 100 && full > 100 && divided > 100, "{most} leaves at most, full groups {full}, divided {divided}");
}

/// Trap: a subtree with more states than 16 bits can number, as on the largest boards. It is divided.
#[test]
fn a_subtree_too_large_for_its_format_is_divided_behind_the_program_before() {
    // The even rows and columns of a board of 26 are a board of 13, which has 73712 solutions.
    let geometry = Geometry::new(26, false);
    let order = row_order(geometry.evens);
    let row_of = vec![0; 1 << geometry.evens];
    let mut draft = Draft::default();
    let add = |draft: &mut Draft, rows: Subset| {
        let rows = Rows::new(rows, 0, &order);
        draft.add(&request(geometry, &rows, &row_of), &CancelToken::new()).unwrap()
    };
    let (small, large) = (add(&mut draft, 0b11), add(&mut draft, full(geometry.evens)));
    let [small, large] = [small, large].map(|starts| Program::new(draft.memory(), starts));
    let leaves = |program: &Program<'_>| program.subtrees(0).map(|subtree| subtree.leaves()).sum::<u64>();
    assert_eq!(leaves(&large), 73712);
    assert_eq!((large.prefixes(), large.subtrees(0).count() > 1), (1, true));
    // Two queens in neighboring rows: all pairs of columns except equal and neighboring columns.
    let columns = geometry.evens as u64;
    assert_eq!(leaves(&small), columns * (columns - 1) - 2 * (columns - 1));
    assert_eq!((small.prefixes(), small.subtrees(0).count()), (1, 1));
}
