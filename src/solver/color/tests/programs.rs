//! Tests of programs.

use std::ops::Range;

use crate::CancelToken;
use crate::solver::color::Tuning;
use crate::solver::color::plan::{Class, row_order};
use crate::solver::color::side::{
    Draft, FIRST_SQUARE, Groups, MAX_GROUP, NO_PLANE, Parents, Program, Read, Rows, Walks,
};
use crate::solver::color::split::{Geometry, SubBoard, Subset, full};

/// Walks on ee, with parts of any length.
fn walks<'a>(geometry: Geometry, rows: &'a Rows, row_of: &'a [u16]) -> Walks<'a> {
    Walks { geometry, board: SubBoard::EvenEven, rows, row_of, longest: u16::MAX }
}

/// Trap: squares that the prefix attacks have no plane.
#[test]
fn programs_walk_only_squares_that_have_a_plane() {
    for n in [9, 12] {
        for class in Class::all(n, Tuning::default()).map(Result::unwrap) {
            let order = row_order(class.geometry.evens);
            let row_of = vec![0; 1 << class.geometry.evens];
            for depth in 0..3 {
                for &e in &class.even_sets {
                    let rows = Rows::new(e, depth, &order);
                    let mut draft = Draft::default();
                    let walks = walks(class.geometry, &rows, &row_of);
                    let headers = draft.add_by_parents(&walks, &CancelToken::new()).unwrap().unwrap();
                    let program: Program<'_, Parents> = Program::new(draft.memory(), headers);
                    for prefix in 0..program.prefixes() {
                        let walk = program.walk(prefix);
                        assert!(walk.trunk.iter().all(|&[_, plane]| plane >= FIRST_SQUARE));
                        for (parents, children) in walk.entries.iter().zip(1..) {
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

/// A leaf's table row, and the planes on the path to it without [`NO_PLANE`].
fn leaf(row: u16, above: &[u16], below: [u16; 2]) -> (u16, Vec<u16>) {
    (row, above.iter().copied().chain(below).filter(|&plane| plane != NO_PLANE).collect())
}

/// Traps: table rows with more leaves than a group holds, with full groups and a single leaf over; walks with one row
/// and with none; column sets that are not counted.
#[test]
fn groups_have_the_leaves_that_parents_have() {
    let (mut most, mut full) = (0, 0);
    for n in [9, 12, 16] {
        let largest =
            Class::all(n, Tuning::default()).map(Result::unwrap).max_by_key(|class| class.even_sets.len()).unwrap();
        let (geometry, order) = (largest.geometry, row_order(largest.geometry.evens));
        // Few table rows, so each has many leaves.
        let row_of: Vec<u16> =
            (0..1u32 << geometry.evens).map(|set| if set % 7 == 3 { u16::MAX } else { (set % 5) as u16 }).collect();
        for depth in 0..5 {
            for &e in &largest.even_sets {
                let rows = Rows::new(e, depth, &order);
                let mut draft = Draft::default();
                let cancel = CancelToken::new();
                let walks = walks(geometry, &rows, &row_of);
                let parents = draft.add_by_parents(&walks, &cancel).unwrap().unwrap();
                let groups = draft.add_by_groups(&walks, &cancel).unwrap().unwrap();
                let parents: Program<'_, Parents> = Program::new(draft.memory(), parents);
                let groups: Program<'_, Groups> = Program::new(draft.memory(), groups);
                assert_eq!(parents.prefixes(), groups.prefixes());
                for prefix in 0..parents.prefixes() {
                    let (walk, mut expected) = (parents.walk(prefix), Vec::new());
                    let planes = above(walk.trunk);
                    for (parents, children) in walk.entries.iter().zip(1..) {
                        for parent in parents.chunks(2 + 2 * children) {
                            let above = &planes[usize::from(parent[0])];
                            let leaves = parent[2..].chunks(2);
                            expected.extend(leaves.map(|child| leaf(child[1], above, [parent[1], child[0]])));
                        }
                    }
                    let (walk, mut found) = (groups.walk(prefix), Vec::new());
                    let planes = above(walk.trunk);
                    for (groups, leaves) in walk.entries.iter().zip(1..) {
                        for group in groups.chunks(1 + 2 * leaves) {
                            for of_leaf in group[1..].chunks(2) {
                                let ending = walk.endings[usize::from(of_leaf[1]) - planes.len()];
                                found.push(leaf(group[0], &planes[usize::from(of_leaf[0])], ending));
                            }
                        }
                    }
                    assert_eq!(walk.leaves(), found.len() as u64);
                    assert_eq!(walk.is_empty(), found.is_empty());
                    most = most.max(found.len());
                    full += walk.entries[MAX_GROUP - 1].len();
                    expected.sort();
                    found.sort();
                    assert_eq!(found, expected, "n = {n}, E {e:b}, prefix {prefix} of {depth} rows");
                }
            }
        }
    }
    assert!(most > 100 && full > 100, "{most} leaves at most, full groups {full}");
}

/// Trap: a walk with more states than 16 bits can number, as on the largest boards. The draft drops it, and writes it
/// again with a longer prefix.
#[test]
fn a_program_too_large_for_its_format_is_written_again_behind_the_one_before() {
    // The even rows and columns of a board of 26 are a board of 13, which has 73712 solutions.
    let (geometry, cancel) = (Geometry::new(26), CancelToken::new());
    let order = row_order(geometry.evens);
    let row_of = vec![0; 1 << geometry.evens];
    let mut draft = Draft::default();
    let add = |draft: &mut Draft, rows: Subset, depth: usize| {
        let rows = Rows::new(rows, depth, &order);
        draft.add_by_parents(&walks(geometry, &rows, &row_of), &cancel).unwrap()
    };
    let leaves = |headers: &Range<usize>, draft: &Draft| -> u64 {
        let program: Program<'_, Parents> = Program::new(draft.memory(), headers.clone());
        (0..program.prefixes()).map(|prefix| program.walk(prefix).leaves()).sum()
    };
    let small = add(&mut draft, 0b11, 0).unwrap();
    let (before, of_small) = (draft.memory().to_vec(), leaves(&small, &draft));
    assert!(add(&mut draft, full(geometry.evens), 0).is_none());
    assert_eq!(draft.memory(), before);
    let large = add(&mut draft, full(geometry.evens), 3).unwrap();
    assert_eq!(leaves(&large, &draft), 73712);
    assert_eq!(leaves(&small, &draft), of_small);
    // Two queens in neighboring rows: all pairs of columns except equal and neighboring columns.
    let columns = geometry.evens as u64;
    assert_eq!(of_small, columns * (columns - 1) - 2 * (columns - 1));
}
