//! What programs say.

use std::ops::Range;

use crate::CancelToken;
use crate::solver::color::half::{Draft, FIRST_SQUARE, NO_PLANE, Program, Rows};
use crate::solver::color::plan::{Class, row_order};
use crate::solver::color::split::{Geometry, SubBoard, Subset, full};

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
                    let mut draft = Draft::default();
                    let headers = draft
                        .add(class.geometry, SubBoard::EvenEven, &rows, &row_of, u16::MAX, &CancelToken::new())
                        .unwrap()
                        .unwrap();
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
    let mut draft = Draft::default();
    let add = |draft: &mut Draft, rows: Subset, depth: usize| {
        draft.add(geometry, SubBoard::EvenEven, &Rows::new(rows, depth, &order), &row_of, u16::MAX, &cancel).unwrap()
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
